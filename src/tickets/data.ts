import { isLosslessNumber } from 'lossless-json';

/** An object of a row of JSON, as it was parsed: its numbers keep their digits in objects of their own. */
export type Data = Readonly<Record<string, unknown>>;

export const isData = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

/** A plain value as text without white space around it; undefined for lists, objects and nothing. */
export function wordOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' && typeof value !== 'boolean' && !isLosslessNumber(value)) return undefined;
  return String(value).trim() || undefined;
}

/** What stands under a name, or under a path of names with dots. Asked for every message of every row, so it splits no text that leads nowhere. */
function valueAt(data: Data, path: string): unknown {
  const dot = path.indexOf('.');
  if (dot < 0) return data[path];
  const inner = data[path.slice(0, dot)];
  return isData(inner) ? valueAt(inner, path.slice(dot + 1)) : undefined;
}

/** The first of these names, or paths with dots, under which a plain value stands. */
export function firstWord(data: Data, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const word = wordOf(valueAt(data, path));
    if (word !== undefined) return word;
  }
  return undefined;
}
