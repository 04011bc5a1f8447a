import { type Batch, rowsOf } from '../core/batch.ts';
import type { Admitting, World } from './world.ts';

/** How many jobs of one tenant's batches run at once, where the world does not say otherwise. */
export const BATCH_SHARE = 40;
/** Live batches of a tenant that are counted. */
const MAX_COUNTED = 50;
/** How long a count holds. */
const COUNT_MS = 10_000;
/** Tenants whose counts a process remembers. */
const MAX_KNOWN = 1_000;

/** Whether a batch has rows that it may admit: only such batches share. */
function admits(batch: Batch): boolean {
  return batch.status === 'running' && !batch.cancelRequested && batch.cursor < rowsOf(batch);
}

/**
 * How many jobs of a batch may run at once beside its tenant's other batches: an equal part of the tenant's share, and at
 * least one. The others are counted in a list that may lag, at most every ten seconds, so that it holds only more or less.
 */
export async function shareOf(world: World, batch: Batch): Promise<number> {
  const share = world.batchShare ?? BATCH_SHARE;
  if (!admits(batch)) return share;
  const { batchIds } = await admittingOf(world, batch.tenant);
  const others = batchIds.size - (batchIds.has(batch.id) ? 1 : 0);
  return Math.max(1, Math.floor(share / (others + 1)));
}

async function admittingOf(world: World, tenant: string): Promise<Admitting> {
  const nowMs = world.clock.now();
  const known = world.admitting.get(tenant);
  if (known !== undefined && nowMs < known.atMs + COUNT_MS) return known;
  const places = await world.store.listOf('live_batches', tenant, { limit: MAX_COUNTED });
  const batches = await world.store.loadBatches(places.map(({ id }) => id));
  const counted = {
    atMs: nowMs,
    batchIds: new Set([...batches.values()].filter(admits).map(({ id }) => id)),
  };
  if (world.admitting.size >= MAX_KNOWN) world.admitting.clear();
  world.admitting.set(tenant, counted);
  return counted;
}
