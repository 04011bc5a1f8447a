import { createRandom, drawAt, placeOf } from '../random.ts';

/** Everything that can go wrong where a process meets the world. */
export type Fault =
  /** The process dies first: nothing was sent. */
  | 'crash before'
  /** It is done, and the process dies before it learns of it. */
  | 'crash after'
  /** Refused by the server, nothing done: throttling, or a request that never arrived. */
  | 'throttled'
  /** Done, and the answer is lost: the caller sees an error. */
  | 'answer lost'
  /** The caller sees an error; it is done later. */
  | 'lands late'
  /** The process sleeps before its request leaves, often past its lease. */
  | 'asleep before'
  /** The process sleeps before it looks at the answer. */
  | 'asleep after'
  /** A read that lags behind the latest writes. */
  | 'stale'
  /** The queue loses a message it took, keeps it back, or delivers it twice. */
  | 'lost'
  | 'delayed'
  | 'twice'
  /** The model: refused and not billed, or unknown and billed or not by the draw, or a reply that cannot be used. */
  | '429'
  | '529'
  | '500'
  | 'timed out'
  | 'cut'
  | 'HTML'
  | 'no usage'
  /** A tool throws before its effect, or after it; or takes longer than it may. */
  | 'throws before'
  | 'throws after'
  | 'slow'
  /** Somebody who is to be told says that they never will be. */
  | 'never';

const dies = ['crash before', 'crash after'] as const;
const sleeps = ['asleep before', 'asleep after'] as const;

/** What can go wrong with each kind of operation. */
export const faultsOf = {
  read: [...dies, 'throttled', ...sleeps],
  'lagging read': [...dies, 'throttled', ...sleeps, 'stale'],
  write: [...dies, 'throttled', 'answer lost', 'lands late', ...sleeps],
  send: [...dies, 'throttled', 'answer lost', 'lands late', ...sleeps, 'lost', 'delayed'],
  delivery: ['twice', 'delayed'],
  model: [...dies, ...sleeps, '429', '529', '500', 'timed out', 'cut', 'HTML', 'no usage'],
  tool: [...dies, 'throws before', 'throws after', 'slow'],
  notice: [...dies, 'throttled', 'answer lost', 'lands late', ...sleeps, 'never'],
} as const satisfies Readonly<Record<string, readonly Fault[]>>;

export type Kind = keyof typeof faultsOf;

/** One fault at one place: `worker: put head claimed#2=crash after`. */
export interface Struck {
  /** Who did what: `worker: put head claimed`. */
  readonly seam: string;
  /** The how manieth time in this run, from 1. */
  readonly n: number;
  readonly kind: Kind;
  readonly fault: Fault;
}

export function nameOf(struck: Struck): string {
  return `${struck.seam}#${struck.n}=${struck.fault}`;
}

/** Says what goes wrong, place by place. */
export interface FaultPlan {
  /** `place` is the number of the seam's name (`placeOf`). */
  readonly at: (seam: string, place: number, n: number, kind: Kind) => Fault | undefined;
}

/** Exactly these, by their names (see `Struck`). */
export function listedFaults(names: readonly string[]): FaultPlan {
  const listed = new Map(
    names.map((name): [string, Fault] => {
      const cut = name.lastIndexOf('=');
      return [name.slice(0, cut), name.slice(cut + 1) as Fault];
    }),
  );
  return { at: (seam, _, n) => listed.get(`${seam}#${n}`) };
}

/** The most often that one fault strikes at one seam. */
const MOST = 0.2;

/** The most often that anything strikes at one seam. */
const NEARLY_ALWAYS = 0.8;

/** How much more often faults strike where a schedule passes seldom. */
const boosted: readonly (readonly [factor: number, seams: readonly string[]])[] = [
  [
    2,
    [
      'dead letter: read batch',
      'delete: read head',
      'delete: read item',
      'manage batch: put batch',
      'purge: read input',
      'reconciler: read item',
      'reconciler: read note',
      'reconciler: send notice',
      'reopen: read batch',
      'reopen: read call',
      'reopen: read transcript',
      'submit batch: read key',
      'submit batch: send',
      'tell: post',
      'tell: publish',
      'tell: read item',
      'worker: put head reserved',
      'worker: run idempotent tool',
      'worker: run pure tool',
    ],
  ],
  [3, ['reopen: put item', 'reopen: send']],
  [
    4,
    [
      'add rows: put all of row',
      'add rows: put chunk',
      'decide: put ask',
      'decide: put head',
      'purge: put input',
    ],
  ],
  [5, ['delete: put head', 'purge: remove', 'switch: read tenant']],
  [6, ['add rows: put batch', 'manage batch: send']],
  [
    8,
    [
      'add rows: send',
      'cancel: put head',
      'dead letter: put head',
      'switch: put tenant',
      'tell: send notice',
    ],
  ],
  [10, ['batch: read item', 'decide: send']],
  [12, ['switch: read switch']],
  [14, ['reopen: put batch']],
  [15, ['people: send notice', 'purge: put all of call', 'tell: read batch']],
  [
    20,
    [
      'batch: read head',
      'dead letter: put batch',
      'purge: put row',
      'reopen: read agent',
      'worker: check tool',
      'worker: hide message',
      'worker: read ask',
    ],
  ],
  [25, ['switch: put switch']],
];
const boosts = new Map<number, number>(
  boosted.flatMap(([factor, seams]) => seams.map((seam) => [placeOf(seam), factor] as const)),
);

/**
 * Seeded faults. Each schedule has a weather of its own: how often anything goes wrong, and a few faults that it is
 * fond of. A draw depends on the seed and the place alone, so that leaving out one fault leaves the others standing.
 */
export function seededFaults(seed: number): FaultPlan {
  const random = createRandom(seed ^ 0x0fa17);
  const base = random.pick([0.002, 0.005, 0.012, 0.025]);
  const favourites = new Map<Fault, number>();
  const all = [...new Set<Fault>(Object.values(faultsOf).flat())];
  for (let left = random.whole(0, 3); left > 0; left -= 1)
    favourites.set(random.pick(all), random.whole(4, 20));
  return {
    at: (_, place, n, kind) => {
      const faults = faultsOf[kind];
      const boost = boosts.get(place) ?? 1;
      const rateOf = (fault: Fault): number => Math.min(MOST, base * (favourites.get(fault) ?? 1)) * boost;
      let total = 0;
      for (const fault of faults) total += rateOf(fault);
      // Where boosts add up to more than nearly always, all of them shrink alike.
      let left = drawAt(seed, place, n) * Math.max(1, total / NEARLY_ALWAYS);
      for (const fault of faults) {
        left -= rateOf(fault);
        if (left < 0) return fault;
      }
      return undefined;
    },
  };
}
