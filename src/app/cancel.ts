import { evolve } from '../core/evolve.ts';
import { isEnded, type Job } from '../core/job.ts';
import { apiCommit, jobHeads, type Wish } from './api-commit.ts';
import { noteJob, noteNow } from './notices.ts';
import { observeEnd } from './observe.ts';
import { isOwn } from './own.ts';
import type { World } from './world.ts';

export type Cancelled<H> =
  | { readonly type: 'accepted'; readonly head: H }
  | { readonly type: 'not_found' }
  | { readonly type: 'conflict'; readonly head: H };

/** Cancels a job: at once when no step is under way, else with the commit of that step. */
export async function cancel(world: World, tenant: string, jobId: string): Promise<Cancelled<Job>> {
  const result = await apiCommit(world, jobHeads(world), jobId, (job): Wish<Job, Cancelled<Job>> => {
    if (!isOwn(world, tenant, job)) return { answer: { type: 'not_found' } };
    if (job.status.type === 'cancelled') return { answer: { type: 'accepted', head: job } };
    if (isEnded(job)) return { answer: { type: 'conflict', head: job } };
    if (job.cancelRequested) return { answer: { type: 'accepted', head: job } };
    return { change: evolve(job, { type: 'cancel_requested', nowMs: world.clock.now() }) };
  });
  if ('answer' in result) return result.answer;
  observeEnd(world, result.committed);
  await noteNow(world, noteJob(world, result.committed));
  return { type: 'accepted', head: result.committed };
}
