import { CARRIAGE_RETURN, LINE_FEED, MAX_ROW_CHARACTERS, type Piece, QUOTE } from './piece.ts';

/** A row of delimited text, its line end left out. */
export interface CsvSplit extends Piece {
  /** It holds a quote, so that its cells are not simply what stands between delimiters. */
  readonly quoted: boolean;
}

/** A row whose quote is still open where the text ends. */
export interface OpenRow {
  readonly line: number;
  /** All of it, line ends and all; undefined where it is too long to be held. */
  readonly text: string | undefined;
  /** Its first line with its line end, behind which reading can go on: empty where it is too long by itself. */
  readonly firstLine: string;
  /** Characters of that line; undefined where the text has no other line. */
  readonly firstLength: number | undefined;
  /** Characters in front of it. */
  readonly at: number;
}

/** Where a splitter of rows stands. */
export interface CsvState {
  readonly delimiter: number;
  readonly max: number;
  /** The line and the place where the row begins. */
  line: number;
  at: number;
  /** The row as far as it came in earlier pieces of text; given up when it is too long. */
  held: string;
  heldLength: number;
  heldLines: number;
  heldReturn: boolean;
  firstLine: string;
  firstLength: number | undefined;
  quoted: boolean;
  inQuotes: boolean;
  /** The last character was a quote inside quotes: it closes them, unless another follows. */
  afterQuote: boolean;
  /** The last character was \r: the row has ended, with or without a \n. */
  afterReturn: boolean;
  cellIsEmpty: boolean;
}

export function startCsv(
  delimiter: string,
  from: { readonly line: number; readonly at: number } = { line: 1, at: 0 },
  max = MAX_ROW_CHARACTERS,
): CsvState {
  return {
    ...{ delimiter: delimiter.charCodeAt(0), max, line: from.line, at: from.at },
    ...{ held: '', heldLength: 0, heldLines: 0, heldReturn: false, quoted: false },
    ...{ firstLine: '', firstLength: undefined },
    ...{ inQuotes: false, afterQuote: false, afterReturn: false, cellIsEmpty: true },
  };
}

/**
 * The rows that end in this piece of text. It follows csv-parse in what a quote opens and closes: one at the start of a
 * cell opens, a single one inside closes, whatever follows. What the cells are is left to csv-parse.
 */
export function splitCsv(state: CsvState, text: string): readonly CsvSplit[] {
  const rows: CsvSplit[] = [];
  const next = { feed: -1, quote: -1, return: -1 };
  let start = 0;
  let at = 0;
  const end = (): void => {
    rows.push(takeRow(state, text.slice(start, at)));
    start = at;
  };
  while (at < text.length) {
    if (state.afterReturn) {
      state.afterReturn = false;
      if (text.charCodeAt(at) === LINE_FEED) at += 1;
      end();
      continue;
    }
    // Most rows have no quotes and end with \n: these need not be looked at character by character.
    if (at === start && state.heldLength === 0) {
      if (next.feed < at) next.feed = placeOf(text, '\n', at);
      if (next.quote < at) next.quote = placeOf(text, '"', at);
      if (next.return < at) next.return = placeOf(text, '\r', at);
      if (next.feed < next.quote && next.feed <= next.return + 1) {
        at = next.feed + 1;
        end();
        continue;
      }
    }
    const ended = step(state, text.charCodeAt(at));
    at += 1;
    if (ended) end();
  }
  hold(state, text.slice(start));
  return rows;
}

function placeOf(text: string, character: string, from: number): number {
  const found = text.indexOf(character, from);
  return found < 0 ? Number.POSITIVE_INFINITY : found;
}

/** Takes one character; says whether it ends the row. */
function step(state: CsvState, code: number): boolean {
  if (state.afterQuote) {
    state.afterQuote = false;
    if (code === QUOTE) return false;
    state.inQuotes = false;
    state.cellIsEmpty = false;
  }
  if (state.inQuotes) {
    state.afterQuote = code === QUOTE;
    return false;
  }
  if (code === QUOTE) {
    state.quoted = true;
    state.inQuotes = state.cellIsEmpty;
    return false;
  }
  state.afterReturn = code === CARRIAGE_RETURN;
  state.cellIsEmpty = code === state.delimiter;
  return code === LINE_FEED;
}

/** Line ends in the next part of a row; one of two characters may come in two parts. */
function linesIn(state: CsvState, text: string): number {
  const lines = text.match(/\r\n|\n|\r/g)?.length ?? 0;
  return state.heldReturn && text.startsWith('\n') ? lines - 1 : lines;
}

function hold(state: CsvState, text: string): void {
  if (text === '') return;
  const before = state.heldLength;
  if (state.firstLength === undefined && text.includes('\n'))
    state.firstLength = before + text.indexOf('\n') + 1;
  state.heldLines += linesIn(state, text);
  state.heldReturn = text.endsWith('\r');
  state.heldLength += text.length;
  if (state.heldLength <= state.max) {
    state.held += text;
    return;
  }
  if (before <= state.max) state.firstLine = firstLineOf(state, state.held + text);
  state.held = '';
}

function firstLineOf({ firstLength, max }: CsvState, text: string): string {
  return firstLength === undefined || firstLength > max ? '' : text.slice(0, firstLength);
}

function takeRow(state: CsvState, part: string): CsvSplit {
  // Without quotes a row has one line end, and millions of rows need not be looked through for it.
  const lines = state.quoted || state.heldLength > 0 ? state.heldLines + linesIn(state, part) : 1;
  const length = state.heldLength + part.length;
  const raw = (state.held + part).replace(/(\r\n|\n|\r)$/, '');
  const { line, quoted } = state;
  state.line += lines;
  state.at += length;
  state.held = '';
  state.heldLength = 0;
  state.heldLines = 0;
  state.heldReturn = false;
  state.firstLine = '';
  state.firstLength = undefined;
  state.quoted = false;
  state.inQuotes = false;
  state.afterQuote = false;
  state.cellIsEmpty = true;
  return length > state.max ? { line, raw: '', tooLong: length, quoted } : { line, raw, quoted };
}

/** What is left when the text has ended: a row without a line end, or one whose quote was never closed. */
export function endCsv(state: CsvState): { readonly rows: readonly CsvSplit[]; readonly open?: OpenRow } {
  const { line, at, held, heldLength, firstLength } = state;
  if (heldLength === 0) return { rows: [] };
  if (!state.inQuotes || state.afterQuote) return { rows: [takeRow(state, '')] };
  const tooLong = heldLength > state.max;
  const firstLine = tooLong ? state.firstLine : firstLineOf(state, held);
  return { rows: [], open: { line, at, text: tooLong ? undefined : held, firstLine, firstLength } };
}
