import type { Job } from '../core/job.ts';
import type { Attempt } from './attempt.ts';
import { OVER } from './delivery.ts';
import type { World } from './world.ts';

/** How often the head is looked at while something runs long; what is over sooner costs no read. */
const LOOK_MS = 2_000;

/** Tells work under way that it is to stop. A promise, because a reply may have more calls than a signal has listeners. */
export interface Halt {
  readonly isOn: () => boolean;
  /** Resolves when it comes; most often it never does. */
  readonly comes: Promise<void>;
}

type Holder = Pick<Attempt, 'owner' | 'delivery'>;

/**
 * Does work that may run long, and looks at the job's head meanwhile: `halt` comes once a cancel is asked for or another
 * attempt owns the step. The work ends in its own way; `halted` tells that nothing more may be begun.
 */
export async function watching<T>(
  world: World,
  job: Job,
  holder: Holder,
  work: (halt: Halt) => Promise<T>,
): Promise<{ readonly result: T; readonly halted: boolean }> {
  const over = new AbortController();
  let halted = false;
  const comes = new Promise<void>((resolve) => {
    void lookOut(world, job.id, holder, over.signal).then((taken) => {
      if (!taken || over.signal.aborted) return;
      halted = true;
      resolve();
    });
  });
  try {
    const result = await work({ isOn: () => halted, comes });
    return { result, halted };
  } finally {
    over.abort(OVER);
  }
}

/** Ends with the invocation at the latest: what was killed looks at nothing. */
async function lookOut(
  world: World,
  jobId: string,
  { owner, delivery }: Holder,
  over: AbortSignal,
): Promise<boolean> {
  while (world.clock.now() + LOOK_MS < delivery.deadlineMs) {
    await world.clock.sleep(LOOK_MS, over);
    if (over.aborted) return false;
    if (await isTaken(world, jobId, owner)) return true;
  }
  return false;
}

/** Work that took this long is followed by a look, in milliseconds: a read costs less than a request that nobody wants any more. */
const LONG_MS = 500;

/** Whether a person or another attempt took the step while something ran that began then; what was over soon costs no read. */
export async function takenSince(
  world: World,
  jobId: string,
  { owner }: Pick<Holder, 'owner'>,
  begunMs: number,
): Promise<boolean> {
  return world.clock.now() - begunMs >= LONG_MS && isTaken(world, jobId, owner);
}

/** A look that fails says nothing: the next one may, and the commit decides in any case. */
async function isTaken(world: World, jobId: string, owner: string): Promise<boolean> {
  try {
    const job = await world.store.loadJob(jobId);
    if (job === undefined) return false;
    return job.cancelRequested || job.status.type !== 'running' || job.status.lease.owner !== owner;
  } catch {
    return false;
  }
}
