import { describe, expect, it } from 'vitest';
import { judge } from '../../src/app/approve.ts';
import { takeDeadLetter } from '../../src/app/dead-letter.ts';
import { redrive } from '../../src/app/letters.ts';
import { measure } from '../../src/app/measure.ts';
import { type Reconciled, reconcile } from '../../src/app/reconcile.ts';
import { submit } from '../../src/app/submit.ts';
import { callId } from '../../src/core/approvals.ts';
import type { Job } from '../../src/core/job.ts';
import type { Measures } from '../../src/core/metrics.ts';
import { shardOf } from '../../src/core/table.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { aJob } from '../support/a-job.ts';
import { runUntilIdle } from '../support/drive.ts';
import { putEnded } from '../support/ended-jobs.ts';
import { callsModel, toolReply } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const nothing: Reconciled = { looked: 0, failed: 0, stalled: 0, settled: 0, unsettled: 0 };
const quiet: Measures = {
  ...{ oldestDueSeconds: 0, stalledJobs: 0, openDeadLetters: 0, approvalsExpiring: 0 },
  ...{ spentUsd: 0, unsettledUsd: 0 },
};

const refund = toolReply(['issue_refund', { orderId: 'A-1', amountCents: 500 }]);
const setup = (): TestWorld =>
  memoryWorld({ agents: fieldAgents(newEffects()), model: callsModel([refund]).model });

/** A job whose refund waits for a person, 72 hours at the most. */
async function waiting(world: TestWorld): Promise<Job> {
  const submitted = await submit(world, { tenant: 'default', agent: 'field', input: 'help' });
  if (!('job' in submitted)) throw new Error(submitted.type);
  await runUntilIdle(world);
  return submitted.job;
}

const run = async (world: TestWorld): Promise<Measures> => measure(world, await reconcile(world));

describe('what a run of the reconciler measures', () => {
  it('is nothing where nothing happens', async () => {
    const world = setup();
    await world.store.createJob(aJob({ dueAtMs: world.clock.now() + 60_000 }));
    expect(await run(world)).toEqual(quiet);
  });

  it('is how long the oldest thing is overdue that the run has left over', async () => {
    const world = setup();
    await world.store.createJob(aJob({ dueAtMs: world.clock.now() - 400_000 }));
    expect(await measure(world, nothing)).toEqual({ ...quiet, oldestDueSeconds: 400 });
    expect(await run(world)).toEqual(quiet);
  });

  it('counts a job that no worker moves on from the fourth time on that it is sent again', async () => {
    const world = setup();
    await world.store.createJob(aJob({ dueAtMs: world.clock.now() }));
    const stalled: number[] = [];
    for (const seconds of [0, 30, 60, 120, 240]) {
      await world.clock.advance(seconds * 1_000);
      stalled.push((await run(world)).stalledJobs);
    }
    expect(stalled).toEqual([0, 0, 0, 1, 1]);
  });

  it('counts dead letters, whoever owns them, until they are sent again or outlive their time', async () => {
    const world = setup();
    await world.store.createJob(aJob());
    await takeDeadLetter(world, 'd1', JSON.stringify({ v: 1, jobId: 'job_1', turn: 7 }));
    await takeDeadLetter(world, 'd2', 'junk');
    expect((await measure(world, nothing)).openDeadLetters).toBe(2);
    await redrive(world, { tenant: 'default', unowned: false }, 'd1');
    await takeDeadLetter(world, 'd1', JSON.stringify({ v: 1, jobId: 'job_1', turn: 7 }));
    expect((await measure(world, nothing)).openDeadLetters).toBe(1);
    await world.clock.advance(14 * 86_400_000);
    expect((await measure(world, nothing)).openDeadLetters).toBe(0);
  });

  it('adds up what ended jobs cost, once, and how much of it is of unknown outcome', async () => {
    const world = setup();
    await putEnded(world, { id: 'job_1', ledger: { settled: 2_000_000, unsettled: 500_000 } });
    await putEnded(world, { id: 'job_2', tenant: 'other', ledger: { settled: 1_000_000 } });
    expect(await run(world)).toEqual({ ...quiet, spentUsd: 3.5, unsettledUsd: 0.5 });
    expect(await run(world)).toEqual(quiet);
  });
});

describe('an approval is about to expire', () => {
  it.each([
    [3_601_000, 0],
    [3_599_000, 1],
    [1_000, 1],
    [-1_000, 0],
  ])('with %i ms left: %i', async (leftMs, count) => {
    const world = setup();
    const { id } = await waiting(world);
    // Its due time is moved to the expiry by the next run.
    await world.clock.advance(180_000);
    await reconcile(world);
    const { pending } = (await world.store.loadJob(id)) ?? {};
    await world.clock.advance((pending?.expiresAtMs ?? 0) - world.clock.now() - leftMs);
    expect((await measure(world, nothing)).approvalsExpiring).toBe(count);
  });

  it('as its last hour begins, however many jobs run or are queued in its shard', async () => {
    const world = setup();
    const { id } = await waiting(world);
    await world.clock.advance(180_000);
    await reconcile(world);
    const { pending } = (await world.store.loadJob(id)) ?? {};
    await world.clock.advance((pending?.expiresAtMs ?? 0) - world.clock.now() - 3_590_000);
    const live = Array.from({ length: 6_400 }, (_, n) => `job_live_${n}`).filter(
      (other) => shardOf(other) === shardOf(id),
    );
    expect(live.length).toBeGreaterThan(300);
    const dueAtMs = world.clock.now() + 18 * 60_000;
    for (const other of live) await world.store.createJob(aJob({ id: other, dueAtMs }));
    expect((await measure(world, nothing)).approvalsExpiring).toBe(1);
  });

  it('until a person decides', async () => {
    const world = setup();
    const { id } = await waiting(world);
    await world.clock.advance(180_000);
    await reconcile(world);
    const job = await world.store.loadJob(id);
    await world.clock.advance((job?.pending?.expiresAtMs ?? 0) - world.clock.now() - 60_000);
    const call = callId(job?.pending?.born ?? 0, 0);
    await judge(world, {
      jobId: id,
      tenant: 'default',
      callId: call,
      decision: 'deny',
      who: 'a',
      reason: '',
    });
    expect((await measure(world, nothing)).approvalsExpiring).toBe(0);
  });
});
