import { reconcile } from '../../src/app/reconcile.ts';
import type { QueuedMessage } from '../../src/testing/memory-queue.ts';
import { deliver } from './drive.ts';
import type { TestWorld } from './world.ts';

export interface OldQueue {
  /** The age at which every message is delivered, in milliseconds. */
  readonly oldMs: number;
  /** Decides which three of ten are delivered once more, up to `oldMs` later. */
  readonly random: () => number;
  /** Deliveries after which to give up. */
  readonly most: number;
}

/** Delivers what is in the queue, and all that follows, until none is left; reconciles every minute. Counts deliveries. */
export async function handleAllOld(world: TestWorld, { oldMs, random, most }: OldQueue): Promise<number> {
  const planned: { readonly atMs: number; readonly message: QueuedMessage }[] = [];
  const known = new Set<string>();
  let minuteMs = world.clock.now() + 60_000;
  for (let handled = 0; handled < most; ) {
    for (const message of world.queue.messages().filter(({ id }) => !known.has(id))) {
      known.add(message.id);
      const atMs = message.sentMs + oldMs;
      planned.push({ atMs, message });
      if (random() < 0.3) planned.push({ atMs: atMs + Math.floor(random() * oldMs), message });
    }
    planned.sort((a, b) => a.atMs - b.atMs);
    const [next] = planned;
    if (next === undefined) return handled;
    await world.clock.advance(Math.max(0, Math.min(minuteMs, next.atMs) - world.clock.now()));
    if (next.atMs > minuteMs) {
      await reconcile(world);
      minuteMs += 60_000;
    } else {
      planned.shift();
      await deliver(world, next.message);
      handled += 1;
    }
  }
  return most;
}
