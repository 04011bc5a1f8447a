import { type DayPool, dayOf, type Job } from './job.ts';
import { charged } from './ledger.ts';

/** What a page of the totals says of one ended job. */
export interface PageEntry {
  readonly jobId: string;
  /** The version of the head that was read: as long as it stands, nothing is left to count. */
  readonly version: number;
  /** What has been counted of the job once the page is through; money in micro-dollars. */
  readonly steps: number;
  readonly settled: number;
  readonly unsettled: number;
  readonly returned: number;
  /** The day in whose pool `returned` has been put back; 0 for none. */
  readonly poolDay: number;
  /** Which totals it belongs to: the day it ended, its agent, and its batch or nothing. */
  readonly day: number;
  readonly agent: string;
  readonly batchId: string;
  /** What the totals still lack of it. `jobs` is 1 when it is counted for the first time. */
  readonly added: Sums;
}

/** What totals add up; money in micro-dollars. */
export interface Sums {
  readonly jobs: number;
  readonly steps: number;
  readonly settled: number;
  readonly unsettled: number;
}

/** Money that was taken out of a tenant's pool of one day. */
export interface DayTake {
  /** Days since 1970 in UTC. */
  readonly day: number;
  /** Micro-dollars. */
  readonly amount: number;
}

/**
 * The one record of a tenant: its kill switch, its pool of the day, and the page of ended jobs that is being added to its
 * totals. A tenant without a record has version 0.
 */
export interface Tenant {
  readonly id: string;
  readonly version: number;
  readonly apiBy: string;
  /** Nothing of it is claimed, created or sent. */
  readonly stopped: boolean;
  /** The day that `taken` is of, in days since 1970 in UTC. */
  readonly day: number;
  /** Micro-dollars that are out of the pool of that day: held or spent. */
  readonly taken: number;
  /** The newest takes of that day, by key: one that is made again counts once. */
  readonly takes: readonly (readonly [key: string, amount: number])[];
  /** The number of the last page that was begun. */
  readonly page: number;
  /** Its jobs; none once they are all counted and cleared. */
  readonly entries: readonly PageEntry[];
}

export function emptyTenant(id: string): Tenant {
  return {
    ...{ id, version: 0, apiBy: '', stopped: false },
    ...{ day: 0, taken: 0, takes: [], page: 0, entries: [] },
  };
}

/** Takes that are remembered: a take that is made again after so many others counts twice, which only holds money back. */
export const MAX_TAKES = 50;

export type TenantEvent =
  | { readonly type: 'switched'; readonly stopped: boolean }
  /** `key` has `amount` out of the pool of `day` in all: what it took before is part of it. */
  | { readonly type: 'took'; readonly key: string; readonly amount: number; readonly day: number }
  | { readonly type: 'page_begun'; readonly entries: readonly PageEntry[]; readonly givenBack: number }
  | { readonly type: 'page_cleared' };

/** What the record becomes. Pure; the caller decided that the event may happen. */
export function evolveTenant(tenant: Tenant, event: TenantEvent): Tenant {
  return { ...apply(tenant, event), version: tenant.version + 1 };
}

function apply(tenant: Tenant, event: TenantEvent): Tenant {
  switch (event.type) {
    case 'switched':
      return { ...tenant, stopped: event.stopped };
    case 'took': {
      const today = onDay(tenant, event.day);
      const others = today.takes.filter(([key]) => key !== event.key);
      const taken = today.taken + event.amount - takenBy(today, event.key);
      return { ...today, taken, takes: [...others, [event.key, event.amount] as const].slice(-MAX_TAKES) };
    }
    case 'page_begun': {
      const taken = Math.max(0, tenant.taken - event.givenBack);
      return { ...tenant, page: tenant.page + 1, entries: event.entries, taken };
    }
    case 'page_cleared':
      return { ...tenant, entries: [] };
    default:
      return event satisfies never;
  }
}

/** The record on a day: the pool of a new one is whole. A clock that lags behind does not bring an old day back. */
export function onDay(tenant: Tenant, day: number): Tenant {
  return day > tenant.day ? { ...tenant, day, taken: 0, takes: [] } : tenant;
}

/** Micro-dollars that a key has out of the pool of the record's day. */
export function takenBy(tenant: Tenant, key: string): number {
  return tenant.takes.find(([taker]) => taker === key)?.[1] ?? 0;
}

/** The job's part of a page, and what its tenant's pool of the record's day gets back for it. */
export function entryOf(job: Job, tenant: Tenant): { readonly entry: PageEntry; readonly credit: number } {
  const { ledger, counted, dayPool } = job;
  const credit = dayPool?.day === tenant.day ? creditOf(job, dayPool) : 0;
  const entry: PageEntry = {
    jobId: job.id,
    version: job.version,
    steps: job.steps,
    settled: ledger.settled,
    unsettled: ledger.unsettled,
    returned: counted.returned + credit,
    poolDay: dayPool?.day ?? 0,
    day: dayOf(job.endedAtMs),
    agent: job.agent,
    batchId: job.batchId,
    added: {
      jobs: counted.page === 0 ? 1 : 0,
      steps: job.steps - counted.steps,
      settled: ledger.settled - counted.settled,
      unsettled: ledger.unsettled - counted.unsettled,
    },
  };
  return { entry, credit };
}

/** What an ended job holds of a day's pool and will not spend. */
function creditOf({ ledger, counted }: Job, { taken, before }: DayPool): number {
  return Math.max(0, taken - (charged(ledger) - before) - counted.returned);
}

/** Puts more money of a day into a job that goes on: that of the same day adds up, an older day's is left behind. */
export function withDayTake(job: Job, take: DayTake | undefined): Job {
  if (take === undefined) return job;
  const { dayPool, counted } = job;
  if (dayPool?.day === take.day)
    return { ...job, dayPool: { ...dayPool, taken: dayPool.taken + take.amount } };
  return {
    ...job,
    dayPool: { day: take.day, taken: take.amount, before: charged(job.ledger) },
    counted: { ...counted, returned: 0 },
  };
}
