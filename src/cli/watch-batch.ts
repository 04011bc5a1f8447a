import { openJobs } from '../app/batch-rows.ts';
import type { World } from '../app/world.ts';
import { type Batch, isTurning, poolLeft, rowsOf } from '../core/batch.ts';
import type { Job } from '../core/job.ts';
import { charged } from '../core/ledger.ts';

/** How far a batch is, with its open jobs as they stand now. */
export interface BatchState {
  readonly batch: Batch;
  readonly rows: number;
  readonly ended: number;
  readonly running: number;
  readonly waiting: readonly Job[];
  readonly spentMicroUsd: number;
  /** Nothing more will happen without a person: it is over, or all that is open waits. */
  readonly atRest: boolean;
}

/** Reads a batch and its open jobs. */
export async function readBatchState(world: World, batchId: string): Promise<BatchState> {
  const batch = await world.store.loadBatch(batchId);
  if (batch === undefined) throw new Error(`batch ${batchId} is gone`);
  const jobs = [...(await openJobs(world, batch)).values()];
  const waiting = jobs.filter((job) => job.status.type === 'awaiting_approval');
  const { succeeded, stopped, failed, cancelled } = batch.counts;
  const over = !isTurning(batch);
  const blocked = batch.cursor >= rowsOf(batch) || poolLeft(batch) < batch.ceiling;
  return {
    batch,
    rows: rowsOf(batch),
    ended: succeeded + stopped + failed + cancelled,
    running: batch.open.length - waiting.length,
    waiting,
    spentMicroUsd: jobs.reduce((sum, job) => sum + charged(job.ledger), batch.spent),
    atRest: over || (batch.open.length > 0 && waiting.length === batch.open.length && blocked),
  };
}
