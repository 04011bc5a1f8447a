import { words } from '../model/text.ts';

interface StatusProps {
  readonly status: string;
  readonly reason?: string | undefined;
  readonly review?: boolean;
}

/** How a job or batch stands, and why it ended if not well. */
export function Status({ status, reason, review = false }: StatusProps) {
  const more = reason === undefined || reason === status ? (review ? 'to check' : undefined) : words(reason);
  return (
    <span class={`status ${review && status === 'succeeded' ? 'review' : status}`}>
      {words(status)}
      {more !== undefined && <span class="reason"> · {more}</span>}
    </span>
  );
}
