import { stringify } from 'csv-stringify/sync';

export interface ResultStop {
  readonly reason: string;
  readonly message: string;
  readonly resumable: boolean;
}

export interface ResultUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheReadTokens: number;
}

/** US dollars. */
export interface ResultCost {
  readonly spentUsd: number;
  readonly reservedUsd: number;
  readonly unsettledUsd: number;
  readonly ceilingUsd: number;
  readonly savedByCacheUsd: number;
}

/** What became of one accepted row. A row that was never started has no job and the status `not_started`. */
export interface ResultRow {
  readonly id: string;
  readonly line: number;
  readonly jobId: string | null;
  readonly status: string;
  readonly stop: ResultStop | null;
  readonly output: unknown;
  readonly text: string | null;
  readonly steps: number;
  readonly needsReview: boolean;
  readonly duplicateOf: string | null;
  readonly usage: ResultUsage;
  readonly cost: ResultCost;
  readonly error: string | null;
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

const fixed = [
  'id',
  'line',
  'jobId',
  'status',
  'stopReason',
  'steps',
  'needsReview',
  'spentUsd',
  'text',
  'error',
];

/** `results.csv`: flat, the output's keys as columns, the input's unrecognised columns last. */
export function resultsCsv(rows: readonly CsvRow[]): string {
  const outputKeys = [...new Set(rows.flatMap(({ row }) => Object.keys(objectOf(row.output))))];
  const inputKeys = [...new Set(rows.flatMap(({ fields }) => Object.keys(fields)))];
  const header = [
    ...fixed,
    ...outputKeys.map((key) => `output.${key}`),
    ...inputKeys.map((key) => `input.${key}`),
  ];
  const lines = rows.map(({ row, fields }) => [
    cell(row.id),
    row.line,
    row.jobId ?? '',
    row.status,
    row.stop?.reason ?? '',
    row.steps,
    row.needsReview,
    row.cost.spentUsd,
    cell(row.text),
    cell(row.error),
    ...outputKeys.map((key) => cell(objectOf(row.output)[key])),
    ...inputKeys.map((key) => cell(fields[key])),
  ]);
  return stringify([header.map((name) => cell(name)), ...lines], { cast: { boolean: String } });
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** A number stays one; text that a spreadsheet would run as a formula is neutralised by a leading apostrophe. */
function cell(value: unknown): string | number {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return value;
  const text = Array.isArray(value)
    ? value.map(String).join('; ')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
  return /^\s*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
