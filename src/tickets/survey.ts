import { TerminalError } from '../core/errors.ts';
import { type ColumnUse, type ColumnUsing, createColumnUsing } from './column-use.ts';
import { type ColumnMap, missingColumns } from './columns.ts';
import { groupsApart, isGrouped } from './grouping.ts';
import { createKeyTable, type KeyTable, keyOf } from './key-table.ts';
import { fitted, oneLine } from './padded.ts';
import type { RawRecord, Records } from './records.ts';
import { createSeenFilter, type SeenFilter } from './seen-filter.ts';
import { type Grouping, groupingOf, type Shape, shapeOf } from './shape.ts';
import { ownCopy } from './source.ts';
import { fieldText, idOf } from './to-ticket.ts';
import { isDayFirst } from './update-time.ts';

/** What has to be known of a whole file before its first row can be judged. */
export interface Survey {
  readonly shape: Shape;
  /** All columns. */
  readonly names: readonly string[];
  /** No row holds anything. */
  readonly empty: boolean;
  /** Which rows are one ticket; undefined where each is one of its own. */
  readonly grouping: Grouping | undefined;
  /** Every id that comes more than once, and some that do not; with a grouping, the keys of rows that stand apart. */
  readonly repeated: KeyTable;
  /** Times like 08/01/2025 begin with the day. */
  readonly dayFirst: boolean;
  /** Which columns were really read. */
  readonly use: ColumnUse;
}

/** Rows whose columns are known before any is judged, so that mostly one reading will do. */
const ROWS_AHEAD = 1000;
/** A file of more columns has something else for names; those that come later are not recognised. */
const MAX_NAMES = 10_000;
/** Names in an error, and columns of the terminal for one of them. */
const MAX_SHOWN = 100;
const MAX_SHOWN_WIDTH = 60;

interface Asked {
  readonly records: Records;
  /** Bytes of the file. */
  readonly size: number;
  readonly map: ColumnMap;
}

/** Reads a file for what is in it as a whole. Throws `TerminalError` `invalid_map` for a mapped column that is not there. */
export async function surveyOf(asked: Asked): Promise<Survey> {
  const names = new Set<string>();
  const first = await look(asked, names);
  const all = [...names];
  const missing = all.length === 0 ? [] : missingColumns(all, asked.map);
  if (missing.length > 0) {
    const problem = `${asked.records.name} has no column ${missing.join(', ')}; it has: ${listed(all)}`;
    throw new TerminalError('invalid_map', `--map: ${problem}`);
  }
  // A column that came late may be a better id than the one that was looked at.
  const right = nameOf(first.shape) === nameOf(shapeOf(all, asked.map));
  const { using, ...looked } = right ? first : await look(asked, names);
  const found = { ...looked, names: all, use: using.use() };
  if (found.grouping === undefined) return found;
  return { ...found, repeated: await groupsApart(asked.records, asked.size, found.grouping) };
}

/** Columns as an error names them: of a file without a header their names are the words of its first ticket. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_SHOWN).map((name) => fitted(oneLine(name), MAX_SHOWN_WIDTH));
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

const nameOf = ({ name, columns, rowsOf, answers }: Shape): string =>
  JSON.stringify([name, rowsOf, answers, columns.of, [...columns.mapped], columns.habits]);

interface Looking {
  readonly shape: Shape;
  readonly seen: SeenFilter;
  readonly repeated: KeyTable;
  readonly grouping: Grouping | undefined;
  readonly using: ColumnUsing;
  empty: boolean;
  dayFirst: boolean;
}

async function look({ records, size, map }: Asked, names: Set<string>): Promise<Looking> {
  const start = (): Looking => {
    const shape = shapeOf([...names], map);
    const grouping = isGrouped(shape) ? groupingOf(shape) : undefined;
    const using = createColumnUsing(shape.columns);
    const tables = { seen: createSeenFilter(size), repeated: createKeyTable(0), using };
    return { shape, grouping, ...tables, empty: true, dayFirst: false };
  };
  const oneHeader = records.format.type === 'csv';
  let ahead: readonly RawRecord[] = [];
  let looking: Looking | undefined;
  for await (const page of records.pages()) {
    if (!oneHeader || names.size === 0) addNames(names, page, oneHeader);
    ahead = looking === undefined ? [...ahead, ...page] : page;
    if (looking === undefined && ahead.length < ROWS_AHEAD) continue;
    looking ??= start();
    for (const record of ahead) note(looking, record);
    ahead = [];
  }
  looking ??= start();
  for (const record of ahead) note(looking, record);
  return looking;
}

function addNames(names: Set<string>, page: readonly RawRecord[], oneHeader: boolean): void {
  for (const record of page) {
    if (record.type !== 'values') continue;
    for (const name of Object.keys(record.values)) {
      if (!names.has(name) && names.size < MAX_NAMES) names.add(ownCopy(name));
    }
    if (oneHeader) return;
  }
}

function note(looking: Looking, record: RawRecord): void {
  if (record.type !== 'blank') looking.empty = false;
  if (record.type !== 'values') return;
  const { shape, grouping } = looking;
  looking.using.add(record);
  if (grouping !== undefined) {
    // Cloned, because a text that it keeps would keep all of the piece of the file it was cut out of.
    grouping.see(structuredClone(record));
    return;
  }
  const key = keyOf(idOf(record, shape.columns));
  if (looking.seen.add(key)) looking.repeated.set(key, []);
  if (looking.dayFirst || shape.columns.of.updatedAt.length === 0) return;
  looking.dayFirst = isDayFirst(fieldText(record, shape.columns, 'updatedAt'));
}
