import type { TestWorld } from './world.ts';

/** A process, and what kills it: from then on nothing that it began or begins ever ends. */
export interface Mortal {
  readonly world: TestWorld;
  readonly kill: () => void;
}

type Call = (...given: never[]) => Promise<unknown>;

/** The world as one process sees it that can be killed at any moment. Its clock and its tools run on; nobody hears. */
export function mortal(world: TestWorld): Mortal {
  let dead = false;
  const unlessDead = <T>(value: T): T | Promise<never> =>
    dead ? new Promise<never>(() => undefined) : value;
  const guard = <Port extends object>(port: Port, names: readonly string[]): Port => {
    const guarded = Object.entries(port)
      .filter(([name]) => names.includes(name))
      .map(([name, call]: [string, Call]) => [
        name,
        async (...given: never[]) => {
          await unlessDead(undefined);
          return unlessDead(await call(...given));
        },
      ]);
    return { ...port, ...Object.fromEntries(guarded) };
  };
  return {
    world: {
      ...world,
      store: guard(world.store, Object.keys(world.store)),
      queue: guard(world.queue, ['send', 'hide']),
      model: guard(world.model, ['ask']),
    },
    kill: () => {
      dead = true;
    },
  };
}
