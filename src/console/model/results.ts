import type { Result } from '../../client.ts';

/** What is kept of a batch's rows that ended: figures, no texts. */
export interface ResultRow {
  readonly id: string;
  readonly jobId: string | null;
  readonly status: Result['status'];
  readonly reason: string | undefined;
  readonly steps: number;
  readonly spentUsd: number;
}

export function resultRow({ id, jobId, status, stop, steps, cost }: Result): ResultRow {
  const reason = stop === null || stop.reason === 'completed' ? undefined : stop.reason;
  return { id, jobId, status, reason, steps, spentUsd: cost.spentUsd };
}

/** The rows that cost most, the dearest first. */
export function dearest(rows: readonly ResultRow[], most: number): readonly ResultRow[] {
  return rows
    .filter(({ jobId }) => jobId !== null)
    .toSorted((a, b) => b.spentUsd - a.spentUsd)
    .slice(0, most);
}

/** How the rows ended, the most frequent end first. */
export function endings(
  rows: readonly ResultRow[],
): readonly { readonly name: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { status, reason } of rows) {
    const name = reason ?? status;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);
}
