import type { Client } from '../../client.ts';
import { microUsd } from '../../core/job.ts';
import { usd } from '../../tickets/summary.ts';
import { exitCode } from '../exit-codes.ts';
import type { Asking } from './asking.ts';
import { bar, shareOf } from './bars.ts';
import type { costKeys } from './choices.ts';
import { type FitColumn, fitTable } from './fit-table.ts';
import { pagesOf, type Wanted, writeJson } from './pages.ts';
import { moreText } from './print-list.ts';
import { painted, visible } from './shown.ts';

export interface CostOptions extends Wanted {
  readonly by: (typeof costKeys)[number];
}

type Costs = Awaited<ReturnType<Client['costs']>>;
type CostRow = Costs['items'][number];
type Uncounted = Costs['uncounted'];

/** What ended jobs have cost: a table with bars, and the share of each in what is shown. */
export async function showCost(asking: Asking, { by, ...wanted }: CostOptions): Promise<number> {
  const { client, terminal, json } = asking;
  let uncounted: Uncounted;
  const pages = pagesOf(async (page) => {
    const answer = await client.costs(by, page);
    uncounted ??= answer.uncounted;
    return answer;
  }, wanted);
  if (json) {
    await writeJson(pages, terminal.out, () => ({ uncounted }));
    return exitCode.done;
  }
  const rows: CostRow[] = [];
  let last: string | null = null;
  for await (const { items, cursor } of pages) {
    rows.push(...items);
    last = cursor;
  }
  if (rows.length === 0)
    terminal.err('Nothing is counted yet: jobs are, some minutes after they have ended.\n');
  else terminal.out(costText(by, rows, terminal));
  if (uncounted !== undefined) terminal.err(uncountedText(uncounted));
  if (last !== null) terminal.err(moreText(last));
  return exitCode.done;
}

function uncountedText({ jobs, spentUsd }: NonNullable<Uncounted>): string {
  const which = jobs === 1 ? '1 of the newest jobs has' : `${jobs} of the newest jobs have`;
  return `${which} ended and ${jobs === 1 ? 'is' : 'are'} in no sum yet: ${usd(spentUsd)}.\n`;
}

/** Sums are made in whole micro-dollars, so that they are exact. */
function costText(by: string, rows: readonly CostRow[], terminal: Asking['terminal']): string {
  const sum = (of: (row: CostRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const spent = sum(({ spentUsd }) => microUsd(spentUsd));
  const most = Math.max(...rows.map(({ spentUsd }) => microUsd(spentUsd)));
  const share = ({ spentUsd }: CostRow): number => shareOf(microUsd(spentUsd), spent);
  const columns: readonly FitColumn<CostRow>[] = [
    { title: by, most: 40, least: 28, cell: ({ key }) => visible(key) },
    { title: 'jobs', right: true, cell: ({ jobs }) => String(jobs) },
    { title: 'steps', right: true, spare: 2, cell: ({ steps }) => String(steps) },
    { title: 'spent', right: true, cell: ({ spentUsd }) => usd(spentUsd) },
    { title: '', bar: true, cell: (row) => bar(shareOf(microUsd(row.spentUsd), most), 20) },
    { title: 'share', spare: 1, right: true, cell: (row) => `${(100 * share(row)).toFixed(1)} %` },
    { title: 'unsettled', right: true, cell: ({ unsettledUsd }) => usd(unsettledUsd) },
  ];
  const table = fitTable(columns, rows, terminal);
  const unsettled = sum(({ unsettledUsd }) => microUsd(unsettledUsd)) / 1e6;
  const some = (count: number, name: string): string => `${count} ${name}${count === 1 ? '' : 's'}`;
  const totals = `${some(
    sum(({ jobs }) => jobs),
    'job',
  )}, ${some(
    sum(({ steps }) => steps),
    'step',
  )}, ${usd(spent / 1e6)}, ${usd(unsettled)} of it unsettled`;
  return `${table.header}${table.lines(rows)}${painted(totals, 'strong', terminal.color)}\n`;
}
