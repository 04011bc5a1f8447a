import stringWidth from 'string-width';
import { cleanText } from '../core/safe-json.ts';

/** Characters that one visible one may be made of. */
const MOST_A_COLUMN = 100;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A line in at most so many terminal columns; what is cut ends in an ellipsis. No control code gets through. */
export function fitted(text: string, width: number): string {
  // More characters than this never fit, and measuring megabytes takes its time.
  const line = oneLine(text.slice(0, width * MOST_A_COLUMN));
  if (text.length <= width * MOST_A_COLUMN && stringWidth(line) <= width) return line;
  let shown = '';
  let used = 0;
  for (const { segment } of graphemes.segment(line)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    shown += segment;
  }
  return `${shown}…`;
}

/** A text in exactly so many terminal columns; what is cut ends in an ellipsis. No control code gets through. */
export function padded(text: string, width: number, right = false): string {
  const shown = fitted(text, width);
  const space = ' '.repeat(Math.max(0, width - stringWidth(shown)));
  return right ? space + shown : shown + space;
}

/** Without line breaks and control codes. */
export const oneLine = (text: string): string => cleanText(text).replaceAll(/\s+/g, ' ');
