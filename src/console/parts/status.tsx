import type { Batch } from '../../client.ts';
import { standingOf } from '../model/batch.ts';
import { words } from '../model/text.ts';

interface StatusProps {
  readonly status: string;
  readonly reason?: string | undefined;
  readonly review?: boolean;
}

/** How a job stands, and why it ended if not well. */
export function Status({ status, reason, review = false }: StatusProps) {
  const more = reason === undefined || reason === status ? (review ? 'to check' : undefined) : words(reason);
  return (
    <span class={`status ${review && status === 'succeeded' ? 'review' : status}`}>
      {words(status)}
      {more !== undefined && <span class="reason"> · {more}</span>}
    </span>
  );
}

/** How a batch stands, and why it was stopped. */
export function BatchStatus({ batch }: { readonly batch: Pick<Batch, 'status' | 'stop' | 'counts'> }) {
  const { tone, text, reason } = standingOf(batch);
  return (
    <span class={`status ${tone}`}>
      {text}
      {reason !== undefined && <span class="reason"> · {words(reason)}</span>}
    </span>
  );
}
