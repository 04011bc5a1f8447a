import { keyOfValue, type Measured, own, truthOf } from './measured.ts';

/** Whether a field is answered with yes or no, by the answers of the run. */
const isTruth = (answers: readonly string[]): boolean =>
  answers.length > 0 && answers.every((answer) => answer === 'true' || answer === 'false');

/** The answers of a run in one field. */
export function answersIn(cases: readonly Measured[], field: string): readonly string[] {
  return cases.flatMap(({ answers }) => own(answers, field) || []);
}

/**
 * One spelling for each value of a field, so that `Refund` and `refund` are one row: as the agent answers it, else as it was
 * labelled first.
 */
export function spellingIn(cases: readonly Measured[], field: string): (value: string) => string {
  const answers = answersIn(cases, field);
  const truth = isTruth(answers);
  const keyOf = (value: string): string => (truth ? truthOf(value) : undefined) ?? keyOfValue(value);
  const labels = cases.flatMap(({ labels: given }) => own(given, field) ?? []);
  const spelled = new Map<string, string>(truth ? ['true', 'false'].map((value) => [value, value]) : []);
  for (const value of [...answers, ...labels]) {
    const key = keyOf(value);
    if (!spelled.has(key)) spelled.set(key, value.trim());
  }
  return (value) => spelled.get(keyOf(value)) ?? value;
}

/** Values that have an order of their own, `P1` to `P4` or yes and no; undefined for all others. */
export function ownOrder(values: readonly string[]): readonly string[] | undefined {
  if (values.every((value) => value === 'true' || value === 'false')) return [...values].sort().reverse();
  return values.every((value) => /^[a-z]{0,3}\d{1,3}$/i.test(value))
    ? [...values].sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    : undefined;
}
