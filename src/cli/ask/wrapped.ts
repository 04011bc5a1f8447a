import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Characters that one visible one may be made of. */
const MOST_A_COLUMN = 100;

/** A line of visible text in at most so many terminal columns, its spaces kept; what is cut ends in an ellipsis. */
export function clipped(line: string, width: number): string {
  const [first = '', second] = wrapped(line.slice(0, width * MOST_A_COLUMN), width);
  if (second === undefined) return first;
  return `${wrapped(first, width - 1)[0] ?? ''}…`;
}

/** A text in lines of at most so many terminal columns; nothing is left out. */
export function wrapped(text: string, width: number): readonly string[] {
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
