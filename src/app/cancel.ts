import { type Batch, evolveBatch } from '../core/batch.ts';
import { evolve } from '../core/evolve.ts';
import { isEnded, type Job } from '../core/job.ts';
import { apiCommit, batchHeads, jobHeads, type Wish } from './api-commit.ts';
import { noteJob, noteNow } from './notices.ts';
import { isOwn } from './own.ts';
import { sendBatchTurn } from './send.ts';
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
  await noteNow(world, noteJob(world, result.committed));
  return { type: 'accepted', head: result.committed };
}

/** Cancels a batch: its next turn cancels every open job, and the rows that were never admitted count as cancelled. */
export async function cancelBatch(world: World, tenant: string, batchId: string): Promise<Cancelled<Batch>> {
  const result = await apiCommit(
    world,
    batchHeads(world),
    batchId,
    (batch): Wish<Batch, Cancelled<Batch>> => {
      if (!isOwn(world, tenant, batch)) return { answer: { type: 'not_found' } };
      if (batch.cancelRequested) return { answer: { type: 'accepted', head: batch } };
      if (batch.status === 'done') return { answer: { type: 'conflict', head: batch } };
      return { change: evolveBatch(batch, { type: 'cancel_requested', nowMs: world.clock.now() }) };
    },
  );
  if ('answer' in result) return result.answer;
  await sendBatchTurn(world, result.committed);
  return { type: 'accepted', head: result.committed };
}
