import type { Batch } from '../core/batch.ts';
import { restOfDelay } from '../core/decide.ts';
import type { Job } from '../core/job.ts';
import type { Note } from '../core/note.ts';
import { isStopped } from './control.ts';
import { describe } from './describe.ts';
import type { World } from './world.ts';

/** Sends the current turn of a job; nothing when its wait is longer than a message can be delayed, or under a stop. */
export async function sendTurn(
  world: World,
  job: Job,
  delaySeconds = restOfDelay(job.notBeforeMs, world.clock.now()),
): Promise<void> {
  if (delaySeconds === undefined || (await isStopped(world, job.tenant))) return;
  await world.queue.send({ v: 1, jobId: job.id, turn: job.turn }, { delaySeconds, group: job.tenant });
}

/** Sends the current turn of a batch, in the same way. */
export async function sendBatchTurn(
  world: World,
  batch: Batch,
  delaySeconds = restOfDelay(batch.notBeforeMs, world.clock.now()),
): Promise<void> {
  if (delaySeconds === undefined || (await isStopped(world, batch.tenant))) return;
  await world.queue.send(
    { v: 1, batchId: batch.id, turn: batch.turn },
    { delaySeconds, group: batch.tenant },
  );
}

/**
 * For whoever changed a head and must say that it is changed, whether or not a message about it could be sent: what was
 * not sent stands in the due index, and the reconciler sends it.
 */
export async function sentOrDue(world: World, sending: Promise<void>): Promise<void> {
  try {
    await sending;
  } catch (error) {
    world.log('warn', 'a message could not be sent yet', describe(error));
  }
}

/** Sends the message of a notice; nothing when it waits for longer than a message can be delayed. */
export async function sendNotice(world: World, note: Note): Promise<void> {
  const delaySeconds = restOfDelay(note.notBeforeMs, world.clock.now());
  if (delaySeconds === undefined) return;
  await world.queue.send({ v: 1, noteOf: note.of, note: note.key }, { delaySeconds, group: note.tenant });
}
