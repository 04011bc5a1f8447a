import stringWidth from 'string-width';
import { graphemes } from '../../tickets/padded.ts';

/** A text in lines of at most so many terminal columns; nothing is left out. */
export function wrapped(text: string, width: number): readonly string[] {
  if (width === Number.POSITIVE_INFINITY) return [text];
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const more = stringWidth(segment);
    if (used + more > width && line !== '') {
      lines.push(line);
      line = '';
      used = 0;
    }
    line += segment;
    used += more;
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** The same between words, as far as each word fits. */
export function folded(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const before = lines.at(-1);
    const together = before === undefined ? word : `${before} ${word}`;
    if (before !== undefined && stringWidth(together) <= width) lines[lines.length - 1] = together;
    else lines.push(...wrapped(word, width));
  }
  return lines;
}
