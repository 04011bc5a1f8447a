import { describe, expect, it } from 'vitest';
import type { JobRow } from '../../src/console/model/job-row.ts';
import { overviewOf } from '../../src/console/model/overview.ts';

const row = (id: string, status: JobRow['status'], spentUsd: number): JobRow => ({
  ...{ id, status, agent: 'triage', batchId: 'batch_1', steps: 1, reason: undefined, about: '' },
  ...{ ticket: undefined, needsReview: false, createdAt: '2026-11-30T08:00:00.000Z' },
  cost: { spentUsd, reservedUsd: 0, unsettledUsd: 0, ceilingUsd: 1, savedByCacheUsd: 0 },
});
const jobs = [row('a', 'succeeded', 0.02), row('b', 'running', 0.01), row('c', 'stopped', 0.03)];

describe('the overview', () => {
  it('says what is under way and what ended badly', () => {
    const { headline, doing, endedBadly } = overviewOf(jobs, []);
    expect(headline).toBe('1 job under way, 1 stopped or failed');
    expect(doing).toBe('1 running, 0 queued');
    expect(endedBadly.map(({ id }) => id)).toEqual(['c']);
  });
});
