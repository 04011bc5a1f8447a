import type { Key } from './key-table.ts';

/**
 * Remembers which keys it was shown, in a few bits each: it never forgets one, and now and then takes a new one for
 * known. So it finds all that may come twice among millions, and only these need to be looked at exactly.
 */
export interface SeenFilter {
  /** Adds a key; says whether it may have been there. */
  readonly add: (key: Key) => boolean;
}

const PROBES = 4;
/** A bit for so many bytes of a file: a dozen bits for a row of a hundred bytes. */
const BYTES_A_BIT = 8;
const LEAST_BITS = 1 << 16;
/** 64 MiB of memory. */
const MOST_BITS = 2 ** 29;

/** A filter for the rows of a file of so many bytes. */
export function createSeenFilter(fileBytes: number): SeenFilter {
  let bits = LEAST_BITS;
  while (bits < MOST_BITS && bits * BYTES_A_BIT < fileBytes) bits *= 2;
  const words = new Uint32Array(bits / 32);
  return {
    add: ({ high, low }) => {
      let known = true;
      for (let probe = 0; probe < PROBES; probe += 1) {
        const bit = (low + probe * high) % bits;
        const word = Math.floor(bit / 32);
        const mask = 1 << (bit % 32);
        const before = words[word] ?? 0;
        if ((before & mask) === 0) known = false;
        words[word] = before | mask;
      }
      return known;
    },
  };
}
