import { TerminalError } from '../core/errors.ts';
import { fromCells, type Header, headerOf } from './csv-record.ts';
import { csvPages, delimiterIn, MAX_HEADER, namesDelimiter, type OpenText } from './csv-rows.ts';
import { type Encoding, encodingOf, textOf } from './decode.ts';
import { withItems } from './items.ts';
import { isJsonObject, recordsOf } from './json-record.ts';
import { type JsonPlace, jsonPages, linePages, placeOf } from './json-rows.ts';
import { MAX_ROW_CHARACTERS } from './piece.ts';
import type { RowPlace } from './row.ts';
import type { TicketSource } from './source.ts';
import type { Message } from './thread.ts';

/** One raw row: its values by column, or why it is none. */
export type RawRecord = Omit<RowPlace, 'file'> &
  (
    | {
        readonly type: 'values';
        readonly values: Readonly<Record<string, string>>;
        readonly thread: readonly Message[];
        readonly raw: string;
        /** Of JSON: the names of the lists and objects that the conversation was read from. */
        readonly talk?: readonly string[];
        /** Of delimited text: its header line, without which `raw` cannot be read again. */
        readonly header?: string;
      }
    | {
        readonly type: 'bad';
        readonly reason: string;
        readonly raw: string;
        readonly header?: string;
      }
    /** A row that says nothing. */
    | { readonly type: 'blank'; readonly reason?: string }
  );

/** How a file is written. */
export type Format = { readonly encoding: Encoding } & (
  | { readonly type: 'empty' | 'lines' }
  | { readonly type: 'csv'; readonly delimiter: string }
  | { readonly type: 'json'; readonly place: JsonPlace }
);

/** The rows of a file, whatever its format; they can be read more than once. */
export interface Records {
  readonly name: string;
  readonly format: Format;
  readonly pages: () => AsyncIterable<readonly RawRecord[]>;
}

/** Reads how a file is written: by the ending of its name, else by how its text begins. */
export async function openRecords(source: TicketSource): Promise<Records> {
  const { name } = source;
  const encoding = await encodingOf(source);
  const text: OpenText = () => textOf(source, encoding);
  const format = await formatOf(name, text, encoding);
  switch (format.type) {
    case 'empty':
      return { name, format, pages: noPages };
    case 'csv':
      return { name, format, pages: () => csvRecords(name, text, format.delimiter) };
    case 'lines':
      return { name, format, pages: () => withItems(mapped(linePages(text))) };
    case 'json':
      return { name, format, pages: () => withItems(mapped(jsonPages(text, format.place))) };
    default:
      return format satisfies never;
  }
}

async function* noPages(): AsyncGenerator<readonly RawRecord[]> {}

async function* mapped(pages: ReturnType<typeof linePages>): AsyncGenerator<readonly RawRecord[]> {
  for await (const page of pages) yield page.flatMap(recordsOf);
}

async function formatOf(name: string, text: OpenText, encoding: Encoding): Promise<Format> {
  const begin = await beginOf(text);
  if (begin.line === '') return { type: 'empty', encoding };
  if (/\.(jsonl|ndjson)$/i.test(name)) return { type: 'lines', encoding };
  // A whole object with more to come is a line of JSONL, whatever the name says.
  if (begin.more && isJsonObject(begin.line)) return { type: 'lines', encoding };
  const isCsv = /\.(csv|tsv|tab)$/i.test(name);
  if (!isCsv && (/\.json$/i.test(name) || /^[[{]/.test(begin.line))) {
    return { type: 'json', encoding, place: await placeOf(name, text) };
  }
  return { type: 'csv', encoding, delimiter: await delimiterIn(text) };
}

interface Begin {
  /** The first line with text, from its first visible character; empty where there is none, cut where it is too long. */
  readonly line: string;
  /** There is text behind it. */
  readonly more: boolean;
}

async function beginOf(text: OpenText): Promise<Begin> {
  let line = '';
  let ended = false;
  for await (const piece of text()) {
    if (ended) {
      if (piece.trim() !== '') return { line, more: true };
      continue;
    }
    const part = line === '' ? piece.trimStart() : piece;
    // What begins otherwise is no row of JSON: its first character is enough.
    const other = line === '' && part !== '' && !part.startsWith('{');
    if (other || line.length > MAX_ROW_CHARACTERS) return { line: other ? part.charAt(0) : '{', more: false };
    const end = part.search(/[\r\n]/);
    line += end < 0 ? part : part.slice(0, end);
    ended = end >= 0;
    if (ended && part.slice(end).trim() !== '') return { line, more: true };
  }
  return { line, more: false };
}

/** Characters of a column's name, which no spreadsheet allows more of: names go along with every row. */
const MAX_CELL = 32_767;

async function* csvRecords(
  name: string,
  text: OpenText,
  delimiter: string,
): AsyncGenerator<readonly RawRecord[]> {
  let header: Header | undefined;
  let separator = '';
  for await (const page of csvPages(text, delimiter)) {
    let rows = page;
    while (header === undefined) {
      const at = rows.findIndex(({ raw, tooLong }) => raw.trim() !== '' || tooLong !== undefined);
      const first = rows[at];
      if (first === undefined) break;
      rows = rows.slice(at + 1);
      if (separator === '' && namesDelimiter(first.raw)) {
        // Kept with the header, so that a rejected row is split as its file was.
        separator = `${first.raw.trimStart()}\n`;
        continue;
      }
      if (first.cells === undefined) {
        const why = first.tooLong === undefined ? 'a quote in the header line is never closed' : first.reason;
        throw new TerminalError('unreadable_csv', `${name}: ${why}`);
      }
      header = headerOf(separator + first.raw, first.cells);
      if (first.raw.length > MAX_HEADER || header.columns.some((column) => column.length > MAX_CELL))
        throw new TerminalError('unreadable_csv', `${name}: the first line is too long to be a header line`);
    }
    if (header === undefined) continue;
    const columns = header;
    yield rows.map((row) => fromCells(row, columns));
  }
}
