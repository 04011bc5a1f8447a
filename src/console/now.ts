import { signal } from '@preact/signals';

/** The time, a second at a time while the page is seen: for ages and countdowns. */
export const now = signal(Date.now());

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, 1_000);
}
