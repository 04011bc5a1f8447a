import { RetryableError } from '../core/errors.ts';
import type { StepResults } from '../core/evolve.ts';
import type { Job } from '../core/job.ts';
import { emptyItem, hashedText, type MessageItem } from '../core/message-item.ts';
import { addedBound } from '../core/quote.ts';
import type { Acted } from './act.ts';
import type { Attempt } from './attempt.ts';
import type { World } from './world.ts';

const MAX_TRIES = 4;

/** Puts a step's item under the attempt's fence. False when an attempt with a higher fence was first. */
export async function putOwn(world: World, job: Job, item: MessageItem): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    try {
      if ((await world.store.putItem(job.id, job.count + 1, item)) === 'put') return true;
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
    }
    const stored = await world.store.readItem(job.id, job.count + 1);
    if (stored?.fence === item.fence && stored.nonce === item.nonce) return true;
    if (stored !== undefined && stored.fence >= item.fence) return false;
    await world.clock.sleep(50 * 2 ** tries);
  }
  throw new RetryableError(
    'item_unanswered',
    `job ${job.id}: the put of item ${job.count + 1} got no answer`,
  );
}

/** What every item of a step says of the calls that were run in it. */
export function actedItem(job: Job, attempt: Attempt, acted: Acted, atMs: number): MessageItem {
  return {
    ...emptyItem(job.turn, atMs),
    fence: job.fence,
    born: job.fence,
    nonce: attempt.owner,
    attempts: job.attempts,
    tools: acted.tools,
    failedTool: acted.failedTool,
    states: acted.states,
    callMs: [...acted.callMs],
    review: acted.review,
    ...(acted.hidden === undefined ? {} : { hidden: acted.hidden }),
    ...(job.lost.length === 0 ? {} : { lost: [...job.lost] }),
    ms: [attempt.queueMs, 0, acted.toolsMs],
  };
}

/**
 * Puts the results as an item of their own, because no reply will come to read them in this step; undefined when no
 * call was run, `lost` when another attempt owns the step.
 */
export async function putResults(
  world: World,
  job: Job,
  attempt: Attempt,
  acted: Acted,
): Promise<StepResults | undefined | 'lost'> {
  if (acted.states === '') return undefined;
  const item = { ...actedItem(job, attempt, acted, world.clock.now()), user: JSON.stringify(acted.content) };
  if (!(await putOwn(world, job, item))) return 'lost';
  const hash = world.ids.hash(hashedText(attempt.plan.transcript.hash, item));
  return { item, hash, tokens: addedBound(acted.content) };
}
