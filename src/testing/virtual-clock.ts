import type { Clock } from '../ports.ts';

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** A clock that stands still until it is moved. `advance` wakes sleepers in the order of their times. */
export function createVirtualClock(startMs = 1_800_000_000_000): Clock & {
  readonly advance: (ms: number) => Promise<void>;
  /** The earliest time that somebody sleeps for; undefined when nobody does. */
  readonly nextWakeMs: () => number | undefined;
} {
  let nowMs = startMs;
  const sleepers = new Set<Sleeper>();
  const earliest = (): Sleeper | undefined =>
    [...sleepers].reduce<Sleeper | undefined>(
      (a, b) => (a === undefined || b.atMs < a.atMs ? b : a),
      undefined,
    );
  return {
    now: () => nowMs,
    nextWakeMs: () => earliest()?.atMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper: Sleeper = {
          atMs: nowMs + ms,
          wake: () => {
            sleepers.delete(sleeper);
            signal?.removeEventListener('abort', sleeper.wake);
            resolve();
          },
        };
        if (signal?.aborted === true) return resolve();
        sleepers.add(sleeper);
        signal?.addEventListener('abort', sleeper.wake, { once: true });
      }),
    advance: async (ms) => {
      const untilMs = nowMs + ms;
      for (let next = earliest(); next !== undefined && next.atMs <= untilMs; next = earliest()) {
        nowMs = Math.max(nowMs, next.atMs);
        next.wake();
        await new Promise((resolve) => setImmediate(resolve));
      }
      nowMs = untilMs;
    },
  };
}
