import type { Job, JobStatus, StopReason } from '../../client.ts';
import { usd } from '../../tickets/summary.ts';
import { exitCode } from '../exit-codes.ts';
import type { Asking } from './asking.ts';
import { bar, shareOf } from './bars.ts';
import { type FitColumn, fitTable } from './fit-table.ts';
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
  const pages = pagesOf((page) => client.jobs({ ...filter, ...page }), options);
  await printList(asking, pages, {
    table: (sample) => fitTable(columnsAt(asking.clock.now()), sample, asking.terminal),
    none: 'No jobs.',
  });
  return exitCode.done;
}

const columnsAt = (nowMs: number): readonly FitColumn<Job>[] => [
  { title: 'job', cell: ({ id }) => id },
  { title: 'ticket', most: 16, least: 6, spare: 4, cell: ticketOf },
  { title: 'agent', most: 16, least: 6, spare: 2, cell: ({ agent }) => visible(agent) },
  { title: 'status', most: 28, least: 9, cell: statusText, tone: ({ status }) => toneOf(status) },
  { title: 'steps', spare: 1, right: true, cell: ({ steps }) => String(steps) },
  { title: 'spent', right: true, cell: ({ cost }) => usd(cost.spentUsd) },
  {
    title: 'of',
    spare: 3,
    cell: ({ cost }) => `${bar(shareOf(cost.spentUsd, cost.ceilingUsd), 4)} ${roundUsd(cost.ceilingUsd)}`,
  },
  { title: 'age', right: true, cell: ({ createdAt }) => span(nowMs - Date.parse(createdAt)) },
];
