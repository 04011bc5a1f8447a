import { rowJobId, rowKeyAt } from '../../src/app/batch-turn.ts';
import { createBatch, type NewRow } from '../../src/app/batches.ts';
import type { Batch } from '../../src/core/batch.ts';
import type { Job } from '../../src/core/job.ts';
import type { TestWorld } from './world.ts';

/** Rows whose inputs all have the same length, so that their first calls cost the same. */
export const rowsOf = (count: number): readonly NewRow[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `r${n}`,
    line: n + 2,
    input: `ticket ${String(n).padStart(3, '0')}`,
    metadata: {},
  }));

/** Five rows under a pool of one dollar, two at once, ten cents each; changed as asked. */
export function startBatch(
  world: TestWorld,
  changes: Partial<Parameters<typeof createBatch>[1]> = {},
): Promise<Batch> {
  return createBatch(world, {
    tenant: 'default',
    agent: 'field',
    key: 'k',
    rows: rowsOf(5),
    budget: 1_000_000,
    ceilingMicroUsd: 100_000,
    concurrency: 2,
    ...changes,
  });
}

/** The job of the row at a place in the batch. */
export async function jobAt(world: TestWorld, batch: Batch, ordinal: number): Promise<Job | undefined> {
  return world.store.loadJob(rowJobId(world, batch, await rowKeyAt(world, batch, ordinal)));
}
