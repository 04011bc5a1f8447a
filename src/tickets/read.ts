import type { ColumnMap } from './columns.ts';
import { type Gathered, gather } from './gather.ts';
import { ticketPages } from './joined.ts';
import { createKeyTable, type Key, type KeyTable, keyOf } from './key-table.ts';
import { type Format, openRecords, type RawRecord, type Records } from './records.ts';
import type { RowOutcome } from './row.ts';
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
  const { shape, names, dayFirst } = survey;
  return {
    format: records.format,
    shape,
    names,
    dayFirst,
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
  /** Of the ids that may come again: the line and the content they had first. */
  readonly seen: KeyTable;
}

async function* outcomesOf(records: Records, survey: Survey, gathered: Gathered): AsyncGenerator<RowOutcome> {
  if (survey.empty) return;
  const reading: Reading = { survey, gathered, seen: createKeyTable(3) };
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
  const { line } = record;
  const { shape, grouping, repeated } = survey;
  if (record.type === 'blank') return { type: 'skipped', line };
  if (record.type === 'bad') return rejection(record, record.reason);
  if (isDeleted(record, shape)) return { type: 'skipped', line };
  const id = idOf(record, shape.columns);
  if (id.length > MAX_ID_LENGTH) {
    return rejection(record, `the id has ${id.length} characters, at most ${MAX_ID_LENGTH} are allowed`);
  }
  const key = keyOf(id);
  // Where rows are joined, what may repeat was looked for by what they have in common, not by id.
  if (grouping === undefined && repeated.get(key) === undefined) return toTicket(record, shape.columns);
  const ofLine = gathered.newest.insteadOf(id, fieldText(record, shape.columns, 'updatedAt'));
  if (ofLine !== undefined) return { type: 'duplicate', line, id, ofLine };
  const content = contentKey(record);
  const [firstLine, high, low] = seen.get(key) ?? [];
  if (firstLine === undefined) {
    seen.set(key, [line, content.high, content.low]);
    return toTicket(record, shape.columns);
  }
  if (high === content.high && low === content.low) return { type: 'duplicate', line, id, ofLine: firstLine };
  return rejection(record, `line ${line} has the id ${id} of line ${firstLine}, but other content`);
}

function rejection({ line, raw, header }: Exclude<RawRecord, { type: 'blank' }>, reason: string): RowOutcome {
  return { type: 'rejected', line, reason, raw, ...(header === undefined ? {} : { header }) };
}

function contentKey(record: ValuesRecord): Key {
  const digest = contentHash(record);
  return {
    high: Number.parseInt(digest.slice(0, 8), 16),
    low: Number.parseInt(digest.slice(8, 16), 16),
  };
}

function isDeleted(record: ValuesRecord, { columns }: Shape): boolean {
  return !/^(false|no|n|f|0|null|none)?$/i.test(fieldText(record, columns, 'deleted'));
}
