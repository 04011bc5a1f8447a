import { TerminalError } from '../core/errors.ts';
import type { OpenText } from './csv-rows.ts';
import { listKind, MAX_WRAPPERS, tellsTicket } from './json-lists.ts';
import {
  endMembers,
  isOver,
  type Member,
  type MembersState,
  splitMembers,
  startMembers,
} from './json-split.ts';
import { createLineSplitter } from './line-split.ts';
import { MAX_ROW_CHARACTERS, type Piece } from './piece.ts';
import { isThreadName } from './thread.ts';

/**
 * Where the rows of JSON text are: in the list that opens so many characters from its start, with so many objects around
 * it, or it is one row as a whole.
 */
export type JsonPlace =
  | { readonly type: 'list'; readonly at: number; readonly depth: number }
  | { readonly type: 'object' };

/** The lines of JSONL. What follows the last line end is no line when it is empty. */
export function jsonLines(text: string): readonly Piece[] {
  const splitter = createLineSplitter();
  return [...splitter.push(text), ...splitter.end()];
}

/** The lines of JSONL in pages. */
export async function* linePages(text: OpenText): AsyncGenerator<readonly Piece[]> {
  const splitter = createLineSplitter();
  for await (const piece of text()) yield splitter.push(piece);
  yield splitter.end();
}

/** Longer names are no names of lists, and a pattern that runs over megabytes of one would overflow. */
const MAX_NAME_LENGTH = 1000;

/** A name and the bracket behind it: a list of objects or an empty one, or an object. */
const listMember = /^\s*"((?:[^"\\]|\\.)*)"\s*:\s*\[\s*[{\]]/;
const objectMember = /^\s*"((?:[^"\\]|\\.)*)"\s*:\s*\{/;
/** A name with a plain value that is not empty. */
const plainMember = /^\s*"((?:[^"\\]|\\.)*)"\s*:\s*(?:"\s*[^"\s]|[-\d])/;
/** Objects of one object that are looked into. */
const MAX_LOOKS = 10;

/** Finds the rows of JSON text: a list, the list of a page of an API, the one list in an object that is no ticket, or the object itself. */
export async function placeOf(name: string, text: OpenText): Promise<JsonPlace> {
  const { at, character } = await firstVisible(text);
  if (character !== '[' && character !== '{') {
    throw new TerminalError('unreadable_json', `${name} is not JSON: it starts with neither [ nor {`);
  }
  if (character === '[') return { type: 'list', at, depth: 0 };
  return (await listUnder(text, { at, depth: 1, parent: undefined })) ?? { type: 'object' };
}

interface Place {
  readonly at: number;
  readonly depth: number;
  /** The name of the object that opens there. */
  readonly parent: string | undefined;
}

async function listUnder(text: OpenText, { at, depth, parent }: Place): Promise<JsonPlace | undefined> {
  let page: JsonPlace | undefined;
  let other: JsonPlace | undefined;
  let told = false;
  const objects: Place[] = [];
  for await (const members of membersIn(text, at, false, MAX_NAME_LENGTH)) {
    for (const member of members) {
      const found = listMember.exec(member.text);
      if (found !== null) {
        const list: JsonPlace = { type: 'list', at: member.at + found[0].lastIndexOf('['), depth };
        const kind = listKind({ name: found[1] ?? '', parent });
        if (kind === 'tickets') return list;
        if (kind === 'page') page ??= list;
        else if (depth === 1) other ??= list;
        continue;
      }
      told ||= tellsTicket(plainMember.exec(member.text)?.[1] ?? '', depth);
      const object = objectMember.exec(member.text);
      const name = object?.[1] ?? '';
      if (object === null || isThreadName(name) || depth >= MAX_WRAPPERS) continue;
      objects.push({ at: member.at + object[0].length - 1, depth: depth + 1, parent: name });
    }
  }
  if (told || page !== undefined) return told ? undefined : page;
  for (const object of objects.slice(0, MAX_LOOKS)) {
    const inner = await listUnder(text, object);
    if (inner !== undefined) return inner;
  }
  return other;
}

async function firstVisible(text: OpenText): Promise<{ readonly at: number; readonly character: string }> {
  let at = 0;
  for await (const piece of text()) {
    const visible = piece.trimStart();
    at += piece.length - visible.length;
    if (visible !== '') return { at, character: visible.charAt(0) };
  }
  return { at, character: '' };
}

async function* membersIn(
  text: OpenText,
  at: number,
  withRest: boolean,
  max: number,
): AsyncGenerator<readonly Member[]> {
  yield* membersFrom(text, startMembers(at, withRest, max));
}

async function* membersFrom(text: OpenText, state: MembersState): AsyncGenerator<readonly Member[]> {
  for await (const piece of text()) {
    yield splitMembers(state, piece);
    if (isOver(state)) return;
  }
  yield endMembers(state);
}

const pieceOf = ({ line, text: raw, length }: Member): Piece =>
  length > MAX_ROW_CHARACTERS ? { line, raw: '', tooLong: length } : { line, raw: raw.trim() };

/** The rows of JSON text in pages. What stands behind the list or behind its page is one more; it would be lost without a word. */
export async function* jsonPages(text: OpenText, place: JsonPlace): AsyncGenerator<readonly Piece[]> {
  if (place.type === 'object') {
    yield [await wholeText(text)];
    return;
  }
  const state = startMembers(place.at, place.depth === 0, MAX_ROW_CHARACTERS);
  for await (const members of membersFrom(text, state)) yield members.map(pieceOf);
  if (place.depth > 0 && state.closed) yield await behindPage(text, state.end, place.depth);
}

/** What follows the outermost of the objects around a list that has ended: another page, where pages were put into one file. */
async function behindPage(text: OpenText, end: number, depth: number): Promise<readonly Piece[]> {
  const state = { ...startMembers(end, true, MAX_ROW_CHARACTERS), depth, start: end };
  let last: readonly Member[] = [];
  for await (const members of membersFrom(text, state)) last = members;
  return state.closed ? last.map(pieceOf) : [];
}

async function wholeText(text: OpenText): Promise<Piece> {
  let whole = '';
  let length = 0;
  for await (const piece of text()) {
    length += piece.length;
    if (whole.length <= MAX_ROW_CHARACTERS) whole += piece;
  }
  const blank = whole.length - whole.trimStart().length;
  const line = 1 + (whole.slice(0, blank).match(/\n/g)?.length ?? 0);
  return length > MAX_ROW_CHARACTERS ? { line, raw: '', tooLong: length } : { line, raw: whole.trim() };
}
