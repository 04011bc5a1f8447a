import { evolveTenant, type Tenant } from '../core/tenant.ts';
import type { Control } from '../core/tenant-format.ts';
import { apiCommit, type Heads, tenantHeads, type Wish } from './api-commit.ts';
import type { World } from './world.ts';

/** What the kill switch stops. */
export type StopTarget = { readonly tenant: string } | 'everything';

/** How long a process may act on what it has read of the switch, in milliseconds. */
const STALE_MS = 5_000;
const MAX_SEEN = 10_000;

/**
 * Stops a tenant or everything: from now on, seconds later at the most, nothing of it is claimed, created or sent, until
 * it is started again. Nothing is lost: all that is live stays due.
 */
export function stop(world: World, target: StopTarget): Promise<void> {
  return switchTo(world, target, true);
}

/** Lifts a stop. What is overdue is sent by the next runs of the reconciler. */
export function start(world: World, target: StopTarget): Promise<void> {
  return switchTo(world, target, false);
}

async function switchTo(world: World, target: StopTarget, stopped: boolean): Promise<void> {
  if (target === 'everything') {
    await apiCommit(world, controls(world), 'everything', (control): Wish<Control, 'so already'> => {
      if (control === undefined || control.stopped === stopped) return { answer: 'so already' };
      return { change: { ...control, version: control.version + 1, stopped } };
    });
  } else {
    await apiCommit(world, tenantHeads(world), target.tenant, (tenant): Wish<Tenant, 'so already'> => {
      if (tenant === undefined || tenant.stopped === stopped) return { answer: 'so already' };
      return { change: evolveTenant(tenant, { type: 'switched', stopped }) };
    });
  }
  world.stops.clear();
}

const controls = (world: World): Heads<Control> => ({
  load: world.store.loadControl,
  commit: world.store.commitControl,
});

/** Whether nothing may be done for a tenant now; it may be a few seconds old. */
export async function isStopped(world: World, tenant: string): Promise<boolean> {
  const nowMs = world.clock.now();
  const seen = world.stops.get(tenant);
  if (seen !== undefined && nowMs - seen.atMs < STALE_MS) return seen.stopped;
  const stopped = await world.store.readStopped(tenant);
  if (world.stops.size >= MAX_SEEN) world.stops.clear();
  world.stops.set(tenant, { stopped, atMs: nowMs });
  return stopped;
}
