import { isTurning } from '../core/batch.ts';
import { evolve } from '../core/evolve.ts';
import type { Job } from '../core/job.ts';
import { isPending } from '../core/note.ts';
import { dueShards } from '../core/table.ts';
import { apiCommit, jobHeads, type Wish } from './api-commit.ts';
import { sendBatchTurn, sendNotice, sendTurn, sentOrDue } from './send.ts';
import type { Due } from './store.ts';
import type { World } from './world.ts';

const MAX_LIVE_PER_SHARD = 100_000;

/**
 * Looks at every live job and batch, and every notice not told, after a restart that lost the queue, and sends its message. `holdersDead` says
 * that whoever held leases is proven dead: their leases lapse at once. Returns how many were found.
 */
export async function recover(world: World, holdersDead: boolean): Promise<number> {
  let live = 0;
  for (const shard of dueShards) {
    for (const due of await world.store.listDue(shard, Number.MAX_SAFE_INTEGER, MAX_LIVE_PER_SHARD)) {
      live += 1;
      // What fails stands in the due index all the same, and the reconciler comes to it.
      await sentOrDue(world, recoverOne(world, due, holdersDead));
    }
  }
  return live;
}

async function recoverOne(world: World, due: Due, holdersDead: boolean): Promise<void> {
  switch (due.kind) {
    case 'job':
      return recoverJob(world, due.id, holdersDead);
    case 'batch': {
      const batch = await world.store.loadBatch(due.id);
      if (batch !== undefined && isTurning(batch)) await sendBatchTurn(world, batch);
      return;
    }
    case 'notice':
      return recoverNotice(world, due.id, due.note);
    default:
      return due satisfies never;
  }
}

async function recoverNotice(world: World, of: string, key: string): Promise<void> {
  const note = await world.store.readNote(of, key);
  if (note !== undefined && isPending(note)) await sendNotice(world, note);
}

async function recoverJob(world: World, jobId: string, holdersDead: boolean): Promise<void> {
  const result = await apiCommit(
    world,
    jobHeads(world),
    jobId,
    (job): Wish<Job, Job | undefined> =>
      job?.status.type === 'running' && holdersDead
        ? { change: evolve(job, { type: 'lease_lapsed', nowMs: world.clock.now() }) }
        : { answer: job },
  );
  const job = 'answer' in result ? result.answer : result.committed;
  if (job !== undefined && (job.status.type === 'queued' || job.status.type === 'running'))
    await sendTurn(world, job);
}
