import { TerminalError } from '../core/errors.ts';
import { type ColumnMap, type Columns, missingColumns } from './columns.ts';
import { decode } from './decode.ts';
import { type RawRecord, recordsOf } from './records.ts';
import type { RowOutcome } from './row.ts';
import { groupingOf, joinRows, type Shape, shapeOf } from './shape.ts';
import { contentHash, fieldText, idOf, toTicket, type ValuesRecord } from './to-ticket.ts';
import { laterIn } from './update-time.ts';

export interface TicketSource {
  /** For messages, and for its ending. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Ids go into keys and tables; longer ones are a column that is no id. */
const MAX_ID_LENGTH = 200;

/**
 * Reads the tickets of a file: one outcome for every row, in file order. The same id with the same content is a
 * duplicate; with other content it is rejected, unless the rows say when they were updated: then the newest counts.
 * Throws `TerminalError`: `unreadable_encoding`, `file_too_large`, `unreadable_json`, `unreadable_csv`, `invalid_map`.
 */
export async function* readTickets(
  source: TicketSource,
  options: { readonly map?: ColumnMap } = {},
): AsyncGenerator<RowOutcome> {
  const rows = recordsOf(source.name, await decode(source.bytes, source.name));
  const shape = shapeIn(source.name, rows, options.map ?? {});
  const { columns } = shape;
  const records = joined(rows, shape);
  const newest = newestById(records, columns);
  const seen = new Map<string, Seen>();
  for (const record of records) yield outcomeOf(record, { columns, newest, seen });
}

interface Seen {
  readonly line: number;
  readonly content: string;
}

interface Newest {
  readonly line: number;
  readonly updated: string;
}

interface Reading {
  readonly columns: Columns;
  readonly newest: ReadonlyMap<string, Newest>;
  readonly seen: Map<string, Seen>;
}

function shapeIn(name: string, records: readonly RawRecord[], map: ColumnMap): Shape {
  const names = new Set<string>();
  for (const record of records) {
    if (record.type === 'values') for (const column of Object.keys(record.values)) names.add(column);
  }
  const missing = names.size === 0 ? [] : missingColumns([...names], map);
  if (missing.length > 0) {
    const problem = `${name} has no column ${missing.join(', ')}; it has: ${[...names].join(', ')}`;
    throw new TerminalError('invalid_map', `--map: ${problem}`);
  }
  return shapeOf([...names], map);
}

/** The rows of each conversation as one row, in the place of its first. */
function joined(rows: readonly RawRecord[], shape: Shape): readonly RawRecord[] {
  if (shape.rowsOf === undefined && shape.answers === undefined) return rows;
  const { see, keyOf } = groupingOf(shape);
  for (const row of rows) if (row.type === 'values') see(row);
  const groups = new Map<string, [ValuesRecord, ...ValuesRecord[]]>();
  const places: (RawRecord | [ValuesRecord, ...ValuesRecord[]])[] = [];
  for (const row of rows) {
    const key = row.type === 'values' ? keyOf(row) : undefined;
    const group = key === undefined ? undefined : groups.get(key);
    if (row.type !== 'values' || key === undefined) places.push(row);
    else if (group !== undefined) group.push(row);
    else {
      const started: [ValuesRecord, ...ValuesRecord[]] = [row];
      groups.set(key, started);
      places.push(started);
    }
  }
  return places.map((place) => (Array.isArray(place) ? joinRows(shape, place) : place));
}

function outcomeOf(record: RawRecord, { columns, newest, seen }: Reading): RowOutcome {
  const { line } = record;
  if (record.type === 'blank') return { type: 'skipped', line };
  if (record.type === 'bad') return { type: 'rejected', line, reason: record.reason, raw: record.raw };
  if (isDeleted(record, columns)) return { type: 'skipped', line };
  const id = idOf(record, columns);
  if (id.length > MAX_ID_LENGTH) {
    const reason = `the id has ${id.length} characters, at most ${MAX_ID_LENGTH} are allowed`;
    return { type: 'rejected', line, reason, raw: record.raw };
  }
  const latest = newest.get(id);
  if (latest !== undefined && fieldText(record, columns, 'updatedAt') !== latest.updated) {
    return { type: 'duplicate', line, id, ofLine: latest.line };
  }
  const content = contentHash(record);
  const before = seen.get(id);
  if (before === undefined) {
    seen.set(id, { line, content });
    return toTicket(record, columns);
  }
  if (before.content === content) return { type: 'duplicate', line, id, ofLine: before.line };
  const reason = `line ${line} has the id ${id} of line ${before.line}, but other content`;
  return { type: 'rejected', line, reason, raw: record.raw };
}

function isDeleted(record: ValuesRecord, columns: Columns): boolean {
  return !/^(false|no|n|f|0|null|none)?$/i.test(fieldText(record, columns, 'deleted'));
}

/** Where rows carry an update time: the newest row of each id. */
function newestById(records: readonly RawRecord[], columns: Columns): ReadonlyMap<string, Newest> {
  const newest = new Map<string, Newest>();
  if (columns.of.updatedAt.length === 0) return newest;
  const rows = records.filter((record) => record.type === 'values');
  const isLater = laterIn(rows.map((row) => fieldText(row, columns, 'updatedAt')));
  for (const row of rows) {
    const updated = fieldText(row, columns, 'updatedAt');
    const id = idOf(row, columns);
    const before = newest.get(id);
    if (updated === '') continue;
    if (before === undefined || isLater(updated, before.updated)) newest.set(id, { line: row.line, updated });
  }
  return newest;
}
