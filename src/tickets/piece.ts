/** A piece of a file and the line it starts in, from 1. */
export interface Piece {
  readonly line: number;
  readonly raw: string;
  /** Its characters where it has more than are read; `raw` is empty then. */
  readonly tooLong?: number;
}

/** Characters of one row. A longer one is rejected without being held. */
export const MAX_ROW_CHARACTERS = 4 * 1024 * 1024;

export const LINE_FEED = 10;
export const CARRIAGE_RETURN = 13;
export const QUOTE = 34;

/** Why a row of so many characters is not read. */
export function tooLongReason(characters: number): string {
  return `the row has ${characters} characters, at most ${MAX_ROW_CHARACTERS} are read`;
}
