import { isRight, type Measured, own } from './measured.ts';
import { ownOrder, spellingIn } from './spelling.ts';

/** What stands for the answer of a job that did not succeed, or that lacks the field. */
export const NO_ANSWER = '(none)';

/** One wrong answer, as often as it was given. */
export interface Mistake {
  readonly expected: string;
  readonly answered: string;
  readonly count: number;
  /** The first cases in which it was given. */
  readonly ids: readonly string[];
}

/** How the labels of one field were answered: `counts[expected][answered]`, both in the order of `values`. */
export interface Confusion {
  readonly field: string;
  /** All labels and answers: in their own order where they have one, else the most frequent labels first. */
  readonly values: readonly string[];
  readonly counts: readonly (readonly number[])[];
  /** The most frequent first. */
  readonly mistakes: readonly Mistake[];
}

/** A field with more values than this is free text, and a matrix of it says nothing. */
const MAX_VALUES = 60;
const MAX_IDS = 3;

interface Pair {
  readonly id: string;
  readonly expected: string;
  readonly answered: string;
}

/** Undefined for a field with too many values. A right answer stands on the diagonal, however it is written. */
export function confusionOf(cases: readonly Measured[], field: string): Confusion | undefined {
  const spelling = spellingIn(cases, field);
  const pairs = cases.flatMap((measured): readonly Pair[] => {
    const { id, labels, answers } = measured;
    const label = own(labels, field);
    if (label === undefined) return [];
    const expected = spelling(label);
    const answer = own(answers, field) || undefined;
    const wrong = answer === undefined ? NO_ANSWER : spelling(answer);
    return [{ id, expected, answered: isRight(field, label, answer) ? expected : wrong }];
  });
  const values = valuesOf(pairs);
  if (values.length > MAX_VALUES) return undefined;
  const count = (expected: string, answered: string): number =>
    pairs.filter((pair) => pair.expected === expected && pair.answered === answered).length;
  return {
    field,
    values,
    counts: values.map((expected) => values.map((answered) => count(expected, answered))),
    mistakes: mistakesOf(pairs),
  };
}

function valuesOf(pairs: readonly Pair[]): readonly string[] {
  const labels = new Map<string, number>();
  for (const { expected } of pairs) labels.set(expected, (labels.get(expected) ?? 0) + 1);
  const answered = new Set(pairs.map((pair) => pair.answered));
  const byCount = [...labels].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  const only = [...answered].filter((value) => !labels.has(value)).sort();
  const values = [...byCount.map(([value]) => value), ...only].filter((value) => value !== NO_ANSWER);
  // What is no answer stands at the end.
  return [...(ownOrder(values) ?? values), ...(answered.has(NO_ANSWER) ? [NO_ANSWER] : [])];
}

function mistakesOf(pairs: readonly Pair[]): readonly Mistake[] {
  const found = new Map<string, Mistake>();
  for (const { id, expected, answered } of pairs) {
    if (expected === answered) continue;
    const key = JSON.stringify([expected, answered]);
    const before = found.get(key) ?? { expected, answered, count: 0, ids: [] };
    const ids = before.ids.length < MAX_IDS ? [...before.ids, id] : before.ids;
    found.set(key, { ...before, count: before.count + 1, ids });
  }
  return [...found.values()].sort((one, other) => other.count - one.count);
}
