import { RetryableError } from '../core/errors.ts';
import { evolve } from '../core/evolve.ts';
import { isEnded, type Job } from '../core/job.ts';
import { entryOf, evolveTenant, type PageEntry, type Sums, type Tenant } from '../core/tenant.ts';
import { sumsOfPage, type TotalKey, withPage } from '../core/totals.ts';
import { apiCommit, jobHeads, tenantHeads, type Wish } from './api-commit.ts';
import { inTurns } from './in-turns.ts';
import type { World } from './world.ts';

/** Jobs of one page: their entries make up most of the tenant's record. */
export const PAGE_JOBS = 100;
const AT_ONCE = 20;
/** Pages of others that are finished before our own is begun; then it is left to the next run. */
const MAX_PAGES = 4;
const MAX_TRIES = 10;

/**
 * Adds ended jobs to their tenant's totals, and gives what they did not spend back to the pool of the day. The page is
 * committed first, with the money given back; then it is added to each total, then each of its jobs is cleared, then the
 * page. Whoever finds a page begun goes on with it, at any place: each of these writes happens once, however often it is
 * tried. A new page begins only when the last one is cleared, so that each job is read as it is counted. Gives what the
 * page of these jobs adds, if it was begun here: each page is begun by one, so nothing is reported twice.
 */
export async function countEnded(
  world: World,
  tenant: string,
  jobIds: readonly string[],
): Promise<Money | undefined> {
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const begun = await beginPage(world, tenant, jobIds.slice(0, PAGE_JOBS));
    if (begun === undefined) return undefined;
    await finishPage(world, begun.record);
    if (begun.own) return moneyOf(begun.record.entries);
  }
  return undefined;
}

/** Micro-dollars, booked and of unknown outcome. */
export type Money = Pick<Sums, 'settled' | 'unsettled'>;

function moneyOf(entries: readonly PageEntry[]): Money {
  return {
    settled: entries.reduce((sum, { added }) => sum + added.settled, 0),
    unsettled: entries.reduce((sum, { added }) => sum + added.unsettled, 0),
  };
}

interface Begun {
  readonly record: Tenant;
  /** It holds the jobs that were asked for, not those of somebody before. */
  readonly own: boolean;
}

async function beginPage(
  world: World,
  tenant: string,
  jobIds: readonly string[],
): Promise<Begun | undefined> {
  const result = await apiCommit(
    world,
    tenantHeads(world),
    tenant,
    async (record): Promise<Wish<Tenant, Begun | undefined>> => {
      if (record === undefined) return { answer: undefined };
      if (record.entries.length > 0) return { answer: { record, own: false } };
      // Read after the record: as long as its version stands, no page has begun or been cleared since.
      const jobs = await world.store.loadJobs(jobIds);
      const parts = [...jobs.values()]
        .filter((job) => isToCount(world, tenant, job))
        .map((job) => entryOf(job, record));
      if (parts.length === 0) return { answer: undefined };
      const givenBack = parts.reduce((sum, { credit }) => sum + credit, 0);
      const entries = parts.map(({ entry }) => entry);
      return { change: evolveTenant(record, { type: 'page_begun', entries, givenBack }) };
    },
  );
  return 'answer' in result ? result.answer : { record: result.committed, own: true };
}

function isToCount(world: World, tenant: string, job: Job): boolean {
  return job.tenant === tenant && isEnded(job) && job.dueAtMs > 0 && job.dueAtMs <= world.clock.now();
}

async function finishPage(world: World, record: Tenant): Promise<void> {
  const { id, page, entries } = record;
  for (const { key, sums } of sumsOfPage(entries)) await addOnce(world, id, key, page, sums);
  const heads = await world.store.loadJobs(entries.map((entry) => entry.jobId));
  await inTurns(entries, AT_ONCE, (entry) => clear(world, page, entry, heads.get(entry.jobId)));
  await apiCommit(world, tenantHeads(world), id, (fresh): Wish<Tenant, 'cleared'> => {
    if (fresh === undefined || fresh.page !== page || fresh.entries.length === 0)
      return { answer: 'cleared' };
    return { change: evolveTenant(fresh, { type: 'page_cleared' }) };
  });
}

/** Adds a page to a total, unless that has been done: a total holds the number of the last page added to it. */
async function addOnce(
  world: World,
  tenant: string,
  key: TotalKey,
  page: number,
  sums: Parameters<typeof withPage>[2],
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const total = await world.store.readTotal(tenant, key);
    if (total !== undefined && total.page >= page) return;
    try {
      const put = await world.store.putTotal(tenant, key, withPage(total, page, sums), total?.page ?? 0);
      if (put === 'put') return;
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      await world.clock.sleep(20 * tries);
    }
  }
  throw new RetryableError('busy', `the totals of ${tenant} could not be added to in ${MAX_TRIES} tries`);
}

/** Writes into a job what is counted of it. `seen` is the head as it was read just now, which saves a read. */
async function clear(world: World, page: number, entry: PageEntry, seen: Job | undefined): Promise<void> {
  const { load, commit } = jobHeads(world);
  let first = seen;
  const loadOnce = async (id: string): Promise<Job | undefined> => {
    const head = first ?? (await load(id));
    first = undefined;
    return head;
  };
  await apiCommit(world, { load: loadOnce, commit }, entry.jobId, (job): Wish<Job, 'counted'> => {
    if (job === undefined || job.counted.page >= page) return { answer: 'counted' };
    return { change: evolve(job, { type: 'counted', nowMs: world.clock.now(), page, entry }) };
  });
}
