import { describe, expect, it } from 'vitest';
import { healthOf } from '../../src/console/model/health.ts';
import { isToCheck, type JobRow } from '../../src/console/model/job-row.ts';
import { overviewOf } from '../../src/console/model/overview.ts';
import { needOf } from '../../src/tickets/need.ts';

const row = (id: string, status: JobRow['status'], spentUsd: number): JobRow => ({
  ...{ id, status, agent: 'triage', batchId: 'batch_1', steps: 1, reason: undefined, about: '' },
  ...{ ticket: undefined, toCheck: false, createdAt: '2026-11-30T08:00:00.000Z' },
  cost: { spentUsd, reservedUsd: 0, unsettledUsd: 0, ceilingUsd: 1, savedByCacheUsd: 0 },
});
const jobs = [row('a', 'succeeded', 0.02), row('b', 'running', 0.01), row('c', 'stopped', 0.03)];

describe('the overview', () => {
  it('says what is under way and what ended badly', () => {
    const { headline, doing, endedBadly, others } = overviewOf(jobs, []);
    expect(headline).toBe('1 job under way, 1 stopped or failed');
    expect(doing).toBe('1 running, 0 queued');
    expect(endedBadly.map(({ id }) => id)).toEqual(['c']);
    expect(others.map(({ id }) => id)).toEqual(['a', 'b']);
  });
});

it('counts answers to check in its headline too', () => {
  const checked = jobs.map((job) => ({ ...job, toCheck: job.id === 'a' }));
  expect(overviewOf(checked, []).headline).toBe('1 job under way, 1 to check, 1 stopped or failed');
  expect(overviewOf(checked, []).toCheck).toBe(1);
});

it.each([
  [{ status: 'succeeded', needsReview: true, output: null }, true],
  [{ status: 'succeeded', needsReview: false, output: { needs_human: true } }, true],
  [{ status: 'succeeded', needsReview: false, output: { needs_human: false } }, false],
  [{ status: 'succeeded', needsReview: false, output: 'needs_human' }, false],
  [{ status: 'stopped', needsReview: true, output: null }, false],
] as const)('an answer is to check by the rule of the report: %j', (job, toCheck) => {
  expect(isToCheck(job)).toBe(toCheck);
  const need = needOf({ ...job, steps: 1 });
  expect(need === 'review').toBe(toCheck);
});

describe('with the kill switch on', () => {
  const stopped = { ok: true, oldestDueSeconds: 0, lapsedLeases: 0, deadLetters: 0, stopped: true };

  it('nothing counts as under way, and the overview says why', () => {
    const { headline, doing } = overviewOf(jobs, [], stopped);
    expect(headline).toBe('Everything is stopped, 1 job held, 1 stopped or failed');
    expect(doing).toBe('held by the kill switch until it is lifted');
    expect(healthOf(stopped)).toEqual({ well: false, why: 'the kill switch is on' });
  });

  it.each([
    [{}, true, 'nothing is late or was given up'],
    [{ deadLetters: 2 }, false, '2 messages given up'],
    [{ ok: false, oldestDueSeconds: 360 }, false, 'work is 6 min late'],
    [{ lapsedLeases: 1 }, true, '1 worker died in the middle of a step'],
  ])('off, %j is said in words', (facts, well, why) => {
    expect(healthOf({ ...stopped, stopped: false, ...facts })).toEqual({ well, why });
  });
});
