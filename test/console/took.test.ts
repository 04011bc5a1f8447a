import { describe, expect, it } from 'vitest';
import { timelineOf } from '../../src/console/model/timeline.ts';
import { tookOf } from '../../src/console/model/took.ts';
import { aStep } from './a-step.ts';

const at = (ms: number): string => new Date(1_800_000_000_000 + ms).toISOString();
const limits = { maxSteps: 9, maxTokens: 9, maxConsecutiveFailures: 3, timeoutSeconds: 600, maxCostUsd: 1 };
const job = (status: 'running' | 'stopped', finishedMs: number | null) => ({
  ...{ status, limits, createdAt: at(0), finishedAt: finishedMs === null ? null : at(finishedMs) },
});
const waited = timelineOf(
  [aStep(1, { at: at(1_000), ms: { model: 1_000 } }), aStep(2, { at: at(50_000), ms: { model: 1_000 } })],
  at(0),
);

describe('how long a job took', () => {
  it('leaves out the waits that it says are left out', () => {
    expect(tookOf(job('stopped', 50_000), waited, 0)).toEqual({
      ...{ name: 'Took', ms: 2_000, more: '48 s of waits aside; 10 min at most' },
    });
  });

  it('ends when the job stopped, not while it lies there or waits after its last step', () => {
    expect(tookOf(job('stopped', 90_000), waited, Date.parse(at(900_000))).ms).toBe(2_000);
  });

  it('is an age while it goes on, and all there is without a step', () => {
    expect(tookOf(job('running', null), waited, Date.parse(at(70_000)))).toMatchObject({
      ...{ name: 'Age', ms: 70_000 },
    });
    expect(tookOf(job('stopped', 5_000), timelineOf([], at(0)), 0)).toEqual({
      ...{ name: 'Took', ms: 5_000, more: '10 min at most' },
    });
  });
});
