import type { Job, JobStatus, StopReason } from '../../client.ts';
import { needOf } from '../../tickets/need.ts';
import { usd } from '../../tickets/summary.ts';
import { exitCode } from '../exit-codes.ts';
import type { Asking } from './asking.ts';
import { bar, shareOf } from './bars.ts';
import { type FitColumn, fitTable } from './fit-table.ts';
import { sayIfStopped } from './kill-switch.ts';
import { pagesOf, type Wanted } from './pages.ts';
import { printList } from './print-list.ts';
import { roundUsd, span, statusText, ticketOf, toneOf, visible } from './shown.ts';

export interface JobsOptions extends Wanted {
  readonly status?: JobStatus;
  readonly stop?: StopReason;
  readonly agent?: string;
  readonly batch?: string;
}

/** The jobs of a deployment, newest first. */
export async function listJobs(asking: Asking, options: JobsOptions): Promise<number> {
  const { client } = asking;
  const { limit: _, cursor: __, all: ___, ...filter } = options;
  let open = false;
  const pages = pagesOf(async (page) => {
    const answer = await client.jobs({ ...filter, ...page });
    open ||= answer.items.some(({ status }) => status === 'queued' || status === 'running');
    return answer;
  }, options);
  await printList(asking, pages, {
    table: (sample) => fitTable(columnsAt(asking.clock.now()), sample, asking.terminal),
    none: 'No jobs.',
  });
  if (open && !asking.json) await sayIfStopped(asking);
  return exitCode.done;
}

/** How a job stands, and whether its answer is one to check: in the sense of the table of `triage` and of its report. */
const standText = (job: Job): string => `${statusText(job)}${needOf(job) === 'review' ? ', to check' : ''}`;

const columnsAt = (nowMs: number): readonly FitColumn<Job>[] => [
  { title: 'job', cell: ({ id }) => id },
  { title: 'ticket', most: 16, least: 6, spare: 1, cell: ticketOf },
  { title: 'agent', most: 16, least: 6, spare: 2, cell: ({ agent }) => visible(agent) },
  { title: 'status', folds: true, cell: standText, tone: ({ status }) => toneOf(status) },
  { title: 'steps', spare: 5, right: true, cell: ({ steps }) => String(steps) },
  { title: 'spent', right: true, cell: ({ cost }) => usd(cost.spentUsd) },
  { title: '', bar: true, cell: ({ cost }) => bar(shareOf(cost.spentUsd, cost.ceilingUsd), 4) },
  { title: 'of', spare: 4, right: true, cell: ({ cost }) => roundUsd(cost.ceilingUsd) },
  { title: 'age', spare: 3, right: true, cell: ({ createdAt }) => span(nowMs - Date.parse(createdAt)) },
];
