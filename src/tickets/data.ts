import { isLosslessNumber } from 'lossless-json';

/** An object of a row of JSON, as it was parsed: its numbers keep their digits in objects of their own. */
export type Data = Readonly<Record<string, unknown>>;

export const isData = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

/** A plain value as text without white space around it; undefined for lists, objects and nothing. */
export function wordOf(value: unknown): string | undefined {
  const text =
    typeof value === 'string' || typeof value === 'boolean' || isLosslessNumber(value) ? String(value) : '';
  return text.trim() === '' ? undefined : text.trim();
}

/** The first of these names, or paths with dots, under which a plain value stands. */
export function firstWord(data: Data, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const value = path.split('.').reduce<unknown>((at, name) => (isData(at) ? at[name] : undefined), data);
    const word = wordOf(value);
    if (word !== undefined) return word;
  }
  return undefined;
}
