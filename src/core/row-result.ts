export interface ResultStop {
  readonly reason: string;
  readonly message: string;
  readonly resumable: boolean;
}

export interface ResultUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheReadTokens: number;
}

/** US dollars. */
export interface ResultCost {
  readonly spentUsd: number;
  readonly reservedUsd: number;
  readonly unsettledUsd: number;
  readonly ceilingUsd: number;
  readonly savedByCacheUsd: number;
}

/** What became of one row of a batch, wherever its results are given. A row that was never started has no job. */
export interface RowResult {
  /** The row's id as its owner knows it. */
  readonly id: string;
  readonly jobId: string | null;
  readonly status: string;
  readonly stop: ResultStop | null;
  readonly output: unknown;
  readonly text: string | null;
  readonly steps: number;
  readonly needsReview: boolean;
  readonly usage: ResultUsage;
  readonly cost: ResultCost;
  readonly error: string | null;
}

/** The result of a row that was never started. */
export function unstartedResult(id: string, status: 'not_started' | 'cancelled'): RowResult {
  return {
    id,
    jobId: null,
    status,
    stop: null,
    output: null,
    text: null,
    steps: 0,
    needsReview: false,
    usage: { inputTokens: 0, outputTokens: 0, cacheWriteTokens: 0, cacheReadTokens: 0 },
    cost: { spentUsd: 0, reservedUsd: 0, unsettledUsd: 0, ceilingUsd: 0, savedByCacheUsd: 0 },
    error: null,
  };
}

/** The result of a row whose job is there, as its view says. */
export function startedResult(
  id: string,
  job: Omit<RowResult, 'id' | 'jobId' | 'error'> & { readonly id: string },
): RowResult {
  const { status, stop, output, text, steps, needsReview, usage, cost } = job;
  const error = stop === null || stop.reason === 'completed' ? null : stop.message;
  return { id, jobId: job.id, status, stop, output, text, steps, needsReview, usage, cost, error };
}
