import type { Measured } from '../../src/eval/measured.ts';

/** A case of `category` that was answered rightly and in every other respect in the usual way. */
export function aMeasured(given: Partial<Measured> = {}): Measured {
  return {
    id: 'E-1',
    labels: { category: 'refund' },
    answers: { category: 'refund' },
    stop: undefined,
    confidence: 0.9,
    needsReview: false,
    steps: 2,
    costMicroUsd: 100,
    tokens: 1_000,
    ...given,
  };
}

/** Cases by what they are labelled and answered with in one field; `undefined` is a job that did not succeed. */
export function answered(
  field: string,
  pairs: readonly (readonly [label: string, answer: string | undefined])[],
): readonly Measured[] {
  return pairs.map(([label, answer], at) =>
    aMeasured({
      id: `E-${at + 1}`,
      labels: { [field]: label },
      answers: answer === undefined ? undefined : { [field]: answer },
      stop: answer === undefined ? 'max_steps' : undefined,
    }),
  );
}
