import type { Batch } from '../../client.ts';
import { isLive } from './actions.ts';
import type { JobRow } from './job-row.ts';
import type { Uncounted } from './uncounted.ts';

/** What a tenant's sums hold, and what of the newest jobs is not in them yet. */
export interface Counted {
  readonly items: readonly { readonly spentUsd: number }[];
  readonly uncounted?: Uncounted | undefined;
}

interface Known {
  /** The newest, as many as one page holds. */
  readonly jobs: readonly JobRow[];
  /** Whether there are older ones. */
  readonly more: boolean;
  readonly batches: readonly Pick<Batch, 'id' | 'cost'>[];
  readonly counted: Counted | undefined;
}

/**
 * What all jobs have spent, in one figure: what is counted, what has ended and is not counted yet, and what open jobs have
 * spent so far. Counting lags by minutes, and the newest jobs are looked at alone, so that a large batch may be missing
 * from these: then the batches on screen, which are never late, say at least how much it is.
 */
export function spentOf({ jobs, more, batches, counted }: Known): {
  readonly usd: number;
  readonly covers: string;
} {
  const ended = sum(counted?.items ?? []) + (counted?.uncounted?.spentUsd ?? 0);
  const open = sum(jobs.filter(isLive).map(({ cost }) => cost));
  const batched = new Set(batches.map(({ id }) => id));
  const single = jobs.filter(({ batchId }) => batchId === null || !batched.has(batchId));
  const seen = sum([...batches, ...single].map(({ cost }) => cost));
  return {
    usd: Math.max(ended + open, seen),
    covers: more
      ? `by all jobs; older ones than the newest ${jobs.length} as far as they are counted`
      : 'by all jobs so far, open ones included',
  };
}

const sum = (costs: readonly { readonly spentUsd: number }[]): number =>
  costs.reduce((all, { spentUsd }) => all + spentUsd, 0);
