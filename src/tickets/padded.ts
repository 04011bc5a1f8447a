import stringWidth from 'string-width';
import { cleanText } from '../core/safe-json.ts';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A text in exactly so many terminal columns; what is cut ends in an ellipsis. No control code gets through. */
export function padded(text: string, width: number, right = false): string {
  const line = oneLine(text);
  let shown = line;
  if (stringWidth(line) > width) {
    shown = '';
    let used = 0;
    for (const { segment } of graphemes.segment(line)) {
      used += stringWidth(segment);
      if (used > width - 1) break;
      shown += segment;
    }
    shown += '…';
  }
  const space = ' '.repeat(Math.max(0, width - stringWidth(shown)));
  return right ? space + shown : shown + space;
}

/** Without line breaks and control codes. */
export const oneLine = (text: string): string => cleanText(text).replaceAll(/\s+/g, ' ');
