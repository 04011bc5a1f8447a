import type { CsvPiece } from './csv-rows.ts';
import type { RawRecord } from './records.ts';
import { cellMessage, isThreadName, type Message } from './thread.ts';

/** The header line of a file, and the columns it names. */
export interface Header {
  readonly columns: readonly string[];
  /** As it is written. */
  readonly header: string;
  /** No column comes twice and none is a thread: a row's values are its cells. */
  readonly plain: boolean;
}

export function headerOf(header: string, cells: readonly string[]): Header {
  const columns = cells.map((cell, index) => cell.trim() || `column ${index + 1}`);
  const plain = new Set(columns).size === columns.length && !columns.some(isThreadName);
  return { columns, header, plain };
}

/** A row of cells as a record. */
export function fromCells(piece: CsvPiece, head: Header): RawRecord {
  const { line, raw, cells } = piece;
  const { columns, header } = head;
  const bad = (reason: string): RawRecord => ({ type: 'bad', line, reason, raw, header });
  if (cells === undefined) return bad(piece.reason ?? 'a quote is never closed');
  if (cells.every((cell) => cell.trim() === '')) return { type: 'blank', line };
  // Files that were put one behind the other.
  if (cells.length > 1 && cells.every((cell, at) => cell.trim() === columns[at]))
    return { type: 'blank', line, reason: 'it repeats the header' };
  // Spreadsheets end rows with delimiters to spare; text in a cell too many is a row gone wrong.
  const used = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  if (used > columns.length) return bad(`the row has ${cells.length} cells, the header ${columns.length}`);
  if (!head.plain) return { type: 'values', line, ...byColumn(columns, cells), raw, header };
  const values = Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? '']));
  return { type: 'values', line, values, thread: [], raw, header };
}

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
