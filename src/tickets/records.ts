import { isLosslessNumber, parse as parseLossless, stringify as stringifyLossless } from 'lossless-json';
import { TerminalError } from '../core/errors.ts';
import { csvRows } from './csv-rows.ts';
import { jsonLines, jsonRows, type Piece } from './json-rows.ts';
import { plainRow } from './row-forms.ts';
import { cellMessage, isData, isThreadName, type Message, threadOf } from './thread.ts';

/** One raw row: its values by column, or why it is none. */
export type RawRecord =
  | {
      readonly type: 'values';
      readonly line: number;
      readonly values: Readonly<Record<string, string>>;
      readonly thread: readonly Message[];
      readonly raw: string;
    }
  | { readonly type: 'bad'; readonly line: number; readonly reason: string; readonly raw: string }
  | { readonly type: 'blank'; readonly line: number };

/** Objects inside a row become columns with dots in their names, so deep; what is deeper stays JSON text. */
const MAX_DEPTH = 4;
/** Text of deeper structures is not made: writing it would end the stack. */
const MAX_LEVELS = 100;

/** The rows of a file, whatever its format: by the ending of its name, else by how its text begins. */
export function recordsOf(name: string, text: string): readonly RawRecord[] {
  const records = readersOf(name, text)(name, text);
  return records.every(({ type }) => type === 'blank') ? [] : records;
}

type Reader = (name: string, text: string) => readonly RawRecord[];

function readersOf(name: string, text: string): Reader {
  if (text.trim() === '') return () => [];
  if (/\.(csv|tsv|tab)$/i.test(name)) return csvRecords;
  if (/\.(jsonl|ndjson)$/i.test(name)) return lineRecords;
  const begin = text.trimStart();
  if (/\.json$/i.test(name) || begin.startsWith('[') || begin.startsWith('{')) {
    return startsWithRow(begin) ? lineRecords : listRecords;
  }
  return csvRecords;
}

/** Whether the first line is a whole object with more to come: then the text is JSONL, whatever its name says. */
function startsWithRow(begin: string): boolean {
  const end = begin.search(/[\r\n]/);
  return end > 0 && begin.slice(end).trim() !== '' && isData(parsed(begin.slice(0, end)));
}

/** Undefined for what is no JSON. */
function parsed(raw: string): unknown {
  try {
    return parseLossless(raw);
  } catch {
    return undefined;
  }
}

const lineRecords: Reader = (_name, text) => jsonLines(text).map(fromJson);
const listRecords: Reader = (name, text) => jsonRows(name, text).map(fromJson);

function fromJson({ line, raw }: Piece): RawRecord {
  if (raw.trim() === '') return { type: 'blank', line };
  const data = parsed(raw);
  if (data === undefined) return { type: 'bad', line, reason: 'the row is not valid JSON', raw };
  if (!isData(data) || isLosslessNumber(data)) {
    return { type: 'bad', line, reason: 'the row is not an object', raw };
  }
  const row = plainRow(data);
  const values = Object.fromEntries(columnsIn(row, '', 1));
  const thread = threadOf(row);
  const empty = thread.length === 0 && Object.values(values).every((value) => value.trim() === '');
  return empty ? { type: 'blank', line } : { type: 'values', line, values, thread, raw };
}

function columnsIn(data: Readonly<Record<string, unknown>>, path: string, depth: number): [string, string][] {
  return Object.entries(data).flatMap(([name, value]): [string, string][] => {
    if (typeof value === 'object' && isThreadName(name) && !isLosslessNumber(value)) return [];
    if (!isData(value) || isLosslessNumber(value) || depth >= MAX_DEPTH)
      return [[path + name, textOf(value)]];
    return columnsIn(value, `${path}${name}.`, depth + 1);
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

const csvRecords: Reader = (name, text) => {
  const pieces = csvRows(text);
  const at = pieces.findIndex(({ raw }) => raw.trim() !== '');
  const header = pieces[at];
  if (header === undefined) return [];
  if (header.cells === undefined) {
    throw new TerminalError('unreadable_csv', `${name}: a quote in the header line is never closed`);
  }
  const columns = header.cells.map((cell, index) => cell.trim() || `column ${index + 1}`);
  return pieces.slice(at + 1).map(({ line, raw, cells }): RawRecord => {
    if (cells === undefined) return { type: 'bad', line, reason: 'a quote is never closed', raw };
    if (cells.every((cell) => cell.trim() === '')) return { type: 'blank', line };
    // Spreadsheets end rows with delimiters to spare; text in a cell too many is a row gone wrong.
    const used = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
    if (used > columns.length) {
      const reason = `the row has ${cells.length} cells, the header ${columns.length}`;
      return { type: 'bad', line, reason, raw };
    }
    return { type: 'values', line, ...byColumn(columns, cells), raw };
  });
};

/** Repeated headers keep all their values, one a line; comments are a thread as well. */
function byColumn(
  columns: readonly string[],
  cells: readonly string[],
): { readonly values: Readonly<Record<string, string>>; readonly thread: readonly Message[] } {
  const values = new Map<string, string>();
  const thread: Message[] = [];
  for (const [at, column] of columns.entries()) {
    const cell = cells[at] ?? '';
    const before = values.get(column) ?? '';
    values.set(column, before === '' || cell === '' ? before + cell : `${before}\n${cell}`);
    if (isThreadName(column) && cell.trim() !== '') thread.push(cellMessage(column, cell));
  }
  return { values: Object.fromEntries(values), thread };
}
