import type { Batch } from '../core/batch.ts';
import { RetryableError } from '../core/errors.ts';
import { dayOf, type Job } from '../core/job.ts';
import { charged } from '../core/ledger.ts';
import { type DayTake, evolveTenant, onDay, type Tenant, takenBy } from '../core/tenant.ts';
import { apiCommit, tenantHeads, type Wish } from './api-commit.ts';
import type { World } from './world.ts';

export type Taken =
  | ({ readonly type: 'taken' } & DayTake)
  /** `left` micro-dollars are too few; the pool is whole again at `untilMs`. */
  | { readonly type: 'spent'; readonly left: number; readonly untilMs: number };

const DAY_MS = 86_400_000;
/** Rounds of tries against others who take at the same time. */
const MAX_ROUNDS = 10;
const ROUND_MS = 100;

export interface Take {
  readonly tenant: string;
  /** One purpose: taken for again on the same day, it counts once. */
  readonly key: string;
  /** Micro-dollars that the key is to have in all. */
  readonly amount: number;
  /** Where not all is left, as many of these as there are. @default all or nothing */
  readonly unit?: number;
}

/**
 * Takes micro-dollars out of a tenant's pool of today: they are gone from it until the job has ended and is counted.
 * Without a pool nothing is read or written.
 */
export async function takeFromDay(world: World, take: Take): Promise<Taken> {
  const limit = world.dailyMicroUsd;
  if (limit === undefined || take.amount <= 0) {
    return { type: 'taken', day: dayOf(world.clock.now()), amount: Math.max(0, take.amount) };
  }
  for (let rounds = 1; ; rounds += 1) {
    try {
      return await tryTake(world, take, limit);
    } catch (error) {
      if (rounds === MAX_ROUNDS || !(error instanceof RetryableError) || error.code !== 'busy') throw error;
      await world.clock.sleep(ROUND_MS * rounds * world.ids.random());
    }
  }
}

async function tryTake(world: World, take: Take, limit: number): Promise<Taken> {
  const result = await apiCommit(world, tenantHeads(world), take.tenant, (record): Wish<Tenant, Taken> => {
    if (record === undefined) throw new RetryableError('no_tenant', `tenant ${take.tenant} cannot be read`);
    const pool = onDay(record, dayOf(world.clock.now()));
    const has = takenBy(pool, take.key);
    const left = Math.max(0, limit - pool.taken);
    const may = mayHave(take, has, left);
    if (may === undefined) return { answer: { type: 'spent', left, untilMs: (pool.day + 1) * DAY_MS } };
    if (may === has) return { answer: { type: 'taken', day: pool.day, amount: has } };
    return { change: evolveTenant(record, { type: 'took', key: take.key, amount: may, day: pool.day }) };
  });
  if ('answer' in result) return result.answer;
  const { committed } = result;
  return { type: 'taken', day: committed.day, amount: takenBy(committed, take.key) };
}

/** What the key may have in all, at least what it has; undefined when that is not enough. */
function mayHave({ amount, unit }: Take, has: number, left: number): number | undefined {
  if (amount <= has + left) return Math.max(has, amount);
  if (unit === undefined) return undefined;
  return Math.max(has, Math.floor((has + left) / unit) * unit) || undefined;
}

/**
 * Takes what a job that is to go on may still spend, before it goes on: what it holds from before comes back when that
 * end is counted. Undefined without a pool. The key is this one end of the job: going on raises the turn, or the next end
 * comes later, where the job has only waited in between.
 */
export async function takeToGoOn(world: World, job: Job, ceiling: number): Promise<Taken | undefined> {
  if (world.dailyMicroUsd === undefined) return undefined;
  const amount = ceiling - charged(job.ledger);
  const key = `${job.id}.${job.turn}.${job.endedAtMs}`;
  return takeFromDay(world, { tenant: job.tenant, key, amount });
}

/** What a turn of a batch may admit: whole ceilings of its rows, or what is wanted where that is less. */
export interface Admitted extends DayTake {
  /** When the pool is whole again, where it did not grant all. */
  readonly untilMs: number | undefined;
}

/**
 * Takes the money for the rows that a turn of a batch wants to admit, as many whole ceilings as the pool of today has.
 * Undefined without a pool. The rows that come next are the key: a turn that was overtaken, and made again, gets the same.
 */
export async function admissionFromDay(
  world: World,
  batch: Pick<Batch, 'id' | 'tenant' | 'ceiling' | 'cursor'>,
  wanted: number,
): Promise<Admitted | undefined> {
  if (world.dailyMicroUsd === undefined) return undefined;
  const { id, tenant, ceiling, cursor } = batch;
  const taken = await takeFromDay(world, {
    ...{ tenant, key: `${id}.${cursor}`, amount: wanted },
    unit: Math.min(ceiling, wanted),
  });
  const day = dayOf(world.clock.now());
  if (taken.type === 'spent') return { day, amount: 0, untilMs: taken.untilMs };
  const all = taken.amount >= wanted;
  return { day: taken.day, amount: taken.amount, untilMs: all ? undefined : (taken.day + 1) * DAY_MS };
}
