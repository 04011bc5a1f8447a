import { describe, expect, it } from 'vitest';
import { start, stop } from '../../src/app/control.ts';
import { takeDeadLetter } from '../../src/app/dead-letter.ts';
import { health } from '../../src/app/health.ts';
import type { Job } from '../../src/core/job.ts';
import { aJob, aRunningJob } from '../support/a-job.ts';
import { putEnded } from '../support/ended-jobs.ts';
import { callsModel } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const scope = { tenant: 'default', unowned: true };
const setup = (): TestWorld => memoryWorld({ agents: [], model: callsModel([]).model });

async function put(world: TestWorld, overdueMs: number, job: Job = aJob()): Promise<void> {
  await world.store.createJob({ ...job, dueAtMs: world.clock.now() - overdueMs });
}

const well = { ok: true, oldestDueSeconds: 0, lapsedLeases: 0, deadLetters: 0, stopped: false };

describe('health', () => {
  it('is well with nothing overdue', async () => {
    const world = setup();
    await put(world, -60_000);
    expect(await health(world, scope)).toEqual(well);
  });

  it.each([
    [299_999, true, 299],
    [300_000, false, 300],
  ])('with something overdue for %i ms is ok: %s', async (overdueMs, ok, oldestDueSeconds) => {
    const world = setup();
    await put(world, overdueMs);
    await put(world, 1_000, aJob({ id: 'job_2' }));
    expect(await health(world, scope)).toEqual({ ...well, ok, oldestDueSeconds });
  });

  it('counts the overdue jobs whose lease has lapsed', async () => {
    const world = setup();
    const lease = (untilMs: number): Partial<Job> => ({
      status: { type: 'running', lease: { untilMs, owner: 'o', msg: 'm' } },
    });
    await put(world, 10_000, aRunningJob(0, { id: 'job_1', ...lease(world.clock.now() - 10_000) }));
    await put(world, 10_000, aRunningJob(0, { id: 'job_2', ...lease(world.clock.now() + 10_000) }));
    expect(await health(world, scope)).toMatchObject({ ok: true, lapsedLeases: 1, oldestDueSeconds: 10 });
  });

  it('leaves out what is stopped, but not what should have been counted', async () => {
    const world = setup();
    await put(world, 900_000);
    await stop(world, { tenant: 'default' });
    expect(await health(world, scope)).toEqual({ ...well, stopped: true });
    expect(await health(world, { tenant: 'other', unowned: false })).toEqual(well);
    await putEnded(world, { id: 'job_2' });
    await world.clock.advance(400_000);
    expect(await health(world, scope)).toMatchObject({ ok: false, oldestDueSeconds: 400 });
  });

  it('is not well while everything is stopped', async () => {
    const world = setup();
    await stop(world, 'everything');
    expect(await health(world, scope)).toEqual({ ...well, ok: false, stopped: true });
    await start(world, 'everything');
    expect(await health(world, scope)).toEqual(well);
  });

  it('counts the dead letters of the caller', async () => {
    const world = setup();
    await put(world, -60_000);
    await put(world, -60_000, aJob({ id: 'job_2', tenant: 'other' }));
    await takeDeadLetter(world, 'd1', JSON.stringify({ v: 1, jobId: 'job_1', turn: 7 }));
    await takeDeadLetter(world, 'd2', JSON.stringify({ v: 1, jobId: 'job_2', turn: 7 }));
    await takeDeadLetter(world, 'd3', 'junk');
    expect((await health(world, scope)).deadLetters).toBe(2);
    expect((await health(world, { tenant: 'other', unowned: false })).deadLetters).toBe(1);
  });

  it('reads a bounded number of heads, however much is overdue', async () => {
    const world = setup();
    for (let n = 0; n < 1_000; n += 1) await put(world, 1_000, aJob({ id: `job_${n}` }));
    let heads = 0;
    const loadJobs: TestWorld['store']['loadJobs'] = (ids) => {
      heads += ids.length;
      return world.store.loadJobs(ids);
    };
    await health({ ...world, store: { ...world.store, loadJobs } }, scope);
    expect(heads).toBeLessThanOrEqual(200);
  });
});
