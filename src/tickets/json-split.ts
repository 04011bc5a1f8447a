import { LINE_FEED, QUOTE } from './piece.ts';

/** A member of a list or an object, as it is written. */
export interface Member {
  /** Of its first visible character. */
  readonly line: number;
  /** Characters of the whole text in front of it. */
  readonly at: number;
  /** Its text, or so much of its beginning as is held. */
  readonly text: string;
  readonly length: number;
}

/**
 * Where a scanner of members stands. Nothing is parsed here, so that one broken row costs only itself and every row
 * keeps its line and its digits.
 */
export interface MembersState {
  /** Characters that are held of one member. */
  readonly max: number;
  /** What stands behind the list is one more member; else the scan is over when the list is. */
  readonly withRest: boolean;
  /** Characters still to pass over in front of the list or object. */
  skip: number;
  /** The line and the place of the next character. */
  line: number;
  at: number;
  depth: number;
  inQuotes: boolean;
  escaped: boolean;
  closed: boolean;
  /** Characters of the whole text up to the end of the list, once it is closed. */
  end: number;
  /** The present member. */
  start: number;
  held: string;
  length: number;
  begunLine: number;
}

const [COMMA, BACKSLASH, SPACE, LIST, LIST_END, OBJECT, OBJECT_END] = [44, 92, 32, 91, 93, 123, 125];

/** Starts at the `[` or `{` that stands `open` characters from the start of the text. */
export function startMembers(open: number, withRest: boolean, max: number): MembersState {
  return {
    ...{ max, withRest, skip: open, line: 1, at: 0, depth: 0 },
    ...{ inQuotes: false, escaped: false, closed: false, end: 0 },
    ...{ start: open + 1, held: '', length: 0, begunLine: 0 },
  };
}

/** Whether nothing that is still to come can be a member. */
export const isOver = (state: MembersState): boolean => state.closed && !state.withRest;

/** The members that end in this piece of the text. */
export function splitMembers(state: MembersState, text: string): readonly Member[] {
  const members: Member[] = [];
  let from = 0;
  for (let at = 0; at < text.length && !isOver(state); at += 1) {
    const code = text.charCodeAt(at);
    if (state.skip > 0) {
      state.skip -= 1;
      from = at + 1;
    } else if (!state.closed) {
      const edge = edgeAt(state, code);
      if (edge === 'end' || (edge === 'close' && !isBlank(state, text.slice(from, at)))) {
        members.push(takeMember(state, text.slice(from, at)));
      }
      if (edge === 'close') state.end = state.at + at + 1;
      if (edge !== undefined) {
        from = at + 1;
        Object.assign(state, { start: state.at + at + 1, held: '', length: 0, begunLine: 0 });
        continue;
      }
    }
    if (code === LINE_FEED) state.line += 1;
    else if (state.begunLine === 0 && from <= at && isVisible(code)) state.begunLine = state.line;
  }
  hold(state, text.slice(from));
  state.at += text.length;
  return members;
}

/** What is left when the text has ended: a list that was cut short, or what stands behind it. */
export function endMembers(state: MembersState): readonly Member[] {
  return isOver(state) || isBlank(state, '') ? [] : [takeMember(state, '')];
}

/** What a character outside of members means: the list opens, a member ends, the list closes. */
function edgeAt(state: MembersState, code: number): 'open' | 'end' | 'close' | undefined {
  if (state.inQuotes) {
    if (state.escaped) state.escaped = false;
    else if (code === BACKSLASH) state.escaped = true;
    else if (code === QUOTE) state.inQuotes = false;
    return undefined;
  }
  switch (code) {
    case QUOTE:
      state.inQuotes = true;
      return undefined;
    case LIST:
    case OBJECT:
      state.depth += 1;
      return state.depth === 1 ? 'open' : undefined;
    case LIST_END:
    case OBJECT_END:
      state.depth -= 1;
      if (state.depth > 0) return undefined;
      state.closed = true;
      return 'close';
    default:
      return code === COMMA && state.depth === 1 ? 'end' : undefined;
  }
}

const isVisible = (code: number): boolean =>
  (code > SPACE && code < 128) || String.fromCharCode(code).trim() !== '';

const isBlank = (state: MembersState, part: string): boolean => state.begunLine === 0 && part.trim() === '';

function hold(state: MembersState, text: string): void {
  const room = state.max - state.held.length;
  if (room > 0) state.held += text.slice(0, room);
  state.length += text.length;
}

function takeMember(state: MembersState, part: string): Member {
  hold(state, part);
  const { start, held, length, begunLine, line } = state;
  return { line: begunLine || line, at: start, text: held, length };
}
