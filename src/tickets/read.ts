import type { ColumnUse } from './column-use.ts';
import type { ColumnMap } from './columns.ts';
import { type Gathered, gather } from './gather.ts';
import { ticketPages } from './joined.ts';
import { createKeyTable, type Key, type KeyTable, keyOf } from './key-table.ts';
import { type Format, openRecords, type RawRecord, type Records } from './records.ts';
import { itemReason, placeOf, type RowOutcome, type RowPlace } from './row.ts';
import type { Shape } from './shape.ts';
import type { TicketSource } from './source.ts';
import { type Survey, surveyOf } from './survey.ts';
import { contentHash, fieldText, idOf, toTicket, type ValuesRecord } from './to-ticket.ts';

/** Ids go into keys and tables; longer ones are a column that is no id. */
const MAX_ID_LENGTH = 200;

/** A ticket file that was looked through once: what it is, and its rows as often as they are asked for. */
export interface TicketFile {
  readonly format: Format;
  readonly shape: Shape;
  /** All columns. */
  readonly names: readonly string[];
  /** Times like 08/01/2025 begin with the day. */
  readonly dayFirst: boolean;
  readonly use: ColumnUse;
  /** One outcome for every row in file order; of rows that are one ticket together, one for all. */
  readonly outcomes: () => AsyncGenerator<RowOutcome>;
}

interface Options {
  readonly map?: ColumnMap;
}

/**
 * Opens a ticket file of any size: no more than a few rows of it, and a few bits for each, are ever in memory.
 * Throws `TerminalError`: `unreadable_encoding`, `unreadable_json`, `unreadable_csv`, `invalid_map`, `rows_apart`.
 */
export async function openTickets(source: TicketSource, options: Options = {}): Promise<TicketFile> {
  const records = await openRecords(source);
  const survey = await surveyOf({ records, size: source.size, map: options.map ?? {} });
  const gathered = await gather(records, survey);
  const { shape, names, use, dayFirst } = survey;
  return {
    format: records.format,
    ...{ shape, names, use, dayFirst },
    outcomes: () => outcomesOf(records, survey, gathered),
  };
}

/**
 * Reads the tickets of a file: one outcome for every row, in file order. The same id with the same content is a
 * duplicate; with other content it is rejected, unless the rows say when they were updated: then the newest counts.
 * Throws what `openTickets` throws.
 */
export async function* readTickets(source: TicketSource, options: Options = {}): AsyncGenerator<RowOutcome> {
  yield* (await openTickets(source, options)).outcomes();
}

interface Reading {
  readonly survey: Survey;
  readonly gathered: Gathered;
  /** Of the ids that may come again: the line, the content and the item that they had first, which is 0 for none. */
  readonly seen: KeyTable;
}

async function* outcomesOf(records: Records, survey: Survey, gathered: Gathered): AsyncGenerator<RowOutcome> {
  if (survey.empty) return;
  const reading: Reading = { survey, gathered, seen: createKeyTable(4) };
  for await (const page of ticketPages(records, survey, gathered)) {
    for (const record of page) yield outcomeOrRejection(record, reading);
  }
}

/** A text at which a pattern or a parser ends the stack costs its own row only. */
function outcomeOrRejection(record: RawRecord, reading: Reading): RowOutcome {
  try {
    return outcomeOf(record, reading);
  } catch (error) {
    if (!(error instanceof RangeError) || record.type === 'blank') throw error;
    return rejection(record, 'the row is too large or too deep to be read');
  }
}

function outcomeOf(record: RawRecord, { survey, gathered, seen }: Reading): RowOutcome {
  const { shape, grouping, repeated } = survey;
  if (record.type === 'blank') return skipped(record, record.reason ?? 'there is nothing in it');
  if (record.type === 'bad') return rejection(record, record.reason);
  const unwanted = whyUnwanted(record, shape);
  if (unwanted !== undefined) return skipped(record, unwanted);
  const id = idOf(record, shape.columns);
  if (id.length > MAX_ID_LENGTH) {
    return rejection(record, `the id has ${id.length} characters, at most ${MAX_ID_LENGTH} are allowed`);
  }
  const key = keyOf(id);
  // Where rows are joined, what may repeat was looked for by what they have in common, not by id.
  if (grouping === undefined && repeated.get(key) === undefined) return toTicket(record, shape.columns);
  const ofLine = gathered.newest.insteadOf(id, fieldText(record, shape.columns, 'updatedAt'));
  if (ofLine !== undefined) return duplicate(record, id, { line: ofLine });
  const content = contentKey(record);
  const [firstLine, high, low, firstItem = 0] = seen.get(key) ?? [];
  if (firstLine === undefined) {
    seen.set(key, [record.line, content.high, content.low, record.item ?? 0]);
    return toTicket(record, shape.columns);
  }
  const first = { line: firstLine, ...(firstItem === 0 ? {} : { item: firstItem }) };
  if (high === content.high && low === content.low) return duplicate(record, id, first);
  return repetition(record, id, first);
}

const skipped = (record: RawRecord, reason: string): RowOutcome => ({
  type: 'skipped',
  ...placeOf(record),
  reason,
});

const duplicate = (record: RawRecord, id: string, of: RowPlace): RowOutcome => ({
  type: 'duplicate',
  ...placeOf(record),
  id,
  ofLine: of.line,
  ...(of.item === undefined ? {} : { ofItem: of.item }),
});

type Unread = Exclude<RawRecord, { type: 'blank' }>;

const rejection = (record: Unread, reason: string): RowOutcome =>
  rejected(record, itemReason(record, reason));

function rejected(record: Unread, reason: string): Extract<RowOutcome, { type: 'rejected' }> {
  const { raw, header } = record;
  return { type: 'rejected', ...placeOf(record), reason, raw, ...(header === undefined ? {} : { header }) };
}

function repetition(record: Unread, id: string, first: RowPlace): RowOutcome {
  const { line, item } = record;
  const own = item === undefined ? `line ${line}` : `item ${item}`;
  const other = first.item === undefined ? `line ${first.line}` : `item ${first.item} of line ${first.line}`;
  return {
    ...rejected(record, `${own} has the id ${id} of ${other}, but other content`),
    repeatsId: true,
  };
}

function contentKey(record: ValuesRecord): Key {
  const digest = contentHash(record);
  return {
    high: Number.parseInt(digest.slice(0, 8), 16),
    low: Number.parseInt(digest.slice(8, 16), 16),
  };
}

/** Deleted tickets, and what else an export keeps and nobody answers. */
function whyUnwanted(record: ValuesRecord, { columns }: Shape): string | undefined {
  const deleted = fieldText(record, columns, 'deleted');
  if (!/^(false|no|n|f|0|null|none)?$/i.test(deleted)) return 'it is marked as deleted';
  for (const { column, words } of columns.unwanted) {
    const word = (record.values[column] ?? '').trim().toLowerCase();
    if (words.includes(word)) return `its ${column} is ${word}`;
  }
  return undefined;
}
