import { setTimeout as sleep } from 'node:timers/promises';
import type { Batch } from '../../src/client.ts';
import { DEV_PLACES, MAX_RECORDS } from '../../src/local/places.ts';
import { type Stage, seconds, until } from './stage.ts';

/** Places that long steps leave: two are shared by all rows of a batch, and by whoever comes. */
const LEFT = 2;
const TRIES = 3;
/** What a person may wait for a job to start. */
const START_MS = 2_000;
const LOOK_MS = 10;
/** Long steps have ended by then, and the places are never all busy again. */
const PATIENCE_MS = 60_000;

/** A job that somebody waits for, among rows that wait and places that are taken. */
export interface Interactive {
  /** Of every try. */
  readonly ids: readonly string[];
  /** From the request to the first sign of a worker, in milliseconds. */
  readonly startMs: number;
  /** What stood in its way when it was submitted. */
  readonly longSteps: number;
  readonly rowsRunning: number;
  readonly rowsAdmissible: number;
}

/**
 * Takes places with steps that last longer than the run needs. Each job is submitted only when a worker has begun the one
 * before, so that no two are in one invocation. Gives their ids.
 */
export async function takePlaces({ client, tell }: Stage): Promise<readonly string[]> {
  const beganMs = performance.now();
  const ids: string[] = [];
  while (ids.length < DEV_PLACES - LEFT) {
    const { id } = await client.submit({ agent: 'long-step', input: 'a hard case' });
    ids.push(id);
    while ((await client.job(id)).status === 'queued') await sleep(LOOK_MS);
  }
  tell(`${ids.length} places taken by long steps in ${seconds(performance.now() - beganMs)}`);
  return ids;
}

/** Submits a job while all places are busy and rows wait for theirs: the best of three tries, because the machine is shared. */
export async function interactive(stage: Stage, batchId: string, longSteps: number): Promise<Interactive> {
  // Every running row is in an invocation of its own or of ten: so many cannot be in fewer places.
  const full = ({ counts }: Batch): boolean =>
    longSteps + Math.ceil(counts.running / MAX_RECORDS) >= DEV_PLACES;
  const ids: string[] = [];
  let best: Interactive | undefined;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const lateMs = performance.now() + PATIENCE_MS;
    const late = (): boolean => performance.now() > lateMs;
    const batch = await until(stage, batchId, (seen) => full(seen) || late(), LOOK_MS);
    if (!full(batch)) throw new Error(`never all places are busy: ${JSON.stringify(batch.counts)}`);
    const { id, startMs } = await start(stage);
    ids.push(id);
    const { running: rowsRunning, queued: rowsAdmissible } = batch.counts;
    const found = { ids, startMs, longSteps, rowsRunning, rowsAdmissible };
    if (best === undefined || found.startMs < best.startMs) best = found;
    if (startMs <= START_MS) return found;
    stage.tell(`a single job started after ${seconds(startMs)}`);
  }
  if (best === undefined) throw new Error('no job was submitted');
  stage.problems.push(`a job that somebody waits for started only after ${seconds(best.startMs)}`);
  return best;
}

async function start({ client }: Stage): Promise<{ readonly id: string; readonly startMs: number }> {
  const beganMs = performance.now();
  const { id } = await client.submit({ agent: 'one-step', input: 'a person waits' });
  while ((await client.job(id)).status === 'queued') await sleep(LOOK_MS);
  return { id, startMs: performance.now() - beganMs };
}
