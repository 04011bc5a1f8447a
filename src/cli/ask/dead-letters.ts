import type { DeadLetter } from '../../client.ts';
import { TerminalError } from '../../core/errors.ts';
import { printedJson } from '../../core/printed.ts';
import { exitCode } from '../exit-codes.ts';
import type { Asking } from './asking.ts';
import { type FitColumn, fitTable } from './fit-table.ts';
import { itemsOf, pagesOf, type Wanted } from './pages.ts';
import { printList } from './print-list.ts';
import { span, visible } from './shown.ts';

/** Messages that were given up, newest first. */
export async function listDeadLetters(asking: Asking, wanted: Wanted): Promise<number> {
  const { client, terminal, clock } = asking;
  const pages = pagesOf((page) => client.deadLetters(page), wanted);
  await printList(asking, pages, {
    table: (sample) => fitTable(columnsAt(clock.now()), sample, terminal),
    none: 'No dead letters.',
  });
  return exitCode.done;
}

const columnsAt = (nowMs: number): readonly FitColumn<DeadLetter>[] => [
  { title: 'letter', cell: ({ id }) => visible(id) },
  { title: 'age', right: true, cell: ({ at }) => span(nowMs - Date.parse(at)) },
  { title: 'sent again', spare: 2, cell: ({ redrivenAt }) => (redrivenAt === null ? 'no' : 'yes') },
  { title: 'reason', folds: true, cell: ({ reason }) => visible(reason) },
  { title: 'message', most: 60, least: 12, spare: 3, cell: ({ body }) => visible(body) },
];

/** Sends messages again: those that are named, or all that were not sent again yet. */
export async function redrive(asking: Asking, ids: readonly string[], all: boolean): Promise<number> {
  const { client, terminal, json } = asking;
  if (all === ids.length > 0) {
    throw new TerminalError('usage', 'dlq redrive takes the ids of letters, or --all');
  }
  const sent: DeadLetter[] = [];
  const wanted = all ? await waiting(asking) : ids;
  for (const id of wanted) {
    const letter = await client.redrive(id);
    sent.push(letter);
    if (!json) terminal.out(`${visible(letter.id)}  sent again\n`);
  }
  if (json) terminal.out(`${printedJson({ items: sent, cursor: null })}\n`);
  else if (sent.length === 0) terminal.err('No dead letters.\n');
  return exitCode.done;
}

/** Read to the end first: a list that changes while it is walked would be walked unevenly. */
async function waiting({ client }: Asking): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { id, redrivenAt } of itemsOf((page) => client.deadLetters(page))) {
    if (redrivenAt === null) found.push(id);
  }
  return found;
}
