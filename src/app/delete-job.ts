import { evolve } from '../core/evolve.ts';
import { isEnded, type Job } from '../core/job.ts';
import { apiCommit, jobHeads, type Wish } from './api-commit.ts';
import { isOwn } from './own.ts';
import type { World } from './world.ts';

export type Deleted =
  | { readonly type: 'deleted' }
  | { readonly type: 'not_found' }
  | { readonly type: 'conflict'; readonly why: string };

/**
 * Deletes what an ended job holds: transcript, input and results. Its head says so first, so that nobody reads on; a crash
 * after that leaves the rest to the reconciler, which purges once more when the last worker that may still write is dead.
 */
export async function deleteJob(world: World, tenant: string, jobId: string): Promise<Deleted> {
  const result = await apiCommit(world, jobHeads(world), jobId, (job): Wish<Job, Deleted> => {
    if (!isOwn(world, tenant, job)) return { answer: { type: 'not_found' } };
    if (job.deleted) return { answer: { type: 'deleted' } };
    if (!isEnded(job)) {
      return { answer: { type: 'conflict', why: `the job has not ended: ${job.status.type}` } };
    }
    return { change: evolve(job, { type: 'deleted', nowMs: world.clock.now() }) };
  });
  if ('answer' in result && result.answer.type !== 'deleted') return result.answer;
  await purge(world, jobId);
  return { type: 'deleted' };
}

/** Removes everything of a deleted job that its owner or the model wrote, the row that it was made from included. */
export async function purge(world: World, jobId: string): Promise<void> {
  const info = await world.store.readInfo(jobId);
  if (info?.batchId !== undefined && info.rowKey !== undefined) {
    await world.store.stripRow(info.batchId, info.rowKey);
  }
  await world.store.purgeJob(jobId);
  world.warm.drop(jobId);
}
