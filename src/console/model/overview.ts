import type { Approval, Health } from '../../client.ts';
import { count, countOf } from './figures.ts';
import type { JobRow } from './job-row.ts';

export interface Overview {
  readonly headline: string;
  /** Jobs that are on their way, of the newest. */
  readonly live: number;
  readonly doing: string;
  readonly waiting: string;
  /** Newest first. */
  readonly endedBadly: readonly JobRow[];
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
  return {
    headline: headline(
      health?.stopped === true,
      running + queued,
      approvals.length,
      endedBadly.length,
      jobs.length,
    ),
    live: running + queued,
    doing:
      health?.stopped === true && running + queued > 0
        ? 'held by the kill switch until it is lifted'
        : `${count(running)} running, ${count(queued)} queued`,
    waiting:
      approvals.length === 0
        ? 'nothing waits'
        : countOf(approvals.length, 'approval waits', 'approvals wait'),
    endedBadly,
  };
}

function headline(stopped: boolean, live: number, waiting: number, badly: number, jobs: number): string {
  if (jobs === 0) return stopped ? 'Everything is stopped' : 'There are no jobs yet';
  const doing = live === 0 ? 'Nothing is under way' : `${countOf(live, 'job')} under way`;
  const parts = [
    stopped ? `Everything is stopped${live === 0 ? '' : `, ${countOf(live, 'job')} held`}` : doing,
    ...(waiting > 0 ? [`${count(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for you`] : []),
    ...(badly > 0 ? [`${count(badly)} stopped or failed`] : []),
  ];
  return parts.join(', ');
}
