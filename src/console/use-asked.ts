import { api } from './api.ts';
import { usePoll } from './poll.ts';

const ONCE_MS = 3_600_000;

/** What was asked for, in the words of whoever asked. Read once: it does not change. */
export function useAsked(jobId: string): string {
  return usePoll(`ticket ${jobId}`, () => api().job(jobId), ONCE_MS).data?.input ?? '';
}
