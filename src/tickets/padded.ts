import stringWidth from 'string-width';
import { cleanText } from '../core/safe-json.ts';

/** Characters that one visible one may be made of. */
const MOST_A_COLUMN = 100;
/** What a person takes for one character. */
export const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A line of visible text in at most so many terminal columns, its spaces kept; what is cut ends in an ellipsis. */
export function clipped(line: string, width: number): string {
  if (width === Number.POSITIVE_INFINITY) return line;
  // More characters than this never fit, and measuring megabytes takes its time.
  const start = line.slice(0, width * MOST_A_COLUMN);
  if (start.length === line.length && stringWidth(line) <= width) return line;
  let shown = '';
  let used = 0;
  for (const { segment } of graphemes.segment(start)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    shown += segment;
  }
  return `${shown}…`;
}

/** A text as a line in at most so many terminal columns. No control code gets through. */
export function fitted(text: string, width: number): string {
  const most = width * MOST_A_COLUMN;
  return clipped(`${oneLine(text.slice(0, most))}${text.length > most ? '…' : ''}`, width);
}

/** A text in exactly so many terminal columns; what is cut ends in an ellipsis. No control code gets through. */
export function padded(text: string, width: number, right = false): string {
  const shown = fitted(text, width);
  const space = ' '.repeat(Math.max(0, width - stringWidth(shown)));
  return right ? space + shown : shown + space;
}

/** Without line breaks and control codes. */
export const oneLine = (text: string): string => cleanText(text).replaceAll(/\s+/g, ' ');
