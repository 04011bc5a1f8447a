import { useEffect, useRef, useState } from 'preact/hooks';
import { isFinal, tenant, whyNot } from './api.ts';

export interface Polled<T> {
  /** What was last read; kept while the server is silent. */
  readonly data: T | undefined;
  /** Why the server refuses, such as that there is no such job. */
  readonly refused: string | undefined;
  /** Reads again now, after a change of one's own. */
  readonly refresh: () => void;
}

export const EVERY_MS = 2_000;
const MOST_MS = 30_000;

interface Heard<T> {
  readonly key: string;
  readonly data?: T;
  readonly refused?: string | undefined;
}

/**
 * Reads something again and again while the page is seen: at once, then every two seconds, less and less often while the
 * server does not answer. Another key, or another tenant, begins anew.
 */
export function usePoll<T>(name: string, read: () => Promise<T>, everyMs = EVERY_MS): Polled<T> {
  const key = `${tenant.value}:${name}`;
  const [heard, hear] = useState<Heard<T>>({ key });
  const reader = useRef(read);
  reader.current = read;
  const again = useRef<() => void>(() => undefined);
  useEffect(() => {
    const loop = startLoop(
      () => reader.current(),
      (found) => hear((last) => ({ ...(last.key === key ? last : {}), key, ...found })),
      everyMs,
    );
    again.current = loop.again;
    return loop.stop;
  }, [key, everyMs]);
  const current = heard.key === key ? heard : { key };
  return { data: current.data, refused: current.refused, refresh: () => again.current() };
}

type Found<T> = { readonly data: T; readonly refused: undefined } | { readonly refused: string };

function startLoop<T>(
  read: () => Promise<T>,
  hear: (found: Found<T>) => void,
  everyMs: number,
): { readonly again: () => void; readonly stop: () => void } {
  let stopped = false;
  let timer = 0;
  let failures = 0;
  let reading = false;
  let wanted = false;
  const round = async (): Promise<void> => {
    clearTimeout(timer);
    if (stopped || document.hidden) return;
    if (reading) {
      wanted = true;
      return;
    }
    reading = true;
    try {
      const data = await read();
      failures = 0;
      if (!stopped) hear({ data, refused: undefined });
    } catch (error) {
      failures += 1;
      if (!stopped && isFinal(error)) hear({ refused: whyNot(error) });
    }
    reading = false;
    if (stopped) return;
    const delay = wanted ? 0 : Math.min(Math.max(MOST_MS, everyMs), everyMs * 2 ** Math.min(failures, 6));
    wanted = false;
    timer = window.setTimeout(round, delay);
  };
  const onShow = (): void => void round();
  document.addEventListener('visibilitychange', onShow);
  void round();
  return {
    again: onShow,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onShow);
    },
  };
}
