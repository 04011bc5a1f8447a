import type { Delivery, Handled } from '../../src/app/delivery.ts';
import { handleRecord } from '../../src/app/handle.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import type { QueuedMessage } from '../../src/testing/memory-queue.ts';
import type { TestWorld } from './world.ts';

export const FUNCTION_MS = 120_000;
export const VISIBILITY_MS = 720_000;

export function deliveryOf(world: TestWorld, message: QueuedMessage, functionMs = FUNCTION_MS): Delivery {
  return {
    id: message.id,
    receiptHandle: message.id,
    sentMs: message.sentMs,
    startedMs: world.clock.now(),
    deadlineMs: world.clock.now() + functionMs,
  };
}

/** Handles one message as an invocation would: deleted when done, left hidden when it is to come again. */
export async function handleOne(world: TestWorld, message: QueuedMessage): Promise<void> {
  const handled = await finish(world, handleRecord(world, message.body, deliveryOf(world, message)));
  if (handled === 'done') world.queue.remove(message.id);
}

/** Handles one message while the clock stands still, so that a test can stop the work at any write. */
export async function deliver(world: TestWorld, message: QueuedMessage): Promise<Handled> {
  const handled = await handleRecord(world, message.body, deliveryOf(world, message));
  if (handled === 'done') world.queue.remove(message.id);
  return handled;
}

/** Moves the clock on minute by minute, as far as asked, reconciles and delivers what is there. */
export async function runFor(world: TestWorld, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await world.clock.advance(60_000);
    await reconcile(world);
    for (let rounds = 0; rounds < 100; rounds += 1) {
      const visible = world.queue.receive(100, VISIBILITY_MS);
      if (visible.length === 0) break;
      for (const message of visible) await deliver(world, message);
    }
  }
}

/** Waits for work that may sleep on the virtual clock, moving the clock whenever nothing happens for `patience` turns. */
export async function finish<T>(world: TestWorld, work: Promise<T>, patience = 200): Promise<T> {
  let over = false;
  const watched = work.finally(() => {
    over = true;
  });
  watched.catch(() => undefined);
  for (let quiet = 0; !over; quiet += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    const wake = world.clock.nextWakeMs();
    if (quiet > patience && wake !== undefined) {
      await world.clock.advance(wake - world.clock.now());
      quiet = 0;
    }
  }
  return watched;
}

/** Delivers messages, and moves the clock to the next one, until nothing is queued. Reconciles every minute. */
export async function runUntilIdle(
  world: TestWorld,
  options: { readonly each?: () => TestWorld; readonly maxMessages?: number } = {},
): Promise<number> {
  let handled = 0;
  for (; handled < (options.maxMessages ?? 2_000); ) {
    const next = world.queue.nextVisibleMs();
    if (next === undefined) return handled;
    if (next > world.clock.now()) {
      await world.clock.advance(next - world.clock.now());
      await reconcile(world);
    }
    for (const message of world.queue.receive(1, VISIBILITY_MS)) {
      await handleOne(options.each?.() ?? world, message);
      handled += 1;
    }
  }
  throw new Error(`still ${world.queue.messages().length} messages after ${handled}`);
}
