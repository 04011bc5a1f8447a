import { isRight, type Measured, own } from './measured.ts';
import { answersIn, spellingIn } from './spelling.ts';

/** A label that no answer of the run has: the agent may not know it, or it may be written in another way. */
export interface UnseenLabel {
  readonly field: string;
  readonly label: string;
  readonly cases: number;
}

/** A field with a longer answer than this is free text, whose labels nobody repeats word by word. */
const MOST_CHARACTERS = 40;
const MOST_VALUES = 60;

/** The labels of these fields that were never answered, the most frequent first. Which values a schema has is not known here. */
export function unseenLabels(cases: readonly Measured[], fields: readonly string[]): readonly UnseenLabel[] {
  return fields.flatMap((field) => {
    const answers = [...new Set(answersIn(cases, field))];
    const isFree = answers.length > MOST_VALUES || answers.some(({ length }) => length > MOST_CHARACTERS);
    if (answers.length === 0 || isFree) return [];
    const spelling = spellingIn(cases, field);
    const counts = new Map<string, number>();
    for (const { labels } of cases) {
      const label = own(labels, field);
      if (label === undefined || answers.some((answer) => isRight(field, label, answer))) continue;
      counts.set(spelling(label), (counts.get(spelling(label)) ?? 0) + 1);
    }
    // Of yes and no one may well never have been the answer.
    return [...counts]
      .filter(([label]) => label !== 'true' && label !== 'false')
      .map(([label, count]) => ({ field, label, cases: count }))
      .sort((one, other) => other.cases - one.cases);
  });
}
