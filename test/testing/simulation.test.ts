import { describe, expect, it } from 'vitest';
import { createTally, exhaustSingles, explore, playSeed } from '../../src/testing/simulation/explore.ts';
import { referenceJobs } from '../../src/testing/simulation/reference-jobs.ts';
import { sampleCast } from '../../src/testing/simulation/sample-agents.ts';

describe('the simulated world', () => {
  it('plays the same schedule for the same seed, to the last event', async () => {
    for (const seed of [1, 7, 192, 3101]) {
      const { scenario: _, ...first } = await playSeed(seed, sampleCast);
      const { scenario: __, ...again } = await playSeed(seed, sampleCast);
      expect(again).toEqual(first);
    }
  });

  it('breaks no rule in 60 random schedules', async () => {
    const tally = createTally();
    expect(await explore(sampleCast, 1, 60, tally)).toBeUndefined();
    expect(tally.schedules).toBe(60);
    expect(tally.struck.size).toBeGreaterThan(90);
  });

  // The longer ones are played whole by `npm run simulate`.
  const short = referenceJobs.filter(({ name }) => ['plain answer', 'approval'].includes(name));
  it.each(short.map((job) => [job.name, job] as const))(
    'breaks no rule by any single fault at any seam of: %s',
    async (_, job) => {
      const tally = createTally();
      expect(await exhaustSingles(job, sampleCast, 1, tally)).toBeUndefined();
      expect(tally.schedules).toBeGreaterThan(80);
    },
  );
});

describe('the referee', () => {
  it('sees a provider that bills more than the code believes', async () => {
    const dearer = {
      ...sampleCast,
      ratesOf: () => ({ input: 2, output: 11, cacheWrite: 2.5, cacheRead: 0.2 }),
    };
    const found = await explore(dearer, 1, 300, createTally());
    expect(found?.violation.invariant).toMatch(/^(1 money|5 transcript)$/);
  });

  it('leaves out every fault that a broken rule does not need', async () => {
    const dearer = { ...sampleCast, ratesOf: () => ({ input: 9, output: 9, cacheWrite: 9, cacheRead: 9 }) };
    const found = await explore(dearer, 1, 300, createTally());
    expect(found?.faults).toEqual([]);
  });
});
