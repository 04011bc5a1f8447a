import { isLosslessNumber, parse as parseLossless, stringify as stringifyLossless } from 'lossless-json';
import { fromCells, headerOf } from './csv-record.ts';
import { delimiterOf, namesDelimiter, parseCsv } from './csv-rows.ts';
import { pageRows } from './json-lists.ts';
import { hasTooManyValues, MAX_VALUES } from './json-values.ts';
import { type Piece, tooLongReason } from './piece.ts';
import type { RawRecord } from './records.ts';
import { plainRow } from './row-forms.ts';
import { isData, isThreadName, threadOf } from './thread.ts';

/** Objects inside a row become columns with dots in their names, so deep; what is deeper stays JSON text. */
const MAX_DEPTH = 4;
/** Text of deeper structures is not made: writing it would end the stack. */
const MAX_LEVELS = 100;

/** Undefined for what is no JSON. */
function parsed(raw: string): unknown {
  try {
    // A byte order mark stands before a row where files were put together.
    return parseLossless(raw.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

/** Whether a text is one whole object. */
export const isJsonObject = (raw: string): boolean => {
  const data = parsed(raw);
  return isData(data);
};

/**
 * The rows of a piece of JSON: those of its list where it is a page of an API, as exports write one a line. A line of
 * `rejected.jsonl` stands for what it holds, which may be mended by now.
 */
export function recordsOf(piece: Piece): readonly RawRecord[] {
  const { line, raw } = piece;
  if (piece.tooLong !== undefined) return [{ type: 'bad', line, reason: tooLongReason(piece.tooLong), raw }];
  if (raw.trim() === '') return [{ type: 'blank', line }];
  if (hasTooManyValues(raw))
    return [{ type: 'bad', line, reason: `the row has more than ${MAX_VALUES} values`, raw }];
  const data = parsed(raw);
  if (data === undefined) return [{ type: 'bad', line, reason: 'the row is not valid JSON', raw }];
  if (!isData(data)) return [{ type: 'bad', line, reason: 'the row is not an object', raw }];
  const rejected = rejectedIn(data);
  if (rejected !== undefined) {
    if (typeof rejected.raw !== 'string')
      return [fromData(rejected.raw, { line, raw: stringifyLossless(rejected.raw) ?? '' })];
    return rejected.header === undefined
      ? recordsOf({ line, raw: rejected.raw })
      : [fromCsvLine(rejected.raw, rejected.header, line)];
  }
  const rows = pageRows(data);
  if (rows === undefined) return [fromData(data, piece)];
  if (rows.length === 0) return [{ type: 'blank', line }];
  return rows.map((row) => fromData(row, { line, raw: stringifyLossless(row) ?? '' }));
}

function fromData(data: Readonly<Record<string, unknown>>, { line, raw }: Piece): RawRecord {
  const row = plainRow(data);
  const values = Object.fromEntries(columnsIn(row, '', 1));
  const thread = threadOf(row);
  const empty = thread.length === 0 && Object.values(values).every((value) => value.trim() === '');
  if (empty) return { type: 'blank', line };
  const talk = thread.length === 0 ? {} : { talk: talkIn(row, '', 1) };
  return { type: 'values', line, values, thread, raw, ...talk };
}

interface Rejected {
  readonly raw: string | Readonly<Record<string, unknown>>;
  readonly header: string | undefined;
}

/** Only what `rejected.jsonl` writes and nothing beside it: a ticket may well have a reason. */
function rejectedIn(data: Readonly<Record<string, unknown>>): Rejected | undefined {
  const { line, reason, raw, header, file = '', ...others } = data;
  if (Object.keys(others).length > 0 || !isLosslessNumber(line)) return undefined;
  if (typeof reason !== 'string' || typeof file !== 'string') return undefined;
  // Whoever mends a row of JSON may take it out of its quotes.
  if (typeof raw !== 'string' && !(isData(raw) && !isLosslessNumber(raw))) return undefined;
  if (header !== undefined && typeof header !== 'string') return undefined;
  return { raw, header };
}

function fromCsvLine(raw: string, header: string, line: number): RawRecord {
  const delimiter = delimiterOf(header);
  const [first, second] = parseCsv(header, delimiter);
  const names = namesDelimiter(header) ? second : first;
  const [cells, ...more] = parseCsv(raw, delimiter);
  if (cells === undefined && raw.trim() === '') return { type: 'blank', line };
  return fromCells(
    { line, raw, cells: more.length === 0 ? cells : undefined },
    headerOf(header, names ?? []),
  );
}

function columnsIn(data: Readonly<Record<string, unknown>>, path: string, depth: number): [string, string][] {
  return Object.entries(data).flatMap(([name, value]): [string, string][] => {
    if (typeof value === 'object' && isThreadName(name) && !isLosslessNumber(value)) return [];
    if (!isData(value) || depth >= MAX_DEPTH) return [[path + name, textOf(value)]];
    return columnsIn(value, `${path}${name}.`, depth + 1);
  });
}

/** The lists and objects that no column is made of, because they are a conversation. */
function talkIn(data: Readonly<Record<string, unknown>>, path: string, depth: number): readonly string[] {
  return Object.entries(data).flatMap(([name, value]) => {
    const isTalk = typeof value === 'object' && value !== null && !isLosslessNumber(value);
    if (isTalk && isThreadName(name)) return [path + name];
    return isData(value) && depth < MAX_DEPTH ? talkIn(value, `${path}${name}.`, depth + 1) : [];
  });
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

/** Numbers keep the digits they were written with; a list of plain or named values has one a line. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (isLosslessNumber(value) || typeof value === 'boolean') return value.toString();
  if (Array.isArray(value)) {
    const names = value.map((entry: unknown) => (isData(entry) && 'name' in entry ? entry['name'] : entry));
    if (names.every((entry) => typeof entry !== 'object' || entry === null || isLosslessNumber(entry))) {
      return names.map(textOf).join('\n');
    }
  }
  return isDeeperThan(value, MAX_LEVELS) ? '[too deep]' : (stringifyLossless(value) ?? '');
}
