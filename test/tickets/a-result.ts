import type { ResultRow } from '../../src/tickets/results.ts';
import { type Beside, createSumming, type RunFacts, type Summary } from '../../src/tickets/summary.ts';

/** A result; what matters to a test is given. */
export function aResult(given: Partial<ResultRow> = {}): ResultRow {
  return {
    id: 't1',
    line: 2,
    jobId: 'job_1',
    status: 'succeeded',
    stop: { reason: 'completed', message: 'done', resumable: false },
    output: { category: 'delivery', priority: 'P3', route_to: 'logistics' },
    text: null,
    steps: 2,
    needsReview: false,
    duplicateOf: null,
    usage: { inputTokens: 10, outputTokens: 20, cacheWriteTokens: 30, cacheReadTokens: 40 },
    cost: { spentUsd: 0.0123, reservedUsd: 0, unsettledUsd: 0, ceilingUsd: 0.05, savedByCacheUsd: 0.001 },
    error: null,
    ...given,
  };
}

export function besideOf(rows: readonly ResultRow[]): Beside {
  const summing = createSumming();
  for (const row of rows) summing.add(row);
  return summing.beside();
}

export function summarise({ rows, ...facts }: RunFacts & { readonly rows: readonly ResultRow[] }): Summary {
  const summing = createSumming();
  for (const row of rows) summing.add(row);
  return summing.summary(facts);
}
