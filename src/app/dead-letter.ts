import { type Batch, evolveBatch } from '../core/batch.ts';
import type { DeadLetter } from '../core/dead-letter.ts';
import { evolve } from '../core/evolve.ts';
import { isEnded, type Job } from '../core/job.ts';
import { type QueueMessage, readQueueMessage } from '../core/queue-message.ts';
import { apiCommit, batchHeads, jobHeads, type Wish } from './api-commit.ts';
import type { World } from './world.ts';

/**
 * Keeps a message that the queue gave up, and makes its job or batch due. It never fails a job: an unleased job whose
 * next message waits looks dead and is healthy; the job's own attempts counter ends one that cannot go on.
 */
export async function takeDeadLetter(world: World, id: string, body: string): Promise<void> {
  const read = readQueueMessage(body);
  const reason =
    read.type === 'unreadable'
      ? read.reason
      : read.type === 'newer'
        ? `version ${read.version}`
        : 'received too often';
  const message = read.type === 'message' ? read.message : undefined;
  const letter: DeadLetter = {
    ...{ id, tenant: await ownerOf(world, message), body, reason },
    ...{ atMs: world.clock.now(), redrivenAtMs: 0 },
  };
  await world.store.putDeadLetter(letter);
  world.log('error', 'a message became a dead letter', { id, reason });
  if (message === undefined) return;
  if ('jobId' in message) await makeJobDue(world, id, message.jobId, message.turn);
  // A notice stands in the due index by itself.
  if ('batchId' in message) await makeBatchDue(world, id, message.batchId, message.turn);
}

/** Whose job or batch a message names; empty when it names none that is there. */
async function ownerOf(world: World, message: QueueMessage | undefined): Promise<string> {
  if (message === undefined) return '';
  const id = 'noteOf' in message ? message.noteOf : 'jobId' in message ? message.jobId : message.batchId;
  const head = id.startsWith('batch_') ? await world.store.loadBatch(id) : await world.store.loadJob(id);
  return head?.tenant ?? '';
}

/** The message of the turn that stands is gone; or the one whose handling raised the turn, before it sent that one. */
function misses(
  head: { readonly turn: number; readonly from: string },
  claimed: boolean,
  id: string,
  turn: number,
): boolean {
  return head.turn === turn || (head.from === id && !claimed);
}

async function makeJobDue(world: World, id: string, jobId: string, turn: number): Promise<void> {
  await apiCommit(world, jobHeads(world), jobId, (job): Wish<Job, 'nothing'> => {
    if (job === undefined || isEnded(job) || !misses(job, job.claimed, id, turn))
      return { answer: 'nothing' };
    if (job.status.type === 'awaiting_approval') return { answer: 'nothing' };
    const nowMs = world.clock.now();
    const dueAtMs = job.status.type === 'running' ? Math.max(nowMs, job.status.lease.untilMs) : nowMs;
    return { change: evolve(job, { type: 'due_moved', nowMs, dueAtMs }) };
  });
}

async function makeBatchDue(world: World, id: string, batchId: string, turn: number): Promise<void> {
  await apiCommit(world, batchHeads(world), batchId, (batch): Wish<Batch, 'nothing'> => {
    if (batch === undefined || batch.dueAtMs === 0 || !misses(batch, false, id, turn)) {
      return { answer: 'nothing' };
    }
    const nowMs = world.clock.now();
    return { change: evolveBatch(batch, { type: 'due_moved', nowMs, dueAtMs: nowMs }) };
  });
}
