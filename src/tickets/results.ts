import { stringify } from 'csv-stringify/sync';
import type { RowResult } from '../core/row-result.ts';

/** What became of one accepted row. A row that was never started has no job and the status `not_started`. */
export interface ResultRow extends RowResult {
  readonly line: number;
  readonly duplicateOf: string | null;
}

/** One line of `results.jsonl`, its newline with it. */
export function resultLine(row: ResultRow): string {
  return `${JSON.stringify(row)}\n`;
}

/** One line of `rejected.jsonl`, in a form that can be mended and read again. */
export function rejectedLine(row: {
  readonly line: number;
  readonly reason: string;
  readonly raw: string;
}): string {
  return `${JSON.stringify({ line: row.line, reason: row.reason, raw: row.raw })}\n`;
}

export interface CsvRow {
  readonly row: ResultRow;
  /** Input columns that nobody recognised. */
  readonly fields: Readonly<Record<string, string>>;
}

const fixed: readonly { readonly name: string; readonly value: (row: ResultRow) => unknown }[] = [
  { name: 'id', value: (row) => row.id },
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

/** `results.csv`: flat, the output's keys as columns, the input's unrecognised columns last. */
export function resultsCsv(rows: readonly CsvRow[]): string {
  const outputs = rows.map(({ row }) => flat(row.output, 'output', 1));
  const outputNames = namesIn(outputs);
  const inputs = rows.map(({ fields }) => new Map(Object.entries(fields)));
  const inputNames = namesIn(inputs);
  const header = [
    ...fixed.map(({ name }) => name),
    ...outputNames,
    ...inputNames.map((name) => `input.${name}`),
  ];
  const lines = rows.map(({ row }, at) => [
    ...fixed.map(({ value }) => value(row)),
    ...outputNames.map((name) => outputs[at]?.get(name)),
    ...inputNames.map((name) => inputs[at]?.get(name)),
  ]);
  return stringify([header, ...lines].map((cells) => cells.map(cell)));
}

function namesIn(maps: readonly ReadonlyMap<string, unknown>[]): readonly string[] {
  const names = new Set<string>();
  for (const map of maps) for (const name of map.keys()) names.add(name);
  return [...names];
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

/** A number stays one; text that a spreadsheet would run as a formula is neutralised by a leading apostrophe. */
function cell(value: unknown): string | number {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return value;
  const text = Array.isArray(value) ? value.map(plain).join('; ') : plain(value);
  return /^\s*[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text;
}

function plain(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}
