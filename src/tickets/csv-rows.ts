import { parse } from 'csv-parse/sync';
import { type CsvSplit, endCsv, type OpenRow, splitCsv, startCsv } from './csv-split.ts';
import { type Piece, tooLongReason } from './piece.ts';
import { one } from './source.ts';

/** One row of delimited text: its cells, or why there are none. */
export interface CsvPiece extends Piece {
  readonly cells: readonly string[] | undefined;
  readonly reason?: string;
}

/** A file's text from its start, as often as it is asked for. */
export type OpenText = () => AsyncIterable<string>;

const delimiters = [',', ';', '\t', '|', '^', '~'];
/** No cell holds it, so that a file of one column is read as one column whatever its text. */
export const NO_DELIMITER = '\u001f';
/** How often reading starts anew behind a quote that is never closed; then the rest is one row. */
const MAX_RESTARTS = 20;
/** A header line is not longer. */
export const MAX_HEADER = 1024 * 1024;

/** Excel's own first line `sep=;`: it names what splits the rows that follow, and is no row. */
const namedDelimiter = /^\s*"?sep=(\t|[^\p{L}\p{N}\s"])"?\1*[^\S\r\n\t]*(?:[\r\n]|$)/iu;

/** Whether a line names the delimiter and does nothing else. */
export const namesDelimiter = (line: string): boolean => namedDelimiter.test(line);

/** The delimiter that the first line names; else the character that splits the header line into most columns, quoted parts apart. */
export function delimiterOf(text: string): string {
  const named = namedDelimiter.exec(text)?.[1];
  if (named !== undefined) return named;
  const counts = new Map(delimiters.map((delimiter) => [delimiter, 0]));
  let quoted = false;
  for (const character of text.trimStart()) {
    if (character === '"') quoted = !quoted;
    if (quoted) continue;
    if (character === '\n' || character === '\r') break;
    const count = counts.get(character);
    if (count !== undefined) counts.set(character, count + 1);
  }
  const [best] = [...counts].sort(([, one], [, other]) => other - one);
  return best === undefined || best[1] === 0 ? NO_DELIMITER : best[0];
}

/** The delimiter of a file, told by its beginning. */
export async function delimiterIn(text: OpenText): Promise<string> {
  let head = '';
  for await (const piece of text()) {
    head += piece;
    if (head.length >= MAX_HEADER) break;
  }
  return delimiterOf(head.slice(0, MAX_HEADER));
}

/**
 * Every row of delimited text, the header first, in pages. A quote that is never closed would swallow every later row:
 * it costs its own line only, and reading starts anew behind that line.
 */
export async function* csvPages(
  text: OpenText,
  delimiter: string,
  max?: number,
): AsyncGenerator<readonly CsvPiece[]> {
  let state = startCsv(delimiter, undefined, max);
  let source = text();
  for (let restarts = 0; ; restarts += 1) {
    for await (const piece of source) yield withCells(splitCsv(state, piece), delimiter);
    const { rows, open } = endCsv(state);
    yield withCells(rows, delimiter);
    if (open === undefined) return;
    const { line, at, firstLine, firstLength } = open;
    if (firstLength === undefined || restarts >= MAX_RESTARTS) {
      yield [unclosed(open, open.text ?? '')];
      return;
    }
    yield [unclosed(open, firstLine)];
    const lines = firstLine.match(/\r\n|\n|\r/g)?.length ?? 1;
    const next = { line: line + lines, at: at + firstLength };
    state = startCsv(delimiter, next, max);
    source = open.text === undefined ? behind(text, next.at) : one(open.text.slice(firstLength));
  }
}

const unclosed = ({ line }: OpenRow, raw: string): CsvPiece => ({
  line,
  raw: raw.replace(/(\r\n|\n|\r)$/, ''),
  cells: undefined,
  reason: 'a quote is never closed',
});

async function* behind(text: OpenText, at: number): AsyncGenerator<string> {
  let left = at;
  for await (const piece of text()) {
    if (piece.length > left) yield piece.slice(left);
    left = Math.max(0, left - piece.length);
  }
}

/** Rows with their cells; one that csv-parse does not take for one row is given without, and its neighbours go on. */
export function withCells(rows: readonly CsvSplit[], delimiter: string): readonly CsvPiece[] {
  const quoted = rows.filter((row) => row.quoted && row.tooLong === undefined);
  const parsed = parsedRows(quoted, delimiter);
  return rows.map((row) => {
    const { line, raw, tooLong } = row;
    if (tooLong !== undefined)
      return { line, raw, tooLong, cells: undefined, reason: tooLongReason(tooLong) };
    const cells = row.quoted ? parsed.get(row) : raw.split(delimiter);
    return cells === undefined
      ? { line, raw, cells, reason: 'its quotes cannot be read' }
      : { line, raw, cells };
  });
}

/** Many rows at once, because starting the parser costs more than a row does; one by one where that does not come out even. */
function parsedRows(
  rows: readonly CsvSplit[],
  delimiter: string,
): ReadonlyMap<CsvSplit, readonly string[] | undefined> {
  const cells = rows.length === 0 ? [] : parseCsv(rows.map(({ raw }) => raw).join('\n'), delimiter);
  if (cells.length === rows.length) return new Map(rows.map((row, at) => [row, cells[at]]));
  return new Map(
    rows.map((row) => {
      const [own, ...more] = parseCsv(row.raw, delimiter);
      return [row, more.length === 0 ? own : undefined];
    }),
  );
}

/** Rows of cells; rows that the parser cannot make out are missing. */
export function parseCsv(text: string, delimiter: string): readonly (readonly string[])[] {
  return parse(text, {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_records_with_error: true,
  });
}
