import type { Batch } from '../client.ts';
import type { Asking } from './ask/asking.ts';
import { hint } from './hint.ts';

const STALLED_MS = 60_000;

/** Says once where nothing has moved in a batch for a minute: its pool of the day may be spent, or its tenant stopped. */
export function createStall({
  terminal,
  clock,
  endpoint,
}: Pick<Asking, 'terminal' | 'clock' | 'endpoint'>): (batch: Batch) => void {
  let before = '';
  let movedMs = clock.now();
  let said = false;
  return ({ id, status, counts, cost }) => {
    const stand = JSON.stringify([status, counts, cost.spentUsd]);
    if (stand !== before) movedMs = clock.now();
    before = stand;
    if (said || clock.now() - movedMs < STALLED_MS) return;
    said = true;
    const why = `the pool of the day may be spent, or a stop is set; ${hint('doctor', endpoint)} says more`;
    terminal.err(`${terminal.live ? '\r\u001b[K' : ''}${id}: nothing has moved for a minute: ${why}.\n`);
  };
}
