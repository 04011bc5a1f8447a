import { stringify } from 'csv-stringify/sync';
import { isObject } from '../core/content.ts';
import { printedJson, spelled } from '../core/printed.ts';
import type { RowResult } from '../core/row-result.ts';
import { cleanText } from '../core/safe-json.ts';

/** What became of one accepted row. A row that was never started has no job and the status `not_started`. */
export interface ResultRow extends RowResult {
  readonly line: number;
  /** The id of the first row that says the same. */
  readonly duplicateOf: string | null;
}

/** One line of `results.jsonl`, its newline with it. */
export function resultLine(row: ResultRow): string {
  return `${printedJson(row)}\n`;
}

/** One line of `rejected.jsonl`: a file of such lines is read as the rows in them, once `raw` is mended. */
export function rejectedLine(row: {
  readonly file?: string;
  readonly line: number;
  readonly reason: string;
  readonly raw: string;
  readonly header?: string;
}): string {
  const { file, line, reason, raw, header } = row;
  return `${printedJson({ file, line, reason, raw, header })}\n`;
}

/** Begins a CSV file that people open: without it a spreadsheet takes UTF-8 for the encoding of its country. */
export const BYTE_ORDER_MARK = '\ufeff';

/** A row that came by a call stands in no line of a file. */
type CsvResult = Omit<ResultRow, 'line'> & { readonly line: number | null };

export interface CsvRow {
  readonly row: CsvResult;
  /** The subject of the ticket, where it is known. */
  readonly subject?: string;
  /** Input columns that nobody recognised. */
  readonly fields: Readonly<Record<string, string>>;
}

const fixed: readonly { readonly name: string; readonly value: (row: CsvResult) => unknown }[] = [
  { name: 'line', value: (row) => row.line },
  { name: 'jobId', value: (row) => row.jobId },
  { name: 'status', value: (row) => row.status },
  { name: 'stopReason', value: (row) => row.stop?.reason },
  { name: 'steps', value: (row) => row.steps },
  { name: 'needsReview', value: (row) => row.needsReview },
  { name: 'duplicateOf', value: (row) => row.duplicateOf },
  { name: 'spentUsd', value: (row) => row.cost.spentUsd },
  { name: 'unsettledUsd', value: (row) => row.cost.unsettledUsd },
  { name: 'savedByCacheUsd', value: (row) => row.cost.savedByCacheUsd },
  { name: 'inputTokens', value: (row) => row.usage.inputTokens },
  { name: 'outputTokens', value: (row) => row.usage.outputTokens },
  { name: 'cacheWriteTokens', value: (row) => row.usage.cacheWriteTokens },
  { name: 'cacheReadTokens', value: (row) => row.usage.cacheReadTokens },
  { name: 'text', value: (row) => row.text },
  { name: 'error', value: (row) => row.error },
];

interface ApiRow extends Omit<CsvRow['row'], 'usage'> {
  /** Null where what the model used is not known any more. */
  readonly usage: CsvRow['row']['usage'] | null;
  readonly metadata?: unknown;
}

/** A row as the API gives it: its metadata are columns, but for a ticket that says the id once more. */
export function apiCsvRow({ metadata, usage, ...row }: ApiRow): CsvRow {
  const entries = isObject(metadata) ? Object.entries(metadata) : [];
  const own = entries.filter(([name, value]) => name !== 'ticket' || value !== row.id);
  const fields = own.map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return { row: { ...row, usage: usage ?? noTokens }, fields: Object.fromEntries(fields) };
}

const noTokens = { inputTokens: 0, outputTokens: 0, cacheWriteTokens: 0, cacheReadTokens: 0 };

/** The columns of `results.csv` beside the fixed ones, which only all rows together tell. */
export interface CsvColumns {
  readonly add: (row: CsvRow) => void;
  readonly header: () => string;
  /** Lines of these rows, all of which were added before. */
  readonly lines: (rows: readonly CsvRow[]) => string;
}

/**
 * `results.csv` without holding its rows: flat, id and subject first, the output's keys as columns, the input's unrecognised
 * columns last.
 */
export function createCsvColumns(): CsvColumns {
  const outputs = new Set<string>();
  const inputs = new Set<string>();
  let subjects = false;
  const text = (lines: readonly (readonly unknown[])[]): string =>
    stringify(lines.map((cells) => cells.map(cell)));
  return {
    add: ({ row, subject, fields }) => {
      subjects ||= subject !== undefined;
      for (const name of flat(row.output, 'output', 1).keys()) outputs.add(name);
      for (const name of Object.keys(fields)) inputs.add(name);
    },
    header: () =>
      text([
        [
          ...['id', ...(subjects ? ['subject'] : []), ...fixed.map(({ name }) => name)],
          ...[...outputs, ...[...inputs].map((name) => `input.${name}`)],
        ],
      ]),
    lines: (rows) =>
      text(
        rows.map(({ row, subject, fields }) => {
          const output = flat(row.output, 'output', 1);
          const input = new Map(Object.entries(fields));
          return [
            ...[row.id, ...(subjects ? [subject] : []), ...fixed.map(({ value }) => value(row))],
            ...[...outputs].map((name) => output.get(name)),
            ...[...inputs].map((name) => input.get(name)),
          ];
        }),
      ),
  };
}

/** `results.csv` of rows that are in memory. */
export function resultsCsv(rows: readonly CsvRow[]): string {
  const columns = createCsvColumns();
  for (const row of rows) columns.add(row);
  return columns.header() + columns.lines(rows);
}

const MAX_DEPTH = 5;

/** Objects inside the output become columns with dots in their names. */
function flat(value: unknown, path: string, depth: number): ReadonlyMap<string, unknown> {
  if (value === null || value === undefined) return new Map();
  if (typeof value !== 'object' || Array.isArray(value) || depth > MAX_DEPTH) return new Map([[path, value]]);
  return new Map(
    Object.entries(value).flatMap(([name, inner]) => [...flat(inner, `${path}.${name}`, depth + 1)]),
  );
}

/**
 * A number stays one; text that a spreadsheet would run as a formula is neutralised by a leading apostrophe. Of what a
 * terminal obeys only tabs and line ends are kept, and marks that turn the text are spelled out: such files are printed too.
 */
function cell(value: unknown): string | number {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return value;
  const given = Array.isArray(value) ? value.map(plain).join('; ') : plain(value);
  const text = spelled(cleanText(given));
  return /^\s*[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text;
}

function plain(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}
