import { createHash, randomBytes } from 'node:crypto';
import type { Clock, Ids } from '../ports.ts';

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const over = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', over);
        resolve();
      };
      const timer = setTimeout(over, Math.min(ms, 2_147_483_647));
      signal?.addEventListener('abort', over, { once: true });
    }),
};

export const systemIds: Ids = {
  token: () => randomBytes(12).toString('base64url'),
  hash: (text) => createHash('sha256').update(text).digest('base64url').slice(0, 22),
  random: () => Math.random(),
};

/** Structured lines on stderr, one each; where stdout is the result, logs must not be in it. */
export function logLine(level: string, message: string, fields: Readonly<Record<string, unknown>>): void {
  process.stderr.write(`${JSON.stringify({ level, message, ...fields })}\n`);
}
