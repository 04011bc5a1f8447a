import { signal } from '@preact/signals';
import { type Ahead, aheadAfter, correctionMs, type Heard } from './model/server-clock.ts';

/**
 * The time of the server, a second at a time while the page is seen: for ages and countdowns. By a browser's own clock,
 * which may be wrong, a call that waits could seem decided too late, or have a day that it does not have.
 */
export const now = signal(Date.now());

let ahead: Ahead | undefined;

const tell = (): void => {
  now.value = Date.now() + correctionMs(ahead);
};

/** Learns from an answer what time it is there. */
export function hearTime(heard: Heard): void {
  const before = correctionMs(ahead);
  ahead = aheadAfter(ahead, heard);
  if (correctionMs(ahead) !== before) tell();
}

export function startClock(isSeen: () => boolean): void {
  setInterval(() => {
    if (isSeen()) tell();
  }, 1_000);
}
