import type { ModelPrice } from '../../core/prices.ts';
import type { Fields } from './check-block.ts';
import { cacheable, ttlOf } from './check-cache-control.ts';
import { type PromptUnit, promptUnits } from './prompt-units.ts';

/** Positions that a breakpoint looks back, itself the first. */
const LOOKBACK = 20;
const ttlMs = { '5m': 300_000, '1h': 3_600_000 } as const;
/** Entries above which the lapsed ones are swept out. */
const SWEEP_AT = 20_000;

/** How the tokens of a prompt are billed. */
export interface PromptTokens {
  readonly input: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
}

/** The written prefixes of a workspace, shared by all its conversations. */
export interface PrefixCache {
  /** Bills a prompt, and remembers what it wrote and read. */
  readonly bill: (body: Fields, model: ModelPrice) => PromptTokens;
}

type Ttl = '5m' | '1h';

interface Entry {
  readonly ttl: Ttl;
  readonly untilMs: number;
}

/** `now` is epoch milliseconds. */
export function createPrefixCache(now: () => number): PrefixCache {
  const entries = new Map<string, Entry>();
  return {
    bill: (body, model) => {
      const nowMs = now();
      const units = promptUnits(body);
      const points = breakpoints(units, ttlOf(body)).filter(({ at }) => enough(units[at], model));
      const alive = (unit: PromptUnit): boolean => (entries.get(unit.hash)?.untilMs ?? 0) > nowMs;
      const read = longestRead(units, points, alive);
      const keep = (at: number, ttl: Ttl | undefined): void => {
        const hash = units[at]?.hash;
        if (hash === undefined || ttl === undefined) return;
        entries.set(hash, { ttl, untilMs: nowMs + ttlMs[ttl] });
      };
      for (const at of [read, ...points.map((point) => point.at)]) {
        const unit = units[at];
        if (unit !== undefined && at <= read && alive(unit)) keep(at, entries.get(unit.hash)?.ttl);
      }
      for (const { at, ttl } of points) if (at > read) keep(at, ttl);
      if (entries.size > SWEEP_AT) sweep(entries, nowMs);
      return bill(units, points, read);
    },
  };
}

const enough = (unit: PromptUnit | undefined, model: ModelPrice): boolean =>
  unit !== undefined && unit.tokens >= model.minCacheTokens;

interface Breakpoint {
  readonly at: number;
  readonly ttl: Ttl;
}

/** The marked units, and the last one that can be marked where the request asks for automatic caching. */
function breakpoints(units: readonly PromptUnit[], automatic: Ttl | undefined): readonly Breakpoint[] {
  const points = units.flatMap(({ ttl }, at) => (ttl === undefined ? [] : [{ at, ttl }]));
  const last = units.findLastIndex(({ type }) => cacheable(type));
  if (automatic === undefined || last === -1 || points.at(-1)?.at === last) return points;
  return [...points, { at: last, ttl: automatic }].sort((one, other) => one.at - other.at);
}

/** The place of the longest prefix that some breakpoint finds, -1 when none does. */
function longestRead(
  units: readonly PromptUnit[],
  points: readonly Breakpoint[],
  alive: (unit: PromptUnit) => boolean,
): number {
  let longest = -1;
  for (const point of points) {
    const from = units[point.at]?.position ?? 0;
    for (let at = point.at; at > longest; at -= 1) {
      const unit = units[at];
      if (unit === undefined || from - unit.position >= LOOKBACK) break;
      if (alive(unit)) longest = at;
    }
  }
  return longest;
}

function bill(units: readonly PromptUnit[], points: readonly Breakpoint[], read: number): PromptTokens {
  const upTo = (at: number): number => units[at]?.tokens ?? 0;
  const end = (ttl?: '1h'): number =>
    Math.max(read, points.findLast((point) => ttl === undefined || point.ttl === ttl)?.at ?? -1);
  const cacheRead = upTo(read);
  const long = upTo(end('1h'));
  const all = upTo(end());
  return {
    cacheRead,
    cacheWrite1h: long - cacheRead,
    cacheWrite5m: all - long,
    input: upTo(units.length - 1) - all,
  };
}

function sweep(entries: Map<string, Entry>, nowMs: number): void {
  for (const [hash, entry] of entries) {
    if (entry.untilMs <= nowMs) entries.delete(hash);
  }
}
