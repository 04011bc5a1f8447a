/** A text as patterns for ASCII read it, and where each of its characters stands in the text as it was written. */
export interface Folded {
  readonly text: string;
  /** A stretch of the folded text, as the stretch of the original: from, and one past the end. */
  readonly origin: (from: number, to: number) => readonly [from: number, to: number];
}

/**
 * Folds what people and their keyboards write for ASCII: full-width and circled forms (NFKC), the digits of every
 * script, dashes and blanks of every length; characters that do not show are left out. Letters of other scripts stay.
 */
export function foldText(text: string): Folded {
  if (!/[\u0080-\uffff]/.test(text)) return { text, origin: (from, to) => [from, to] };
  const known = new Map<string, string>();
  const starts: number[] = [];
  const ends: number[] = [];
  const parts: string[] = [];
  let at = 0;
  for (const character of text) {
    const end = at + character.length;
    let folded = character;
    if (character > '\u007f') {
      folded = known.get(character) ?? foldCharacter(character);
      known.set(character, folded);
    }
    parts.push(folded);
    for (let unit = 0; unit < folded.length; unit += 1) {
      starts.push(at);
      ends.push(end);
    }
    at = end;
  }
  return {
    text: parts.join(''),
    origin: (from, to) => [starts[from] ?? text.length, ends[to - 1] ?? text.length],
  };
}

const unseen = /^(?:\p{Cf}|\ufe0e|\ufe0f|\u20e3)$/u;
const dash = /^[\p{Pd}\u2212]$/u;
const blank = /^\p{Zs}$/u;
const digit = /^\p{Nd}$/u;

function foldCharacter(character: string): string {
  if (unseen.test(character)) return '';
  if (dash.test(character)) return '-';
  if (blank.test(character)) return ' ';
  const plain = character.normalize('NFKC');
  if (/^[ -~]{1,4}$/.test(plain)) return plain;
  return digit.test(character) ? String(digitOf(character.codePointAt(0) ?? 0)) : character;
}

/** The digits of a script stand in order, so that one's value is how many stand before it. */
function digitOf(codePoint: number): number {
  let value = 0;
  while (value < 9 && digit.test(String.fromCodePoint(codePoint - value - 1))) value += 1;
  return value;
}
