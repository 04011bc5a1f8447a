import { isEnded, type Job, usd } from '../core/job.ts';
import { charged } from '../core/ledger.ts';
import type { World } from './world.ts';

/** Jobs that are looked at: the totals lag by minutes, so that what they lack is nearly always among the newest. */
export const LOOKED_AT = 200;

export interface Uncounted {
  readonly jobs: number;
  readonly spentUsd: number;
}

/**
 * Of a tenant's newest jobs, those that ended and are not in its totals, or not with all that they have spent; undefined
 * for none. One that is being counted just now may still be among them.
 */
export async function uncountedOf(world: World, tenant: string): Promise<Uncounted | undefined> {
  const places = await world.store.listOf('jobs', tenant, { limit: LOOKED_AT });
  const jobs = await world.store.loadJobs(places.map(({ id }) => id));
  const lacking = [...jobs.values()].filter((job) => job.tenant === tenant && isEnded(job) && lacks(job));
  if (lacking.length === 0) return undefined;
  return { jobs: lacking.length, spentUsd: usd(lacking.reduce((sum, job) => sum + left(job), 0)) };
}

const lacks = (job: Job): boolean => job.counted.page === 0 || left(job) !== 0;

const left = ({ ledger, counted }: Job): number => charged(ledger) - counted.settled - counted.unsettled;
