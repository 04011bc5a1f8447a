import type { Gathered } from './gather.ts';
import { MAX_ROW_CHARACTERS, tooLongReason } from './piece.ts';
import type { RawRecord, Records } from './records.ts';
import { placeOf } from './row.ts';
import { joinRows, type Shape } from './shape.ts';
import type { Survey } from './survey.ts';
import type { ValuesRecord } from './to-ticket.ts';

/** Rows that stand together and are one ticket, as they come. */
interface Open {
  readonly group: string;
  readonly rows: [ValuesRecord, ...ValuesRecord[]];
  /** Rows among them that are none: they come behind the ticket, as they do in the file. */
  readonly beside: RawRecord[];
  length: number;
}

/** So many wait for a ticket to end; more are given before it. */
const MAX_BESIDE = 1_000;

/** The records of a file, one for each ticket: rows that belong together are joined where the first of them stands. */
export async function* ticketPages(
  records: Records,
  { shape, grouping }: Pick<Survey, 'shape' | 'grouping'>,
  { apart }: Gathered,
): AsyncGenerator<readonly RawRecord[]> {
  if (grouping === undefined) {
    yield* records.pages();
    return;
  }
  const done = new Set<string>();
  let open: Open | undefined;
  const close = (): readonly RawRecord[] => {
    const closed = open;
    open = undefined;
    if (closed === undefined) return [];
    const ticket = closed.length > MAX_ROW_CHARACTERS ? tooLong(closed) : joined(shape, closed.rows);
    return [ticket, ...closed.beside];
  };
  const take = (record: RawRecord): readonly RawRecord[] => {
    if (record.type !== 'values') {
      if (open === undefined || open.beside.length >= MAX_BESIDE) return [record];
      open.beside.push(record);
      return [];
    }
    const group = grouping.keyOf(record);
    if (open !== undefined && group === open.group) {
      open.length += record.raw.length;
      if (open.length <= MAX_ROW_CHARACTERS) open.rows.push(record);
      return [];
    }
    const before = close();
    if (group === undefined) return [...before, record];
    const rows = apart.get(group);
    if (rows === undefined) {
      open = { group, rows: [record], beside: [], length: record.raw.length };
      return before;
    }
    if (done.has(group)) return before;
    done.add(group);
    return [...before, joined(shape, rows)];
  };
  for await (const page of records.pages()) yield page.flatMap(take);
  yield close();
}

/** A ticket stands where its first row does, whichever of its rows opened it. */
function joined(shape: Shape, rows: readonly [ValuesRecord, ...ValuesRecord[]]): RawRecord {
  const { item: _item, ...ticket } = joinRows(shape, rows);
  return { ...ticket, ...placeOf(rows[0]) };
}

function tooLong({ rows: [first], length }: Open): RawRecord {
  return { type: 'bad', ...placeOf(first), reason: tooLongReason(length), raw: '' };
}
