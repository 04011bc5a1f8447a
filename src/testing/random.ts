/** A stream of seeded draws: the same seed gives the same draws on every machine. */
export interface Random {
  /** At least 0, below 1. */
  readonly next: () => number;
  /** A whole number from `min` to `max`, both included. */
  readonly whole: (min: number, max: number) => number;
  readonly chance: (probability: number) => boolean;
  /** Throws on an empty list. */
  readonly pick: <T>(list: readonly T[]) => T;
}

/** Mixes the bits of a 32-bit number so that neighbours have nothing in common (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

const GOLDEN = 0x9e3779b9;

/** A draw that depends on its arguments alone, so that leaving out another draw does not change it. */
export function drawAt(seed: number, place: number, n: number): number {
  return mix(mix(mix(seed) ^ place) + Math.imul(n + 1, GOLDEN)) / 0x1_0000_0000;
}

/** A number for a text: FNV-1a. */
export function placeOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Seeds are whole numbers from 0 to 4,294,967,295. */
export function createRandom(seed: number): Random {
  let state = mix(seed ^ 0x5bd1e995);
  const next = (): number => {
    state = (state + GOLDEN) | 0;
    return mix(state) / 0x1_0000_0000;
  };
  return {
    next,
    whole: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: (probability) => next() < probability,
    pick: (list) => {
      const picked = list[Math.floor(next() * list.length)];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    },
  };
}
