import { createStore } from '../../src/app/table-store.ts';
import type { TestWorld } from './world.ts';

/** How a process dies at a write: before it, with the first half of many items put, or after it, unanswered. */
export type Death = 'before' | 'half' | 'after';
export const deaths: readonly Death[] = ['before', 'half', 'after'];

/** The world as a process sees it that dies at its `n`th write or send, from 1. `died` says whether it came to that. */
export function dyingAt(
  world: TestWorld,
  n: number,
  how: Death,
): { readonly world: TestWorld; readonly died: Promise<void>; readonly seen: () => number } {
  let count = 0;
  let tell = (): void => undefined;
  const died = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const write = async <T>(whole: () => Promise<T>, half: () => Promise<unknown> = whole): Promise<T> => {
    count += 1;
    if (count < n) return whole();
    if (count === n && how !== 'before') await (how === 'half' ? half() : whole());
    tell();
    return new Promise<never>(() => undefined);
  };
  const { table, queue } = world;
  const store = createStore(
    {
      ...table,
      put: (item, condition) => write(() => table.put(item, condition)),
      update: (key, values, condition) => write(() => table.update(key, values, condition)),
      putMany: (items) =>
        write(
          () => table.putMany(items),
          () => table.putMany(items.slice(0, Math.ceil(items.length / 2))),
        ),
    },
    { now: world.clock.now },
  );
  return {
    world: {
      ...world.restarted(),
      store,
      queue: { ...queue, send: (message, options) => write(() => queue.send(message, options)) },
    },
    died,
    seen: () => count,
  };
}

/**
 * Makes the same call in a process that dies at its first write, then in one that dies at its second, and so on, each in
 * every way and in a world of its own, until it gets through; `then` looks at what is left behind each time.
 */
export async function dieEverywhere(
  begin: () => Promise<TestWorld>,
  call: (world: TestWorld) => Promise<unknown>,
  then: (world: TestWorld, where: string) => Promise<void>,
): Promise<number> {
  for (let n = 1; n < 50; n += 1) {
    for (const how of deaths) {
      const world = await begin();
      const dying = dyingAt(world, n, how);
      const over = await Promise.race([call(dying.world).then(() => true), dying.died.then(() => false)]);
      if (over) return n - 1;
      await then(world, `${how} write ${n}`);
    }
  }
  throw new Error('the call never ends');
}
