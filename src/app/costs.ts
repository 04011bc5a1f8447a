import { usd } from '../core/job.ts';
import type { Sums } from '../core/tenant.ts';
import { addSums } from '../core/totals.ts';
import type { StoredTotal } from './tenant-store.ts';
import type { World } from './world.ts';

/** What a tenant's costs are listed by. */
export type CostsBy = 'tenant' | 'agent' | 'day' | 'batch';

export interface Cost {
  /** The tenant, the agent's name, the day as `2026-11-30`, or the batch's id. */
  readonly key: string;
  readonly jobs: number;
  readonly steps: number;
  /** Settled and unsettled. */
  readonly spentUsd: number;
  readonly unsettledUsd: number;
}

export interface CostPage {
  readonly items: readonly Cost[];
  /** Where the next page begins; undefined after the last. */
  readonly next: string | undefined;
}

interface Page {
  /** What the last page gave as its `next`. */
  readonly after?: string;
  readonly limit: number;
}

/** What a tenant's ended jobs have cost: days and batches newest first, agents by name. */
export async function costsBy(world: World, tenant: string, by: CostsBy, page: Page): Promise<CostPage> {
  if (by === 'batch') return costsOfBatches(world, tenant, page);
  const groups = new Map<string, Sums>();
  for (const stored of await world.store.listDayTotals(tenant)) {
    const key = keyOf(stored, tenant, by);
    const sums = groups.get(key);
    groups.set(key, sums === undefined ? stored.total : addSums(sums, stored.total));
  }
  const keys = [...groups.keys()].sort();
  if (by === 'day') keys.reverse();
  const { after } = page;
  const behind = keys.filter((key) => after === undefined || (by === 'day' ? key < after : key > after));
  const shown = behind.slice(0, page.limit);
  return {
    items: shown.flatMap((key) => costOf(key, groups.get(key))),
    next: behind.length > shown.length ? shown.at(-1) : undefined,
  };
}

function keyOf({ key }: StoredTotal, tenant: string, by: Exclude<CostsBy, 'batch'>): string {
  if (by === 'tenant' || key.type !== 'day') return tenant;
  return by === 'agent' ? key.agent : key.day;
}

function costOf(key: string, sums: Sums | undefined): readonly Cost[] {
  if (sums === undefined) return [];
  const { jobs, steps, settled, unsettled } = sums;
  return [{ key, jobs, steps, spentUsd: usd(settled + unsettled), unsettledUsd: usd(unsettled) }];
}

/** Batches as they are listed; one of which no job has been counted is left out. */
async function costsOfBatches(world: World, tenant: string, { after, limit }: Page): Promise<CostPage> {
  const place = after === undefined ? undefined : placeOf(after);
  const batches = await world.store.listOf('batches', tenant, {
    limit,
    ...(place === undefined ? {} : { after: place }),
  });
  const ids = batches.map(({ id }) => id);
  const totals = await world.store.readBatchTotals(tenant, ids);
  const last = batches.at(-1);
  return {
    items: ids.flatMap((id) => costOf(id, totals.get(id))),
    next: batches.length >= limit && last !== undefined ? `${last.at}.${last.id}` : undefined,
  };
}

function placeOf(after: string): { readonly at: number; readonly id: string } | undefined {
  const [, at, id] = /^(\d{1,15})\.([A-Za-z0-9_-]{1,40})$/.exec(after) ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id };
}
