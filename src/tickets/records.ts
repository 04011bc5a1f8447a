import { parse } from 'csv-parse/sync';
import { isLosslessNumber, parse as parseLossless } from 'lossless-json';
import { TerminalError } from '../core/errors.ts';

/** One raw row: its values by column, or why it is none. */
export type RawRecord =
  | {
      readonly type: 'values';
      readonly line: number;
      readonly values: Readonly<Record<string, string>>;
      readonly raw: string;
    }
  | { readonly type: 'bad'; readonly line: number; readonly reason: string; readonly raw: string }
  | { readonly type: 'blank'; readonly line: number };

/** The rows of a file, whatever its format: by the ending of its name, else by its first character. */
export function recordsOf(name: string, text: string): readonly RawRecord[] {
  const first = text.trimStart()[0];
  if (/\.(jsonl|ndjson)$/i.test(name)) return jsonLines(text);
  if (/\.json$/i.test(name) || first === '[') return jsonRows(name, text);
  if (first === '{')
    return text.trim().split('\n').length > 1 && isJson(text.trim().split('\n')[0] ?? '')
      ? jsonLines(text)
      : jsonRows(name, text);
  return csvRows(text);
}

function isJson(text: string): boolean {
  try {
    parseLossless(text);
    return true;
  } catch {
    return false;
  }
}

function jsonLines(text: string): readonly RawRecord[] {
  const lines = text.split('\n');
  if (lines.at(-1)?.trim() === '') lines.pop();
  return lines.map((whole, at) => {
    const line = at + 1;
    const raw = whole.replace(/\r$/, '');
    if (raw.trim() === '') return { type: 'blank', line };
    let data: unknown;
    try {
      data = parseLossless(raw);
    } catch {
      return { type: 'bad', line, reason: 'the line is not JSON', raw };
    }
    return fromObject(data, line, raw);
  });
}

function jsonRows(name: string, text: string): readonly RawRecord[] {
  let data: unknown;
  try {
    data = parseLossless(text);
  } catch (cause) {
    throw new TerminalError('unreadable_json', `${name} is not valid JSON`, { cause });
  }
  const list = Array.isArray(data) ? data : Object.values(data ?? {}).find((value) => Array.isArray(value));
  if (!Array.isArray(list)) throw new TerminalError('unreadable_json', `${name} holds no list of tickets`);
  return list.map((entry: unknown, at) => fromObject(entry, at + 1, JSON.stringify(plainValue(entry))));
}

function fromObject(data: unknown, line: number, raw: string): RawRecord {
  if (typeof data !== 'object' || data === null || Array.isArray(data) || isLosslessNumber(data)) {
    return { type: 'bad', line, reason: 'the row is not an object', raw };
  }
  const values = Object.entries(data).map(([name, value]) => [name, textOf(value)] as const);
  if (values.every(([, value]) => value.trim() === '')) return { type: 'blank', line };
  return { type: 'values', line, values: Object.fromEntries(values), raw };
}

function plainValue(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (_, inner: unknown) =>
      isLosslessNumber(inner) ? inner.toString() : inner,
    ),
  );
}

/** Numbers keep the digits they were written with; lists of plain values are joined, other structures stay JSON. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (isLosslessNumber(value) || typeof value === 'boolean') return value.toString();
  if (Array.isArray(value) && value.every((entry) => typeof entry !== 'object' || isLosslessNumber(entry))) {
    return value.map(textOf).join(', ');
  }
  return JSON.stringify(plainValue(value));
}

/** The delimiter that splits the header line into most columns, quoted parts apart. */
function delimiterOf(text: string): string {
  const header = (text.trimStart().split(/\r?\n/, 1)[0] ?? '').replaceAll(/"(?:[^"]|"")*"/g, '');
  const counts = [',', ';', '\t', '|'].map((delimiter) => ({
    delimiter,
    count: header.split(delimiter).length,
  }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).delimiter;
}

interface CsvRow {
  readonly record: readonly string[];
  readonly raw: string;
  readonly info: { readonly lines: number };
}

function csvRows(text: string): readonly RawRecord[] {
  const broken: RawRecord[] = [];
  const rows = parse(text, {
    delimiter: delimiterOf(text),
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: false,
    info: true,
    raw: true,
    skip_records_with_error: true,
    on_skip: (error, raw) => {
      const reason = 'a quote is never closed';
      broken.push({ type: 'bad', line: Number(error?.['lines'] ?? 0) || 1, reason, raw: raw ?? '' });
    },
  }) as unknown as readonly CsvRow[];
  const [header, ...body] = rows;
  if (header === undefined) return [];
  const columns = header.record.map((column) => column.trim());
  let line = header.info.lines + 1;
  const trailing = body.findLastIndex((row) => row.record.some((cell) => cell.trim() !== ''));
  const read = body.flatMap((row, at): readonly RawRecord[] => {
    const first = line;
    line = row.info.lines + 1;
    const raw = row.raw.replace(/\r?\n$/, '');
    if (row.record.every((cell) => cell.trim() === ''))
      return at > trailing && raw === '' && at === body.length - 1 ? [] : [{ type: 'blank', line: first }];
    if (row.record.length > columns.length) {
      const reason = `the row has ${row.record.length} cells, the header ${columns.length}`;
      return [{ type: 'bad', line: first, reason, raw }];
    }
    return [{ type: 'values', line: first, values: byColumn(columns, row.record), raw }];
  });
  return [...read, ...broken];
}

/** Repeated headers keep all their values, one a line. */
function byColumn(columns: readonly string[], cells: readonly string[]): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const [at, column] of columns.entries()) {
    const cell = cells[at] ?? '';
    const before = values[column];
    values[column] =
      before === undefined || before === '' ? cell : cell === '' ? before : `${before}\n${cell}`;
  }
  return values;
}
