import type { Job } from '../../client.ts';
import { isLive } from './actions.ts';
import { span } from './figures.ts';
import type { Timeline } from './timeline.ts';

/** A wait after the last step: a call that nobody decided, or a job that lay stopped. */
const LEAST_WAIT_MS = 1_000;

interface Took {
  readonly name: 'Age' | 'Took';
  readonly ms: number;
  readonly more: string;
}

/**
 * How long a job took: from when it was made until it ended, without the waits for a person, for a model or for whoever
 * extended it. An open one has an age instead.
 */
export function tookOf(
  job: Pick<Job, 'status' | 'limits' | 'createdAt' | 'finishedAt'>,
  { rows, waitedMs, endMs }: Timeline,
  nowMs: number,
): Took {
  const most = `${span(job.limits.timeoutSeconds * 1_000)} at most`;
  const madeMs = Date.parse(job.createdAt);
  if (isLive(job) || job.finishedAt === null) {
    return { name: 'Age', ms: nowMs - madeMs, more: `${most}, waits for a person aside` };
  }
  const finishedMs = Date.parse(job.finishedAt);
  const tailMs = rows.length === 0 ? 0 : finishedMs - endMs;
  const waited = waitedMs + (tailMs > LEAST_WAIT_MS ? tailMs : 0);
  return {
    ...{ name: 'Took', ms: Math.max(0, finishedMs - madeMs - waited) },
    more: waited > 0 ? `${span(waited)} of waits aside; ${most}` : most,
  };
}
