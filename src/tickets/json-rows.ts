import { TerminalError } from '../core/errors.ts';

/** A piece of a file and the line it starts in, from 1. */
export interface Piece {
  readonly line: number;
  readonly raw: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The lines of JSONL. What follows the last line end is no line when it is empty. */
export function jsonLines(text: string): readonly Piece[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1)?.trim() === '') lines.pop();
  return lines.map((raw, at) => ({ line: at + 1, raw }));
}

/**
 * The members of the list or object that opens at `open`, as they are written, and where it closes. Nothing is parsed
 * here, so that one broken row costs only itself and every row keeps its line and its digits.
 */
function members(text: string, open: number): { readonly spans: readonly Span[]; readonly close: number } {
  const spans: Span[] = [];
  let depth = 0;
  let start = open + 1;
  let quoted = false;
  for (let at = open; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character === '\\') at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ',' && depth === 1) {
      spans.push({ start, end: at });
      start = at + 1;
    } else if (character === ']' || character === '}') {
      depth -= 1;
      if (depth > 0) continue;
      if (text.slice(start, at).trim() !== '') spans.push({ start, end: at });
      return { spans, close: at };
    }
  }
  if (text.slice(start).trim() !== '') spans.push({ start, end: text.length });
  return { spans, close: text.length };
}

const listName = /^(tickets|issues|conversations|cases|requests|results|items|data|rows|records)$/i;

/** Where the list of rows opens in the object that opens at `open`: a list of objects, or an empty one. */
function listIn(text: string, open: number): number | undefined {
  const lists = members(text, open).spans.flatMap(({ start, end }) => {
    const found = /^\s*"((?:[^"\\]|\\.)*)"\s*:\s*\[\s*[{\]]/.exec(text.slice(start, end));
    if (found === null) return [];
    return { name: found[1] ?? '', open: start + found[0].lastIndexOf('[') };
  });
  return (lists.find(({ name }) => listName.test(name)) ?? lists[0])?.open;
}

/** The rows of JSON text: of a list, of the one list in an object, or the object itself when it holds none. */
export function jsonRows(name: string, text: string): readonly Piece[] {
  const first = text.length - text.trimStart().length;
  if (text[first] !== '[' && text[first] !== '{') {
    throw new TerminalError('unreadable_json', `${name} is not JSON: it starts with neither [ nor {`);
  }
  const open = text[first] === '[' ? first : listIn(text, first);
  if (open === undefined) return pieces(text, [{ start: first, end: text.length }]);
  const { spans, close } = members(text, open);
  // Behind a list on its own nothing may follow; it would be lost without a word.
  const rest =
    open === first && text.slice(close + 1).trim() !== '' ? [{ start: close + 1, end: text.length }] : [];
  return pieces(text, [...spans, ...rest]);
}

function pieces(text: string, spans: readonly Span[]): readonly Piece[] {
  let line = 1;
  let counted = 0;
  return spans.map(({ start, end }) => {
    const whole = text.slice(start, end);
    const begin = start + whole.length - whole.trimStart().length;
    for (; counted < begin; counted += 1) if (text[counted] === '\n') line += 1;
    return { line, raw: whole.trim() };
  });
}
