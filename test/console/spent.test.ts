import { describe, expect, it } from 'vitest';
import type { JobRow } from '../../src/console/model/job-row.ts';
import { spentOf } from '../../src/console/model/spent.ts';

const row = (id: string, status: JobRow['status'], spentUsd: number, batchId: string | null): JobRow => ({
  ...{ id, status, batchId, agent: 'triage', steps: 1, reason: undefined, about: '', ticket: undefined },
  ...{ toCheck: false, createdAt: '2026-11-30T08:00:00.000Z' },
  cost: { spentUsd, reservedUsd: 0, unsettledUsd: 0, ceilingUsd: 1, savedByCacheUsd: 0 },
});
const batch = (id: string, spentUsd: number) => ({
  ...{ id, cost: { spentUsd, reservedUsd: 0, budgetUsd: null, forecastUsd: null } },
});
const jobs = [
  row('a', 'succeeded', 0.02, 'batch_1'),
  row('b', 'running', 0.01, 'batch_1'),
  row('c', 'awaiting_approval', 0.004, null),
  row('d', 'stopped', 0.03, null),
];
const counted = { items: [{ spentUsd: 0.5 }], uncounted: { jobs: 2, spentUsd: 0.05 } };

describe('what all jobs have spent', () => {
  it('is what is counted, what is not counted yet and what open jobs have spent', () => {
    expect(spentOf({ jobs, more: true, batches: [], counted }).usd).toBeCloseTo(0.564, 9);
  });

  it.each([
    ['nothing is counted', [], 0.064],
    ['a large batch is not counted yet', [batch('batch_1', 0.5)], 0.534],
    ['another batch has no job among the newest', [batch('batch_1', 0.4), batch('batch_2', 1)], 1.434],
  ])('is never less than what is on screen: %s', (_, batches, usd) => {
    const none = { items: [], uncounted: { jobs: 1, spentUsd: 0.02 } };
    expect(spentOf({ jobs, more: true, batches, counted: none }).usd).toBeCloseTo(usd, 9);
    expect(spentOf({ jobs, more: true, batches, counted: undefined }).usd).toBeCloseTo(usd, 9);
  });

  it('says what it covers', () => {
    expect(spentOf({ jobs, more: false, batches: [], counted }).covers).toBe(
      'by all jobs so far, open ones included',
    );
    expect(spentOf({ jobs, more: true, batches: [], counted }).covers).toBe(
      'by all jobs; older ones than the newest 4 as far as they are counted',
    );
  });
});
