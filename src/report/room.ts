import { utf8Bytes } from '../core/safe-json.ts';
import type { Markup } from './markup.ts';

export interface Written {
  readonly written: readonly Markup[];
  /** How many there was no room for. */
  readonly missing: number;
}

/** Writes one after the other until so many bytes are full: always the first, and each is told what is left. */
export function writeWithin<Item>(
  items: readonly Item[],
  mostBytes: number,
  write: (item: Item, leftBytes: number) => Markup,
): Written {
  const written: Markup[] = [];
  let left = mostBytes;
  for (const item of items) {
    if (left <= 0) break;
    const one = write(item, left);
    written.push(one);
    left -= utf8Bytes(String(one));
  }
  return { written, missing: items.length - written.length };
}
