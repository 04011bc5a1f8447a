import type { Batch, Client } from '../../client.ts';
import { printedJson } from '../../core/printed.ts';
import { usd } from '../../tickets/summary.ts';
import { exitCode } from '../exit-codes.ts';
import type { Asking } from './asking.ts';
import { bar, shareOf } from './bars.ts';
import { batchText, endedRows } from './batch-picture.ts';
import { type FitColumn, fitTable } from './fit-table.ts';
import { pagesOf, type Wanted } from './pages.ts';
import { printList } from './print-list.ts';
import { span, toneOf, visible } from './shown.ts';

/** The batches of a deployment, newest first. */
export async function listBatches(asking: Asking, wanted: Wanted): Promise<number> {
  const { client, terminal, clock } = asking;
  await printList(
    asking,
    pagesOf((page) => client.batches(page), wanted),
    { table: (sample) => fitTable(columnsAt(clock.now()), sample, terminal), none: 'No batches.' },
  );
  return exitCode.done;
}

const columnsAt = (nowMs: number): readonly FitColumn<Batch>[] => [
  { title: 'batch', cell: ({ id }) => id },
  { title: 'agent', most: 16, least: 6, spare: 4, cell: ({ agent }) => visible(agent) },
  { title: 'status', cell: ({ status }) => status, tone: ({ status }) => toneOf(status) },
  { title: 'ended', spare: 1, right: true, cell: (batch) => `${endedRows(batch)}/${batch.rows}` },
  { title: 'waiting', spare: 3, right: true, cell: ({ counts }) => String(counts.awaiting_approval) },
  { title: 'spent', right: true, cell: ({ cost }) => usd(cost.spentUsd) },
  { title: '', bar: true, cell: ({ cost }) => poolBar(cost) },
  {
    title: 'of',
    spare: 2,
    right: true,
    cell: ({ cost: { budgetUsd } }) => (budgetUsd === null ? 'no pool' : usd(budgetUsd)),
  },
  { title: 'age', spare: 5, right: true, cell: ({ createdAt }) => span(nowMs - Date.parse(createdAt)) },
];

const poolBar = ({ spentUsd, budgetUsd }: Batch['cost']): string =>
  budgetUsd === null ? '' : bar(shareOf(spentUsd, budgetUsd), 8);

/** Reads or changes a batch, and says how it stands then. */
export async function showBatch(
  { client, terminal, json }: Asking,
  read: (client: Client) => Promise<Batch>,
): Promise<number> {
  const batch = await read(client);
  terminal.out(json ? `${printedJson(batch)}\n` : batchText(batch, terminal));
  return exitCode.done;
}
