import type { Batch } from '../../client.ts';

/** Jobs that wait for people may hold all places of a batch: after so long without any change nothing else moves. */
const QUIET_MS = 10_000;

/**
 * Whether nothing more happens in a batch without a person: it has ended, or it is paused or waits for decisions and no
 * job runs. A job between two turns counts as queued for a moment, so that one look is not enough.
 */
export function createRest(now: () => number): (batch: Batch) => boolean {
  let before = '';
  let movedMs = now();
  return ({ status, counts, cost }) => {
    if (status === 'done' || status === 'cancelled') return true;
    const stand = JSON.stringify([status, counts, cost.spentUsd]);
    const same = stand === before;
    if (!same) movedMs = now();
    before = stand;
    if (!same || counts.running > 0) return false;
    if (status === 'paused') return counts.awaiting_approval > 0 || cost.reservedUsd === 0;
    if (status === 'open' || counts.awaiting_approval === 0) return false;
    return counts.queued === 0 || now() - movedMs >= QUIET_MS;
  };
}
