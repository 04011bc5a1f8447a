/** What a field should be answered with, by the name of the field; a field inside an object has dots in its name. */
export type Labels = Readonly<Record<string, string>>;

/** One labelled case as it was answered. */
export interface Measured {
  readonly id: string;
  readonly labels: Labels;
  /** The fields of the answer as text; undefined where the job did not succeed. */
  readonly answers: Labels | undefined;
  /** Why the job ended, where it did not succeed. */
  readonly stop: string | undefined;
  /** From 0 to 1; undefined where the answer has none. */
  readonly confidence: number | undefined;
  readonly needsReview: boolean;
  readonly steps: number;
  readonly costMicroUsd: number;
  /** Of all four kinds. */
  readonly tokens: number;
}

/** What stands under a name, and not what every object has. */
export function own<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Deeper objects than this are compared as JSON text. */
const MAX_DEPTH = 4;

/** The fields of an answer as text, in the form that labels have when they are read from a file. */
export function fieldsOf(output: unknown): Labels {
  return typeof output === 'object' && output !== null && !Array.isArray(output)
    ? Object.fromEntries(flat(output, '', 1))
    : {};
}

function flat(output: object, path: string, depth: number): readonly (readonly [string, string])[] {
  return Object.entries(output).flatMap(([name, value]: readonly [string, unknown]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && depth < MAX_DEPTH
      ? flat(value, `${path}${name}.`, depth + 1)
      : [[path + name, textOf(value)] as const],
  );
}

/** A list has one value a line, as the reader of ticket files has it. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null)) {
    return value.map(textOf).join('\n');
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const plain = (text: string): string => text.trim().toLowerCase();

const isLanguage = (field: string): boolean => /(^|[._])(language|lang|locale)$/i.test(field);

/** What people and spreadsheets write for yes and no. */
const truths: ReadonlyMap<string, 'true' | 'false'> = new Map([
  ...['true', 'yes', 'y', '1', 'ja', 'j', 'wahr', 'oui', 'vrai', 'sí', 'si', 'verdadero', 'vero', 'x'].map(
    (word) => [word, 'true'] as const,
  ),
  ...['false', 'no', 'n', '0', 'nein', 'falsch', 'non', 'faux', 'falso'].map(
    (word) => [word, 'false'] as const,
  ),
]);

/** The answer that a label for yes or no means; undefined for any other label. */
export const truthOf = (label: string): 'true' | 'false' | undefined => truths.get(plain(label));

/** Equal for two texts that are one value: without case and outer blanks, numbers as numbers. */
export function keyOfValue(text: string): string {
  const value = plain(text);
  return value !== '' && Number.isFinite(Number(value)) ? String(Number(value)) : value;
}

/**
 * Whether an answer is the labelled one. Case and outer blanks do not count, numbers are compared as numbers, where the
 * answer is yes or no so are the words of people for it (`TRUE`, `ja`, `1`), and a language without a region (`pt`) is met by
 * one with a region (`pt-BR`), which says more and nothing else.
 */
export function isRight(field: string, label: string, answer: string | undefined): boolean {
  if (answer === undefined) return false;
  if (keyOfValue(label) === keyOfValue(answer)) return true;
  if (isLanguage(field)) return plain(answer).startsWith(`${plain(label)}-`);
  return (answer === 'true' || answer === 'false') && truthOf(label) === answer;
}

/** Whether a case is right in one field; undefined where it has no label for it. */
export function rightIn({ labels, answers }: Measured, field: string): boolean | undefined {
  const label = own(labels, field);
  return label === undefined ? undefined : isRight(field, label, own(answers, field));
}

/** Whether a case is right in all of the fields that it has labels for; undefined where it has none of them. */
export function rightInAll(measured: Measured, fields: readonly string[]): boolean | undefined {
  const known = fields.map((field) => rightIn(measured, field)).filter((right) => right !== undefined);
  return known.length === 0 ? undefined : known.every(Boolean);
}
