import { parse } from 'csv-parse/sync';
import type { Piece } from './json-rows.ts';

/** One row of delimited text: its cells, or undefined when its quote is never closed. */
export interface CsvPiece extends Piece {
  readonly cells: readonly string[] | undefined;
}

const delimiters = [',', ';', '\t', '|', '^', '~'];
/** No cell holds it, so that a file of one column is read as one column whatever its text. */
const NO_DELIMITER = '\u001f';
/** How often reading starts anew behind a quote that is never closed; then the rest is one row. */
const MAX_RESTARTS = 100;

/** The character that splits the header line into most columns, quoted parts apart. */
export function delimiterOf(text: string): string {
  const counts = new Map(delimiters.map((delimiter) => [delimiter, 0]));
  let quoted = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    if (quoted) continue;
    if (character === '\n' || character === '\r') break;
    const count = counts.get(character);
    if (count !== undefined) counts.set(character, count + 1);
  }
  const [best] = [...counts].sort(([, one], [, other]) => other - one);
  return best === undefined || best[1] === 0 ? NO_DELIMITER : best[0];
}

interface Parsed {
  readonly record: readonly string[];
  readonly info: { readonly bytes: number };
}

function isParsed(value: unknown): value is Parsed {
  return typeof value === 'object' && value !== null && 'record' in value && 'info' in value;
}

/** The rows up to a quote that is never closed. */
function parseRows(bytes: Buffer, delimiter: string): readonly Parsed[] {
  const rows: unknown = parse(bytes, {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_records_with_error: true,
    info: true,
  });
  return Array.isArray(rows) ? rows.filter(isParsed) : [];
}

/** Every row of delimited text, the header first. */
export function csvRows(text: string): readonly CsvPiece[] {
  const delimiter = delimiterOf(text);
  const bytes = Buffer.from(text);
  const pieces: CsvPiece[] = [];
  let line = 1;
  let start = 0;
  const take = (end: number, cells: readonly string[] | undefined): void => {
    const raw = bytes.toString('utf8', start, end);
    pieces.push({ line, raw: raw.replace(/(\r\n|\n|\r)$/, ''), cells });
    line += raw.match(/\r\n|\n|\r/g)?.length ?? 0;
    start = end;
  };
  for (let restarts = 0; start < bytes.length; restarts += 1) {
    const offset = start;
    for (const { record, info } of parseRows(bytes.subarray(offset), delimiter))
      take(offset + info.bytes, record);
    if (start >= bytes.length) break;
    // A quote that is never closed would swallow every later row: it costs its own line only.
    const end = bytes.indexOf('\n', start);
    take(end < 0 || restarts >= MAX_RESTARTS ? bytes.length : end + 1, undefined);
  }
  return pieces;
}
