import { findEmails, findPhones } from './find-contacts.ts';
import { findKeys } from './find-keys.ts';
import { findCards, findIbans } from './find-numbers.ts';
import { foldText } from './fold-text.ts';

/** What can be found in a text and hidden, in the order in which they are looked for. */
export const privateKinds = ['card', 'iban', 'key', 'email', 'phone'] as const;
export type PrivateKind = (typeof privateKinds)[number];

/** A stretch of a text: from a place, to one past its end. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface Finding extends Stretch {
  readonly kind: PrivateKind;
}

const finders: Readonly<Record<PrivateKind, (text: string) => readonly Stretch[]>> = {
  card: findCards,
  iban: findIbans,
  key: findKeys,
  email: findEmails,
  phone: findPhones,
};

/** Nothing that is looked for is shorter: most of what a log line holds is. */
const SHORTEST = 6;

/** What a text holds of these kinds, in order and apart. */
export function findPrivate(text: string, kinds: readonly PrivateKind[]): readonly Finding[] {
  if (text.length < SHORTEST) return [];
  const folded = foldText(text);
  const found = kinds.flatMap((kind) => finders[kind](folded.text).map((stretch) => ({ ...stretch, kind })));
  return mergeFindings(found).map(({ kind, from, to }) => {
    const [start, end] = folded.origin(from, to);
    return { kind, from: start, to: end };
  });
}

/** Findings in order; what overlaps is one, of the kind that begins first, or else is longer. */
export function mergeFindings(findings: readonly Finding[]): readonly Finding[] {
  const merged: Finding[] = [];
  for (const found of [...findings].sort((a, b) => a.from - b.from || b.to - a.to)) {
    const last = merged.at(-1);
    if (last === undefined || found.from >= last.to) merged.push(found);
    else if (found.to > last.to) merged[merged.length - 1] = { ...last, to: found.to };
  }
  return merged;
}

/** The text with other words in the place of each finding. `findings` are in order and apart. */
export function replaceFindings(
  text: string,
  findings: readonly Finding[],
  words: (finding: Finding) => string,
  between: (piece: string) => string = (piece) => piece,
): string {
  if (findings.length === 0) return between(text);
  let at = 0;
  let result = '';
  for (const finding of findings) {
    result += between(text.slice(at, finding.from)) + words(finding);
    at = finding.to;
  }
  return result + between(text.slice(at));
}
