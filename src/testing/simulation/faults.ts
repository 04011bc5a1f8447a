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
const boosts = new Map<number, number>(
  [
    ...['add rows: put all of row', 'decide: put ask', 'delete: read head', 'delete: read item'].map(
      (seam) => [seam, 2],
    ),
    ...[
      'manage batch: put batch',
      'purge: read input',
      'reconciler: read note',
      'reconciler: send notice',
    ].map((seam) => [seam, 2]),
    ...['reopen: put item', 'reopen: read batch', 'reopen: read call', 'reopen: read transcript'].map(
      (seam) => [seam, 2],
    ),
    ...['reopen: send', 'submit batch: read key', 'worker: put head reserved'].map((seam) => [seam, 2]),
    ...['add rows: put batch', 'add rows: put chunk', 'purge: put input'].map((seam) => [seam, 3]),
    ...['add rows: send', 'decide: put head', 'purge: remove'].map((seam) => [seam, 4]),
    ...['dead letter: put head', 'delete: put head', 'manage batch: send', 'switch: read tenant'].map(
      (seam) => [seam, 5],
    ),
    ...['cancel: put head', 'decide: send', 'switch: put tenant', 'tell: send notice'].map((seam) => [
      seam,
      6,
    ]),
    ...['batch: read item'].map((seam) => [seam, 8]),
    ...['batch: put note', 'people: send notice', 'purge: put all of call', 'reopen: put batch'].map(
      (seam) => [seam, 10],
    ),
    ...['tell: read batch'].map((seam) => [seam, 10]),
    ...['purge: put row', 'reopen: read agent', 'switch: read switch', 'worker: hide message'].map((seam) => [
      seam,
      12,
    ]),
    ...['batch: read head'].map((seam) => [seam, 14]),
    ...['batch: send notice', 'worker: check tool'].map((seam) => [seam, 15]),
    ...['worker: read ask'].map((seam) => [seam, 16]),
    ...['dead letter: put batch', 'switch: put switch'].map((seam) => [seam, 20]),
  ].map(([seam, factor]) => [placeOf(String(seam)), Number(factor)]),
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
