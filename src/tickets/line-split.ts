import { LINE_FEED, MAX_ROW_CHARACTERS, type Piece } from './piece.ts';

/** Splits text that comes in pieces into lines. What follows the last line end is no line when it is blank. */
export interface LineSplitter {
  readonly push: (text: string) => readonly Piece[];
  readonly end: () => readonly Piece[];
}

export function createLineSplitter(max = MAX_ROW_CHARACTERS): LineSplitter {
  let line = 1;
  let held = '';
  let length = 0;
  let afterReturn = false;
  const hold = (text: string): void => {
    length += text.length;
    held = length > max ? '' : held + text;
  };
  const take = (): Piece => {
    const piece = { line, raw: held, ...(length > max ? { tooLong: length } : {}) };
    line += 1;
    held = '';
    length = 0;
    return piece;
  };
  return {
    push: (text) => {
      const pieces: Piece[] = [];
      // A line end of two characters may come in two pieces.
      let start = afterReturn && text.charCodeAt(0) === LINE_FEED ? 1 : 0;
      if (text !== '') afterReturn = text.endsWith('\r');
      const ends = /\r\n|\n|\r/g;
      ends.lastIndex = start;
      for (let found = ends.exec(text); found !== null; found = ends.exec(text)) {
        hold(text.slice(start, found.index));
        pieces.push(take());
        start = ends.lastIndex;
      }
      hold(text.slice(start));
      return pieces;
    },
    end: () => (held.trim() === '' && length <= max ? [] : [take()]),
  };
}
