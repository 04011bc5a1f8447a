import { RetryableError } from '../core/errors.ts';

/** A fixed number of places; whoever finds none free waits in line. */
export interface Slots {
  readonly take: () => Promise<void>;
  readonly give: () => void;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    take: () => {
      if (free === 0) return new Promise((resolve) => waiting.push(resolve));
      free -= 1;
      return Promise.resolve();
    },
    give: () => {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}

/** Puts an end to the waiting for work that cannot itself be ended. */
export interface Limiter {
  /** The work's own outcome, or a `function_timeout` after `ms`. What the work does later has no effect. */
  readonly limit: <T>(work: Promise<T>, ms: number) => Promise<T>;
  /** Gives up on everything that is being waited for. */
  readonly giveUp: () => void;
}

export function createLimiter(): Limiter {
  const open = new Set<() => void>();
  return {
    limit: <T>(work: Promise<T>, ms: number) =>
      new Promise<T>((resolve, reject) => {
        const expire = () => {
          close();
          reject(
            new RetryableError('function_timeout', `the invocation was given up, its limit is ${ms} ms`),
          );
        };
        const timer = setTimeout(expire, ms);
        const close = () => {
          clearTimeout(timer);
          open.delete(expire);
        };
        open.add(expire);
        work.then(resolve, reject).finally(close);
      }),
    giveUp: () => {
      for (const expire of open) expire();
    },
  };
}
