import { describe, expect, it } from 'vitest';
import type { JobRow } from '../../src/console/model/job-row.ts';
import { overviewOf } from '../../src/console/model/overview.ts';

const row = (id: string, status: JobRow['status'], spentUsd: number): JobRow => ({
  ...{ id, status, agent: 'triage', batchId: 'batch_1', steps: 1, reason: undefined, about: '' },
  ...{ ticket: undefined, needsReview: false, createdAt: '2026-11-30T08:00:00.000Z' },
  cost: { spentUsd, reservedUsd: 0, unsettledUsd: 0, ceilingUsd: 1, savedByCacheUsd: 0 },
});
const jobs = [row('a', 'succeeded', 0.02), row('b', 'running', 0.01), row('c', 'stopped', 0.03)];
const days = { items: [{ key: '2026-11-30', spentUsd: 0.5 }] };

describe('the overview', () => {
  it('adds up what the newest jobs have spent themselves, counted or not', () => {
    const { spentUsd, spent } = overviewOf(jobs, [], undefined);
    expect(spentUsd).toBeCloseTo(0.06);
    expect(spent).toBe('by the newest 3 jobs');
  });

  it.each([
    [
      'nothing is counted yet',
      { items: [], uncounted: { jobs: 2, spentUsd: 0.05 } },
      '2 that have ended are',
    ],
    ['one job is left', { ...days, uncounted: { jobs: 1, spentUsd: 0.05 } }, '1 that has ended is'],
  ])('says what of them is in no sum yet: %s', (_, costs, which) => {
    const { spent } = overviewOf(jobs, [], costs);
    expect(spent).toContain(`; ${which} not counted yet, $0.0500`);
  });

  it('says of the sum of a day that it holds what is counted', () => {
    const { spent } = overviewOf(jobs, [], days);
    expect(spent).toBe('by the newest 3 jobs; $0.5000 by all that ended 2026-11-30 and are counted');
  });
});
