import type { Item } from '../../ports.ts';
import type { Court } from './court.ts';
import type { JobWatch } from './job-watch.ts';
import { type HeadSeen, hasEnded } from './records.ts';
import type { Violation } from './referee.ts';

/** What a job takes of a day's pool: what it may still be charged while it lives, and what it was once it has ended. */
function usedOn({ head, day, dayBase, earlierDays }: JobWatch, wanted: number): number {
  const earlier = earlierDays.get(wanted) ?? 0;
  if (head === undefined || day !== wanted) return earlier;
  return earlier + (hasEnded(head) ? head.charged : head.ceiling) - dayBase;
}

function usedOf({ jobs }: Court, tenant: string, day: number): number {
  let used = 0;
  for (const watch of jobs.values()) if (watch.head?.tenant === tenant) used += usedOn(watch, day);
  return used;
}

/** A job is made, or goes on: with money of a day, under its bound. `watch.head` is what was written. */
export function admitted(court: Court, watch: JobWatch, before: HeadSeen | undefined, after: HeadSeen): void {
  const { dailyMicroUsd: limit, fail } = court;
  if (limit === undefined) return;
  const begins = before === undefined || hasEnded(before);
  if (begins && !hasEnded(after)) {
    const pool = after.raw['dp'] as readonly number[] | undefined;
    if (pool === undefined) {
      fail('1 money', watch.id, 'it begins without money of the day');
      return;
    }
    const [day = 0] = pool;
    // A row that was made by a later turn than the one that paid for it: its money stays held back.
    if (day === 0) return;
    if (day !== watch.day) {
      if (watch.day >= 0) watch.earlierDays.set(watch.day, (before?.charged ?? 0) - watch.dayBase);
      watch.day = day;
      watch.dayBase = before?.charged ?? 0;
    }
    matched(court, watch, before, after);
  }
  const used = usedOf(court, after.tenant, watch.day);
  if (watch.day >= 0 && used > limit)
    fail('1 money', watch.id, `the jobs of ${after.tenant} use ${used} of a day, the most is ${limit}`);
}

/**
 * What the job now has of the day is held back by nobody: of what was taken for it, the newest; of what its batch took for
 * several rows, its part.
 */
function matched(
  { takes }: Court,
  { id, batchId }: JobWatch,
  before: HeadSeen | undefined,
  after: HeadSeen,
): void {
  const [day, taken = 0] = after.raw['dp'] as readonly number[];
  const [dayBefore, takenBefore = 0] = (before?.raw['dp'] ?? []) as readonly number[];
  const more = taken - (day === dayBefore ? takenBefore : 0);
  if (more === 0) return;
  const newest = (of: string) =>
    [...takes.keys()].findLast((key) => key.startsWith(`${after.tenant} ${day} ${of}`));
  const own = newest(id);
  if (own !== undefined) {
    // Somebody else may have asked for more at the same end of the job, and was overtaken or has died.
    const left = (takes.get(own) ?? 0) - more;
    if (left > 0) takes.set(own, left);
    else takes.delete(own);
    return;
  }
  const shared = batchId === undefined ? undefined : newest(`${batchId}.`);
  if (shared !== undefined) takes.set(shared, (takes.get(shared) ?? 0) - more);
}

/** Somebody takes from a pool, or gives back. What no job was made of afterwards is held back until midnight. */
export function tenantWritten(court: Court, tenant: string, before: Item | undefined, after: Item): void {
  const sameDay = before?.['day'] === after['day'];
  const more = Number(after['taken']) - (sameDay ? Number(before?.['taken']) : 0);
  const key = (after['takes'] as readonly (readonly [string, number])[]).at(-1)?.[0];
  if (more > 0 && key !== undefined) {
    const name = `${tenant} ${Number(after['day'])} ${key}`;
    court.takes.set(name, (court.takes.get(name) ?? 0) + more);
  }
  court.days.set(tenant, { day: Number(after['day']), taken: Number(after['taken']) });
}

/** At rest a pool lacks what its jobs were charged, and what crashes hold back. */
export function poolProblem(court: Court): Pick<Violation, 'invariant' | 'jobId' | 'what'> | undefined {
  if (court.dailyMicroUsd === undefined) return undefined;
  for (const [tenant, { day, taken }] of court.days) {
    const used = usedOf(court, tenant, day);
    let held = 0;
    for (const [name, amount] of court.takes) if (name.startsWith(`${tenant} ${day} `)) held += amount;
    const watches = [...court.jobs.values()].filter(({ head }) => head?.tenant === tenant);
    // Clocks that differ over midnight leave money in the pool of the day before.
    const oneDay = watches.every(
      (watch) => watch.day < 0 || (watch.day === day && watch.earlierDays.size === 0),
    );
    if (oneDay ? taken === used + held : taken >= used) continue;
    const what = `${taken} are out of the pool of the day, its jobs used ${used}, crashes hold back ${held}`;
    return { invariant: '1 money', jobId: tenant, what };
  }
  return undefined;
}
