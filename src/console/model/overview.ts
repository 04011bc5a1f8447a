import type { Approval, Health } from '../../client.ts';
import { count, countOf } from './figures.ts';
import type { JobRow } from './job-row.ts';

export interface Overview {
  readonly headline: string;
  /** Jobs that are on their way, of the newest. */
  readonly live: number;
  readonly running: number;
  readonly doing: string;
  /** Answers that somebody should look at. */
  readonly toCheck: number;
  /** Newest first. */
  readonly endedBadly: readonly JobRow[];
  /** The others, newest first: each job is listed once. */
  readonly others: readonly JobRow[];
}

/** What whoever looks in asks first, answered from the newest jobs and the approvals. */
export function overviewOf(
  jobs: readonly JobRow[],
  approvals: readonly Approval[],
  health?: Health | undefined,
): Overview {
  const many = (status: JobRow['status']): number => jobs.filter((job) => job.status === status).length;
  const [running, queued] = [many('running'), many('queued')];
  const endedBadly = jobs.filter(({ status }) => status === 'stopped' || status === 'failed');
  const toCheck = jobs.filter((job) => job.toCheck).length;
  return {
    headline: headline({
      ...{ stopped: health?.stopped === true, live: running + queued, waiting: approvals.length },
      ...{ toCheck, badly: endedBadly.length, jobs: jobs.length },
    }),
    live: running + queued,
    running,
    doing:
      health?.stopped === true && running + queued > 0
        ? 'held by the kill switch until it is lifted'
        : `${count(running)} running, ${count(queued)} queued`,
    toCheck,
    others: jobs.filter((job) => !endedBadly.includes(job)),
    endedBadly,
  };
}

interface Counts {
  readonly stopped: boolean;
  readonly live: number;
  readonly waiting: number;
  readonly toCheck: number;
  readonly badly: number;
  readonly jobs: number;
}

function headline({ stopped, live, waiting, toCheck, badly, jobs }: Counts): string {
  if (jobs === 0) return stopped ? 'Everything is stopped' : 'There are no jobs yet';
  const doing = live === 0 ? 'Nothing is under way' : `${countOf(live, 'job')} under way`;
  const parts = [
    stopped ? `Everything is stopped${live === 0 ? '' : `, ${countOf(live, 'job')} held`}` : doing,
    ...(waiting > 0 ? [`${count(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for you`] : []),
    ...(toCheck > 0 ? [`${count(toCheck)} to check`] : []),
    ...(badly > 0 ? [`${count(badly)} stopped or failed`] : []),
  ];
  return parts.join(', ');
}
