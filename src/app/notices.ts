import type { Batch } from '../core/batch.ts';
import type { Job } from '../core/job.ts';
import type { Note } from '../core/note.ts';
import { noteOfBatch, noteOfJob } from '../core/note-of.ts';
import { describe } from './describe.ts';
import { sendNotice } from './send.ts';
import type { World } from './world.ts';

const hasEvents = (world: World): boolean => world.notifier.events !== undefined;

/** Whether anybody is told how this job goes. */
export function isJobTold(world: World, job: Pick<Job, 'webhook'>): boolean {
  return job.webhook || hasEvents(world);
}

/** Whether anybody is told how this batch ends. */
export function isBatchTold(world: World, batch: Pick<Batch, 'webhook'>): boolean {
  return batch.webhook !== '' || hasEvents(world);
}

/**
 * Writes down that others are to be told of a job that has ended or waits for a person, and sends the message that tells
 * them. Nothing where nobody is told, or where it stands already: may be asked for by everybody who sees the job so.
 *
 * It must have succeeded before the end is forgotten: before the reconciler takes an ended job out of the due index, and
 * before anything makes an ended job go on.
 */
export async function noteJob(world: World, job: Job): Promise<void> {
  const note = noteOfJob(job, hasEvents(world), world.clock.now());
  if (note !== undefined) await make(world, note);
}

/** The same for a batch that has ended. */
export async function noteBatch(world: World, batch: Batch): Promise<void> {
  const note = noteOfBatch(batch, hasEvents(world), world.clock.now());
  if (note !== undefined) await make(world, note);
}

/** Right after the commit: what fails here is not lost, the reconciler looks at the job or batch once more. */
export async function noteNow(world: World, noted: Promise<void>): Promise<void> {
  try {
    await noted;
  } catch (error) {
    world.log('warn', 'a notice could not be written down yet', describe(error));
  }
}

async function make(world: World, note: Note): Promise<void> {
  if ((await world.store.putNote(note)) === 'exists') return;
  try {
    await sendNotice(world, note);
  } catch (error) {
    // It stands in the due index: the reconciler sends it.
    world.log('warn', 'the message of a notice could not be sent yet', { of: note.of, ...describe(error) });
  }
}
