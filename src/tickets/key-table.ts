import { hash } from 'node:crypto';

/**
 * A text by 64 bits of its hash. Two of ten million different texts share them once in 370,000 files; what hangs on it
 * is that a row counts as the same as another.
 */
export interface Key {
  readonly high: number;
  readonly low: number;
}

export function keyOf(text: string): Key {
  const digest = hash('sha256', text, 'binary');
  return { high: wordAt(digest, 0), low: wordAt(digest, 4) };
}

const wordAt = (digest: string, at: number): number =>
  ((digest.charCodeAt(at) << 24) |
    (digest.charCodeAt(at + 1) << 16) |
    (digest.charCodeAt(at + 2) << 8) |
    digest.charCodeAt(at + 3)) >>>
  0;

/** A few whole numbers below 2^32 by key: some 50 bytes an entry, where a map would take 200. */
export interface KeyTable {
  readonly size: () => number;
  readonly get: (key: Key) => readonly number[] | undefined;
  readonly set: (key: Key, values: readonly number[]) => void;
}

const FIRST_SLOTS = 1024;
const MAX_LOAD = 0.7;

interface Slots {
  readonly words: Uint32Array;
  readonly mask: number;
}

/** A table with so many numbers in an entry. */
export function createKeyTable(numbers: number): KeyTable {
  // The first word says whether the slot is taken; the next two are the key.
  const width = 3 + numbers;
  const make = (count: number): Slots => ({ words: new Uint32Array(count * width), mask: count - 1 });
  let slots = make(FIRST_SLOTS);
  let size = 0;
  const place = ({ words, mask }: Slots, { high, low }: Key): number => {
    let slot = low & mask;
    for (;;) {
      const at = slot * width;
      if (words[at] === 0 || (words[at + 1] === high && words[at + 2] === low)) return at;
      slot = (slot + 1) & mask;
    }
  };
  const grow = (): void => {
    const old = slots;
    slots = make((old.mask + 1) * 2);
    for (let at = 0; at < old.words.length; at += width) {
      if (old.words[at] === 0) continue;
      const key = { high: old.words[at + 1] ?? 0, low: old.words[at + 2] ?? 0 };
      slots.words.set(old.words.subarray(at, at + width), place(slots, key));
    }
  };
  return {
    size: () => size,
    get: (key) => {
      const at = place(slots, key);
      return slots.words[at] === 0 ? undefined : [...slots.words.subarray(at + 3, at + width)];
    },
    set: (key, values) => {
      if (size + 1 > (slots.mask + 1) * MAX_LOAD) grow();
      const at = place(slots, key);
      if (slots.words[at] === 0) size += 1;
      slots.words.set([1, key.high, key.low, ...values], at);
    },
  };
}
