import { type Batch, evolveBatch, poolLeft, rowsOf } from '../core/batch.ts';
import { isEnded, type Job } from '../core/job.ts';
import { charged } from '../core/ledger.ts';
import { apiCommit, batchHeads, type Wish } from './api-commit.ts';
import { rowKeyAt } from './batch-turn.ts';
import { noteBatch } from './notices.ts';
import { sendBatchTurn, sentOrDue } from './send.ts';
import type { World } from './world.ts';

export type Granted = 'granted' | 'overtaken' | { readonly why: string };

/**
 * Reserves the ceiling of an ended job that is to go on, raised by `addMicroUsd`, in the pool of its batch, whose row is
 * open again; a job of its own needs none. Writing the job alone would overspend the pool. The grant holds for this
 * version of the job only. What the job's end had freed there is read from the job itself, after the batch: while the
 * batch's head stays as it was read, with the row closed, it has booked exactly this end.
 */
export async function grant(world: World, job: Job, addMicroUsd: number): Promise<Granted> {
  const info = await world.store.readInfo(job.id);
  if (info?.batchId === undefined) return 'granted';
  const first = await world.store.loadBatch(info.batchId);
  const ordinal = first === undefined ? undefined : await ordinalOf(world, first, info.rowKey ?? '');
  if (ordinal === undefined) return { why: 'its batch does not know the row' };
  const ceiling = job.ledger.ceiling + addMicroUsd;
  const result = await apiCommit(
    world,
    batchHeads(world),
    info.batchId,
    async (batch): Promise<Wish<Batch, Granted>> => {
      if (batch === undefined || batch.cancelRequested) return refuse('its batch is cancelled');
      const standing = batch.open.find((open) => open.ordinal === ordinal);
      if (standing !== undefined && standing.grant === job.version && standing.ceiling >= ceiling) {
        return { answer: 'granted' };
      }
      const fresh = await world.store.loadJob(job.id);
      if (fresh?.version !== job.version || !isEnded(fresh)) return { answer: 'overtaken' };
      const freed =
        standing === undefined ? { status: fresh.status.type, cost: charged(fresh.ledger) } : undefined;
      const left = poolLeft(batch) + (freed?.cost ?? 0) + (standing?.ceiling ?? 0);
      if (ceiling > left) return refuse(`the batch has $${left / 1e6} left, the job needs $${ceiling / 1e6}`);
      await noteBatch(world, batch);
      const nowMs = world.clock.now();
      return {
        change: evolveBatch(batch, { type: 'granted', nowMs, ordinal, ceiling, grant: job.version, freed }),
      };
    },
  );
  if ('answer' in result) return result.answer;
  await sentOrDue(world, sendBatchTurn(world, result.committed));
  return 'granted';
}

const refuse = (why: string): { readonly answer: Granted } => ({ answer: { why } });

async function ordinalOf(world: World, batch: Batch, rowKey: string): Promise<number | undefined> {
  for (let ordinal = 0; ordinal < rowsOf(batch); ordinal += 1) {
    if ((await rowKeyAt(world, batch, ordinal)) === rowKey) return ordinal;
  }
  return undefined;
}
