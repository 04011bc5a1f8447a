import { createReadStream } from 'node:fs';
import { ticketPrompt } from '../../agents/triage.ts';
import type { Json } from '../../core/agent.ts';
import { isObject } from '../../core/content.ts';
import type { AcceptedRow } from '../../ticket-rows.ts';
import { type ColumnMap, recognise } from '../../tickets/columns.ts';
import { textOf } from '../../tickets/decode.ts';
import { linePages } from '../../tickets/json-rows.ts';
import { openInput } from '../read-input.ts';

/** What a file has for a batch, in its order. */
export type GivenRow =
  | { readonly type: 'row'; readonly row: Json }
  /** A ticket that says nothing: only as a line of a file does the API answer it without a model. */
  | { readonly type: 'textless'; readonly line: string }
  | { readonly type: 'rejected'; readonly line: number; readonly reason: string };

/** The rows of files for a batch: tickets in any form, or lines of `{id, input, metadata?}` as they stand. */
export async function* givenRows(
  files: readonly string[],
  map: ColumnMap | undefined,
): AsyncGenerator<GivenRow> {
  const [file] = files;
  if (file !== undefined && files.length === 1 && map === undefined && (await holdsRows(file))) {
    for await (const { line, raw } of linesOf(file)) {
      if (raw.trim() !== '') yield plainRow(line, raw);
    }
    return;
  }
  const input = await openInput(files, map);
  try {
    for (const { line, reason } of input.firstRejected) yield { type: 'rejected', line, reason };
    const unnamed = input.tally.rejected - input.firstRejected.length;
    if (unnamed > 0) yield { type: 'rejected', line: 0, reason: `${unnamed} more rows cannot be read` };
    for await (const row of input.rows()) yield ticketRow(row);
  } finally {
    await input.close();
  }
}

/** Whether the first line is a row that says itself what its input is. */
async function holdsRows(file: string): Promise<boolean> {
  if (!/\.(jsonl|ndjson)$/i.test(file)) return false;
  for await (const { line, raw } of linesOf(file)) {
    if (raw.trim() === '') continue;
    const given = plainRow(line, raw);
    return given.type === 'row' && isObject(given.row) && 'input' in given.row;
  }
  return false;
}

async function* linesOf(name: string): AsyncGenerator<{ readonly line: number; readonly raw: string }> {
  const source = { name, size: 0, open: () => createReadStream(name) };
  try {
    for await (const page of linePages(() => textOf(source, 'utf-8'))) yield* page;
  } catch (error) {
    // Why a file cannot be opened is said where ticket files are.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
  }
}

function plainRow(line: number, raw: string): GivenRow {
  try {
    return { type: 'row', row: JSON.parse(raw) as Json };
  } catch {
    return { type: 'rejected', line, reason: 'the row is not JSON' };
  }
}

function ticketRow({ line, ticket, fields, noText }: AcceptedRow): GivenRow {
  const { id } = ticket;
  if (!noText)
    return { type: 'row', row: { id, input: ticketPrompt(ticket), metadata: { ticket: id, ...fields } } };
  if (Object.keys(fields).some((name) => /^input(\.|$)/.test(name))) {
    const reason =
      'a row with an input is taken from a file of its own, named .jsonl, whose first line has one';
    return { type: 'rejected', line, reason };
  }
  // A column that the API would read a text from is none of this row's.
  const known = new Set(Object.values(recognise(Object.keys(fields), {}).of).flat());
  const rest = Object.entries(fields).filter(([name]) => !known.has(name));
  return { type: 'textless', line: JSON.stringify({ ...Object.fromEntries(rest), id }) };
}
