import { TerminalError } from '../core/errors.ts';
import { keyOf } from './key-table.ts';
import type { Records } from './records.ts';
import { ownCopy } from './source.ts';
import type { Survey } from './survey.ts';
import { fieldText, idOf, type ValuesRecord } from './to-ticket.ts';
import { laterIn } from './update-time.ts';

/** The newest row of an id, where rows carry an update time. */
export interface Newest {
  readonly line: number;
  readonly updated: string;
}

/** What must be in memory before rows are judged: of the few that depend on one another. */
export interface Gathered {
  /** By id. */
  readonly newest: ReadonlyMap<string, Newest>;
  /** The rows of one ticket that do not stand together, by what they have in common. */
  readonly apart: ReadonlyMap<string, readonly [ValuesRecord, ...ValuesRecord[]]>;
}

/** Characters of rows that are held because the rows of their tickets stand apart. */
export const MAX_APART_CHARACTERS = 32 * 1024 * 1024;

/** Reads a file again for those of its rows that depend on one another; not at all where there are none. */
export async function gather(
  records: Records,
  survey: Survey,
  maxApart = MAX_APART_CHARACTERS,
): Promise<Gathered> {
  const { shape, grouping, repeated } = survey;
  const newest = new Map<string, Newest>();
  const apart = new Map<string, [ValuesRecord, ...ValuesRecord[]]>();
  const byTime = grouping === undefined && shape.columns.of.updatedAt.length > 0;
  if (repeated.size() === 0 || (!byTime && grouping === undefined)) return { newest, apart };
  const isLater = laterIn(survey.dayFirst);
  let held = 0;
  const hold = (record: ValuesRecord, group: string | undefined): void => {
    if (group === undefined || repeated.get(keyOf(group)) === undefined) return;
    held += record.raw.length;
    if (held > maxApart) throw tooFarApart(records.name, shape.rowsOf);
    // Cloned, because texts that were cut out of a piece of the file would keep all of the piece.
    const own = structuredClone(record);
    const before = apart.get(group);
    if (before === undefined) apart.set(ownCopy(group), [own]);
    else before.push(own);
  };
  for await (const page of records.pages()) {
    for (const record of page) {
      if (record.type !== 'values') continue;
      if (byTime) noteNewest(newest, record, survey, isLater);
      else hold(record, grouping?.keyOf(record));
    }
  }
  return { newest, apart };
}

function noteNewest(
  newest: Map<string, Newest>,
  record: ValuesRecord,
  { shape, repeated }: Survey,
  isLater: (one: string, other: string) => boolean,
): void {
  const updated = fieldText(record, shape.columns, 'updatedAt');
  if (updated === '') return;
  const id = idOf(record, shape.columns);
  if (repeated.get(keyOf(id)) === undefined) return;
  const before = newest.get(id);
  if (before !== undefined && !isLater(updated, before.updated)) return;
  newest.set(ownCopy(id), { line: record.line, updated: ownCopy(updated) });
}

function tooFarApart(name: string, column: string | undefined): TerminalError {
  const rows = column === undefined ? 'rows that are one ticket' : `rows with the same ${column}`;
  const advice = column === undefined ? 'so that they do' : `by ${column}`;
  return new TerminalError(
    'rows_apart',
    `${name}: ${rows} do not stand together, and they are too many to be held in memory: sort the file ${advice} and try again`,
  );
}
