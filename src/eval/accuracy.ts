import { type Measured, rightIn } from './measured.ts';

export interface Share {
  readonly right: number;
  readonly of: number;
  /** `right / of`; 0 of nothing. */
  readonly share: number;
  /** The 95 % interval. */
  readonly low: number;
  readonly high: number;
}

/** The standard normal quantile of 97.5 %. */
const Z = 1.959964;

/**
 * A share with its 95 % interval by Wilson's score method without continuity correction: E. B. Wilson, "Probable
 * inference, the law of succession, and statistical inference", JASA 22 (1927) 209–212; formula and worked values in
 * R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998)
 * 857–872, method 3. It stays inside 0 to 1 and means something for few cases and for shares of 0 and 1.
 */
export function shareOf(right: number, of: number): Share {
  if (of === 0) return { right, of, share: 0, low: 0, high: 1 };
  const share = right / of;
  const middle = share + (Z * Z) / (2 * of);
  const half = Z * Math.sqrt((share * (1 - share)) / of + (Z * Z) / (4 * of * of));
  const scale = 1 + (Z * Z) / of;
  const low = right === 0 ? 0 : (middle - half) / scale;
  const high = right === of ? 1 : (middle + half) / scale;
  return { right, of, share, low, high };
}

/** The share of the cases that `judge` finds right, among those that it can judge. */
export function shareRight(
  cases: readonly Measured[],
  judge: (measured: Measured) => boolean | undefined,
): Share {
  const judged = cases.map(judge).filter((right) => right !== undefined);
  return shareOf(judged.filter(Boolean).length, judged.length);
}

export interface FieldAccuracy extends Share {
  readonly field: string;
}

/** How often each field was answered as it is labelled. A case whose job did not succeed is wrong in all its fields. */
export function accuracyByField(
  cases: readonly Measured[],
  fields: readonly string[],
): readonly FieldAccuracy[] {
  return fields.map((field) => ({ field, ...shareRight(cases, (measured) => rightIn(measured, field)) }));
}

export interface LabelledFields {
  /** In the order in which labels first name them. */
  readonly fields: readonly string[];
  /** Labelled, but no answer ever has them: most likely a name that is written in another way. */
  readonly unknown: readonly { readonly field: string; readonly cases: number }[];
}

/** Which labelled fields can be measured. Where no job succeeded at all, nothing is known of the answers' fields. */
export function labelledFields(cases: readonly Measured[]): LabelledFields {
  const named = [...new Set(cases.flatMap(({ labels }) => Object.keys(labels)))];
  const answered = cases.flatMap(({ answers }) => (answers === undefined ? [] : [answers]));
  const isThere = (field: string): boolean =>
    answered.length === 0 || answered.some((answers) => Object.hasOwn(answers, field));
  const count = (field: string): number => cases.filter(({ labels }) => Object.hasOwn(labels, field)).length;
  return {
    fields: named.filter(isThere),
    unknown: named.filter((field) => !isThere(field)).map((field) => ({ field, cases: count(field) })),
  };
}
