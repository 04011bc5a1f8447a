import { RetryableError } from '../core/errors.ts';
import { isEnded, type Job } from '../core/job.ts';
import type { World } from './world.ts';

/** Tries of one commit: each meets another API write or a lost answer in between. */
const MAX_TRIES = 8;

/**
 * Commits one event of the attempt `owner` on a job's head, the only place where a step becomes true.
 *
 * The mark `by = owner.event` is drawn once per event, not per try: a put that timed out may land later, and evolving
 * again would settle twice. A refused or unanswered commit is our own only if the mark read back is ours, because two
 * workers that claim together compute the same version and fence. Returns the head as it stands after the commit, or
 * undefined when another attempt owns the step: then nothing more may be written.
 */
export async function commit(
  world: World,
  job: Job,
  owner: string,
  name: string,
  change: (job: Job) => Job,
): Promise<Job | undefined> {
  const by = `${owner}.${name}`;
  let from = job;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const next = { ...change(from), by };
    const result = await tryCommit(world, next);
    if (result === 'committed') return next;
    const stored = await world.store.loadJob(job.id);
    if (stored === undefined) return undefined;
    if (stored.by === by) return stored;
    if (result === 'refused' && !holds(stored, owner)) return undefined;
    if (result === 'refused' || stored.version !== from.version) {
      if (!holds(stored, owner)) return undefined;
      from = stored;
    } else {
      await world.clock.sleep(50 * 2 ** tries);
    }
  }
  throw new RetryableError('commit_unanswered', `job ${job.id}: the ${name} commit got no answer`);
}

async function tryCommit(world: World, next: Job): Promise<'committed' | 'refused' | 'unanswered'> {
  try {
    return await world.store.commitJob(next);
  } catch (error) {
    if (error instanceof RetryableError) return 'unanswered';
    throw error;
  }
}

function holds(job: Job, owner: string): boolean {
  return !isEnded(job) && job.status.type === 'running' && job.status.lease.owner === owner;
}
