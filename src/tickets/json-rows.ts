import { TerminalError } from '../core/errors.ts';
import { recognise } from './columns.ts';
import type { OpenText } from './csv-rows.ts';
import { endMembers, isOver, type Member, splitMembers, startMembers } from './json-split.ts';
import { createLineSplitter } from './line-split.ts';
import { MAX_ROW_CHARACTERS, type Piece } from './piece.ts';
import { isThreadName } from './thread.ts';

/** Where the rows of JSON text are: in the list that opens so many characters from its start, or it is one row as a whole. */
export type JsonPlace =
  | { readonly type: 'list'; readonly at: number; readonly whole: boolean }
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
/** A frame around tickets has fewer. */
const MAX_NAMES = 1000;

const listName = /^(tickets|issues|conversations|cases|requests|results|items|data|rows|records)$/i;
/** A list of objects, or an empty one. */
const listMember = /^\s*"((?:[^"\\]|\\.)*)"\s*:\s*\[\s*[{\]]/;

/** The name and the kind of a member of an object that is a text or a number. */
const plainMember = /^\s*"((?:[^"\\]|\\.)*)"\s*:\s*["\d-]/;

/**
 * Finds the rows of JSON text: a list, the one list in an object, or the object itself when it holds none, or when it
 * is a ticket by its own id and words: then its lists are labels, comments and the like.
 */
export async function placeOf(name: string, text: OpenText): Promise<JsonPlace> {
  const { at: first, character } = await firstVisible(text);
  if (character !== '[' && character !== '{') {
    throw new TerminalError('unreadable_json', `${name} is not JSON: it starts with neither [ nor {`);
  }
  if (character === '[') return { type: 'list', at: first, whole: true };
  let place: JsonPlace = { type: 'object' };
  const names: string[] = [];
  for await (const members of membersIn(text, first, false, MAX_NAME_LENGTH)) {
    for (const member of members) {
      const plain = plainMember.exec(member.text)?.[1];
      if (plain !== undefined && names.length < MAX_NAMES) names.push(plain);
      const found = listMember.exec(member.text);
      if (found === null) continue;
      const [opening, name = ''] = found;
      const list: JsonPlace = { type: 'list', at: member.at + opening.lastIndexOf('['), whole: false };
      if (listName.test(name) && !(isThreadName(name) && isTicket(names))) return list;
      if (place.type === 'object') place = list;
    }
  }
  return isTicket(names) ? { type: 'object' } : place;
}

/** Whether an object with texts or numbers under these names is a ticket, and no frame around some. */
function isTicket(names: readonly string[]): boolean {
  const { id, subject, body } = recognise(names, {}).of;
  return id.length > 0 && subject.length + body.length > 0;
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
  const state = startMembers(at, withRest, max);
  for await (const piece of text()) {
    yield splitMembers(state, piece);
    if (isOver(state)) return;
  }
  yield endMembers(state);
}

/** The rows of JSON text in pages. Behind a list on its own nothing may follow; it would be lost without a word. */
export async function* jsonPages(text: OpenText, place: JsonPlace): AsyncGenerator<readonly Piece[]> {
  if (place.type === 'object') {
    yield [await wholeText(text)];
    return;
  }
  for await (const members of membersIn(text, place.at, place.whole, MAX_ROW_CHARACTERS)) {
    yield members.map(({ line, text: raw, length }) =>
      length > MAX_ROW_CHARACTERS ? { line, raw: '', tooLong: length } : { line, raw: raw.trim() },
    );
  }
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
