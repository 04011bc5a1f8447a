import type { Batch } from '../../client.ts';
import { countOf } from './figures.ts';
import { words } from './text.ts';

/** Rows that need nothing more. */
export const endedRows = ({ counts }: Pick<Batch, 'counts'>): number =>
  counts.succeeded + counts.stopped + counts.failed + counts.cancelled + counts.rejected;

/** How a batch stands: `tone` is the status whose colour it has. */
export interface Standing {
  readonly tone: string;
  readonly text: string;
  readonly reason: string | undefined;
}

/** A batch none of whose rows can go on by itself is not running: it waits for a person. */
export function standingOf({ status, stop, counts }: Pick<Batch, 'status' | 'stop' | 'counts'>): Standing {
  const waiting = counts.awaiting_approval;
  const rest = counts.queued + counts.running;
  if ((status === 'running' || status === 'open') && waiting > 0 && rest === 0) {
    const text = `waits for ${countOf(waiting, 'approval')}`;
    return { tone: 'awaiting_approval', text, reason: status === 'open' ? 'open' : undefined };
  }
  const reason = stop === null || stop.reason === 'completed' ? undefined : stop.reason;
  return { tone: status, text: words(status), reason };
}
