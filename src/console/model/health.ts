import type { Health } from '../../client.ts';
import { countOf, span } from './figures.ts';

/** Work that is due for longer than this is late: the reconciler does not run or cannot keep up. */
export const LATE_SECONDS = 300;

/** Whether all is well, and if not, why: in a few words. */
export function healthOf(health: Health | undefined): { readonly well: boolean; readonly why: string } {
  if (health === undefined) return { well: true, why: '' };
  const { stopped, oldestDueSeconds, lapsedLeases, deadLetters, ok } = health;
  const reasons = [
    ...(stopped ? ['the kill switch is on'] : []),
    ...(oldestDueSeconds >= LATE_SECONDS ? [`work is ${span(oldestDueSeconds * 1_000)} late`] : []),
    ...(lapsedLeases > 0 ? [`${countOf(lapsedLeases, 'worker')} died in the middle of a step`] : []),
    ...(deadLetters > 0 ? [`${countOf(deadLetters, 'message')} given up`] : []),
  ];
  const well = ok && !stopped && deadLetters === 0;
  return { well, why: reasons.join(', ') || 'nothing is late or was given up' };
}
