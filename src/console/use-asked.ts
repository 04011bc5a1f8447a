import { api, tenant } from './api.ts';
import { usePoll } from './poll.ts';

const ONCE_MS = 3_600_000;
/** Inputs that are kept: as many as the inbox shows, and some more. */
const MOST = 100;

/** What was read is there at once where it is shown again: a dialog must not grow under somebody's pointer. */
const known = new Map<string, string>();

/** What was asked for, in the words of whoever asked. Read once: it does not change. */
export function useAsked(jobId: string): string {
  const key = `${tenant.value}:${jobId}`;
  const { data } = usePoll(`ticket ${jobId}`, () => api().job(jobId), ONCE_MS);
  if (data !== undefined && !known.has(key)) {
    const [oldest] = known.keys();
    if (known.size >= MOST && oldest !== undefined) known.delete(oldest);
    known.set(key, data.input);
  }
  return data?.input ?? known.get(key) ?? '';
}
