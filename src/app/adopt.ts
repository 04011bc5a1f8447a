import { isEnded, type Job } from '../core/job.ts';
import { hashedText, type MessageItem, plainReply } from '../core/message-item.ts';
import { readReply } from '../core/read-reply.ts';
import type { Attempt } from './attempt.ts';
import { isJobTold } from './notices.ts';
import { extendTranscript } from './transcript.ts';
import type { World } from './world.ts';

/**
 * Looks for the paid reply of a dead attempt that missed its commit, and commits it. It is stamped with this attempt's
 * fence first: otherwise a worker with a fence between the two could overwrite a committed item. Undefined when there
 * is none; `lost` when another attempt owns the step.
 */
export async function adopt(world: World, job: Job, attempt: Attempt): Promise<Job | 'lost' | undefined> {
  for (let tries = 0; tries < 2; tries += 1) {
    const found = await world.store.readItem(job.id, job.count + 1);
    if (found === undefined || found.stop === '' || found.turn !== job.turn) return undefined;
    if (found.fence > job.fence) return 'lost';
    const stamped: MessageItem = { ...found, fence: job.fence };
    const put =
      found.fence === job.fence
        ? 'put'
        : await world.store.putItem(job.id, job.count + 1, stamped, {
            fence: found.fence,
            nonce: found.nonce,
          });
    if (put === 'put') return (await commitReply(world, job, attempt, stamped, true)) ?? 'lost';
  }
  return undefined;
}

/** Commits a reply whose item is durable. Undefined when another attempt owns the step. */
export async function commitReply(
  world: World,
  job: Job,
  attempt: Attempt,
  item: MessageItem,
  adopted: boolean,
): Promise<Job | undefined> {
  const { plan, delivery } = attempt;
  const reading = readReply(plan.agent, plainReply(item), item.reply === undefined ? null : item.stop);
  const hash = world.ids.hash(hashedText(plan.transcript.hash, item));
  const after = await attempt.commit(job, {
    type: 'replied',
    nowMs: world.clock.now(),
    msg: delivery.id,
    item,
    reading,
    hash,
    adopted,
    told: isJobTold(world, job),
  });
  if (after !== undefined && !isEnded(after)) world.warm.set(extendTranscript(plan.transcript, item, hash));
  return after;
}
