import type { Item } from '../../ports.ts';
import type { Court } from './court.ts';
import type { Process } from './sim.ts';

/** How long a process may act on what it has read of the switch, in milliseconds. */
const STALE_MS = 5_000;

/** The name under which the stop of everything is kept. */
export const EVERYTHING = '*';

/** A switch was written: of a tenant, or of everything. */
export function switchWritten({ stops, now }: Court, name: string, after: Item): void {
  if (after['stopped'] !== true) stops.delete(name);
  else if (!stops.has(name)) stops.set(name, now());
}

/** Something of a tenant begins. What was under way when it was stopped may end. */
export function mustNotBeStopped(
  { stops, fail }: Court,
  { actor, startedMs }: Process,
  tenant: string,
  id: string,
  what: string,
): void {
  if (stops.size === 0) return;
  for (const name of [tenant, EVERYTHING]) {
    const sinceMs = stops.get(name);
    if (sinceMs !== undefined && startedMs > sinceMs + STALE_MS)
      fail('12 kill switch', id, `${actor} ${what}, ${startedMs - sinceMs} ms after ${name} was stopped`);
  }
}
