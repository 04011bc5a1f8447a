import { expect, it } from 'vitest';
import { createTally, exhaustPairs } from '../../src/testing/simulation/explore.ts';
import { referenceJobs } from '../../src/testing/simulation/reference-jobs.ts';
import { sampleCast } from '../../src/testing/simulation/sample-agents.ts';

it('the simulated world breaks no rule by any two crashes of a plain answer', async () => {
  const [plain] = referenceJobs;
  const tally = createTally();
  expect(plain && (await exhaustPairs(plain, sampleCast, 1, tally))).toBeUndefined();
  expect(tally.schedules).toBeGreaterThan(300);
});
