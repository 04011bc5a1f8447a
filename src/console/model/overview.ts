import type { Approval } from '../../client.ts';
import { count, countOf, usd } from './figures.ts';
import type { JobRow } from './job-row.ts';
import { type Uncounted, uncountedText } from './uncounted.ts';

/** The costs by day, newest first, and what is in no sum yet. */
interface Days {
  readonly items: readonly { readonly key: string; readonly spentUsd: number }[];
  readonly uncounted?: Uncounted | undefined;
}

export interface Overview {
  readonly headline: string;
  /** Jobs that are on their way, of the newest. */
  readonly live: number;
  readonly doing: string;
  readonly waiting: string;
  /** Of the jobs looked at. */
  readonly spentUsd: number;
  readonly spent: string;
  /** Newest first. */
  readonly endedBadly: readonly JobRow[];
}

/** The four questions of whoever looks in, answered from the newest jobs, the approvals and the days. */
export function overviewOf(
  jobs: readonly JobRow[],
  approvals: readonly Approval[],
  days: Days | undefined,
): Overview {
  const many = (status: JobRow['status']): number => jobs.filter((job) => job.status === status).length;
  const [running, queued] = [many('running'), many('queued')];
  const endedBadly = jobs.filter(({ status }) => status === 'stopped' || status === 'failed');
  const today = days?.items[0];
  const counted =
    today === undefined ? '' : `; ${usd(today.spentUsd)} by all that ended ${today.key} and are counted`;
  const uncounted = days?.uncounted === undefined ? '' : `; ${uncountedText(days.uncounted)}`;
  return {
    headline: headline(running + queued, approvals.length, endedBadly.length, jobs.length),
    live: running + queued,
    doing: `${count(running)} running, ${count(queued)} queued`,
    waiting:
      approvals.length === 0
        ? 'nothing waits'
        : countOf(approvals.length, 'approval waits', 'approvals wait'),
    spentUsd: jobs.reduce((sum, { cost }) => sum + cost.spentUsd, 0),
    spent: `by the newest ${countOf(jobs.length, 'job')}${counted}${uncounted}`,
    endedBadly,
  };
}

function headline(live: number, waiting: number, badly: number, jobs: number): string {
  if (jobs === 0) return 'There are no jobs yet';
  const parts = [
    live === 0 ? 'Nothing is under way' : `${countOf(live, 'job')} under way`,
    ...(waiting > 0 ? [`${count(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for you`] : []),
    ...(badly > 0 ? [`${count(badly)} stopped or failed`] : []),
  ];
  return parts.join(', ');
}
