import { expect, it } from 'vitest';
import * as z from 'zod';
import { cancel } from '../../src/app/cancel.ts';
import { start, stop } from '../../src/app/control.ts';
import { submit } from '../../src/app/submit.ts';
import { viewJob, viewSteps } from '../../src/app/views.ts';
import { defineTool, type Tool } from '../../src/core/agent.ts';
import type { Model, ModelOutcome, ModelRequest } from '../../src/ports.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { receiveOne, TENANT } from '../field/run-case.ts';
import { runFor } from '../support/drive.ts';
import { textReply, toolReply } from '../support/fake-model.ts';
import { handle } from '../support/stage.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const aborted: ModelOutcome = {
  type: 'wait',
  billed: 'unknown',
  retryAfterMs: undefined,
  problem: 'the request was aborted',
};

/** A model whose calls take as long as given, in order, and end early when they are aborted. */
function slowModel(turns: readonly (readonly [ms: number, outcome: ModelOutcome])[]) {
  const asked: ModelRequest[] = [];
  const held: { world?: TestWorld } = {};
  const model: Model = {
    ask: async (request, signal) => {
      const [ms, outcome] = turns[asked.length] ?? [0, textReply('Done.')];
      asked.push(request);
      if (ms > 0) await held.world?.clock.sleep(ms, signal);
      return signal.aborted ? aborted : outcome;
    },
  };
  return { model, asked, held };
}

interface Scene {
  readonly world: TestWorld;
  readonly jobId: string;
  readonly asked: readonly ModelRequest[];
  /** How often the head was read since the delivery began. */
  readonly reads: () => number;
  /** What each tool did, in order. */
  readonly done: readonly string[];
  readonly work: () => Promise<unknown>;
  /** From now on the head cannot be read, until it can again. */
  readonly breakReads: (broken: boolean) => void;
}

/** A job whose tools take 10 s each on the virtual clock: `look` is pure, `pay` is once. */
async function openScene(turns: Parameters<typeof slowModel>[0]): Promise<Scene> {
  const { model, asked, held } = slowModel(turns);
  const done: string[] = [];
  const slow = (name: string, policy: 'pure' | 'once', ms: number): Tool =>
    defineTool({
      name,
      description: 'Takes its time',
      input: z.object({}),
      policy,
      run: async (_, { signal }) => {
        done.push(`${name} begun`);
        await held.world?.clock.sleep(ms, signal);
        done.push(signal.aborted ? `${name} aborted` : `${name} done`);
        return name;
      },
    });
  const tools = [
    slow('look', 'pure', 10_000),
    slow('glance', 'pure', 10),
    slow('linger', 'pure', 1_500),
    slow('pay', 'once', 10_000),
  ];
  const world = memoryWorld({ agents: fieldAgents(newEffects(), { tools }), model });
  held.world = world;
  const submitted = await submit(world, { tenant: TENANT, agent: 'field', input: 'help' });
  if (submitted.type !== 'created') throw new Error('the job was not created');
  const jobId = submitted.job.id;
  let reads = 0;
  let broken = false;
  const { loadJob } = world.store;
  const counted: TestWorld = {
    ...world,
    store: {
      ...world.store,
      loadJob: (id) => {
        reads += 1;
        return broken ? Promise.reject(new Error('no table')) : loadJob(id);
      },
    },
  };
  const work = async (): Promise<unknown> => {
    const message = receiveOne(world);
    reads = 0;
    const handled = await handle(counted, message);
    world.queue.remove(message.id);
    return handled;
  };
  const breakReads = (now: boolean): void => {
    broken = now;
  };
  return { world, jobId, asked, reads: () => reads, done, work, breakReads };
}

/** Lets pending promises settle, then moves the clock on. */
async function pass(world: TestWorld, ms: number): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  await world.clock.advance(ms);
  for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

it('aborts a model call within two seconds of the cancel, and keeps its reserve as unsettled', async () => {
  const { world, jobId, asked, work, reads } = await openScene([[60_000, textReply('Too late.')]]);
  const working = work();
  await pass(world, 3_000);
  expect(await cancel(world, TENANT, jobId)).toMatchObject({ head: { status: { type: 'running' } } });
  const reserved = (await world.store.loadJob(jobId))?.ledger.reserved ?? 0;
  expect(reserved).toBeGreaterThan(0);
  await pass(world, 1_000);
  expect(await working).toBe('done');
  expect(reads()).toBeLessThanOrEqual(4);
  expect(await world.store.loadJob(jobId)).toMatchObject({
    status: { type: 'cancelled' },
    steps: 0,
    ledger: { settled: 0, reserved: 0, unsettled: reserved },
  });
  await runFor(world, 5);
  expect(asked).toHaveLength(1);
  expect(world.queue.messages()).toEqual([]);
});

it('reads nothing of the head during a call that is over within two seconds', async () => {
  const { world, reads, work } = await openScene([[1_990, textReply('Done.')]]);
  const working = work();
  await pass(world, 1_990);
  await working;
  expect(reads()).toBe(1);
});

it('aborts a pure tool, keeps the result of the call beside it, and asks no model', async () => {
  const { world, jobId, asked, work, done } = await openScene([[0, toolReply(['look', {}], ['glance', {}])]]);
  await work();
  const working = work();
  await pass(world, 1_000);
  await cancel(world, TENANT, jobId);
  await pass(world, 1_000);
  expect(await working).toBe('done');
  expect(done).toEqual(['look begun', 'glance begun', 'glance done', 'look aborted']);
  expect(asked).toHaveLength(1);
  expect(await viewJob(world, TENANT, jobId)).toMatchObject({
    status: 'cancelled',
    cost: { reservedUsd: 0, unsettledUsd: 0 },
  });
  const steps = await viewSteps(world, TENANT, jobId);
  expect(steps?.[0]?.calls).toMatchObject([
    { name: 'look', isError: true, output: expect.stringContaining('cancelled') },
    { name: 'glance', isError: false, output: 'glance' },
  ]);
});

it('never aborts a running once tool: its result is kept, no other is begun after it, and no model is asked', async () => {
  const { world, jobId, asked, work, done } = await openScene([[0, toolReply(['pay', {}], ['pay', {}])]]);
  await work();
  const working = work();
  await pass(world, 1_000);
  await cancel(world, TENANT, jobId);
  await pass(world, 8_000);
  expect(done).toEqual(['pay begun']);
  await pass(world, 1_000);
  expect(await working).toBe('done');
  expect(done).toEqual(['pay begun', 'pay done']);
  expect(asked).toHaveLength(1);
  expect(await viewJob(world, TENANT, jobId)).toMatchObject({ status: 'cancelled' });
  const steps = await viewSteps(world, TENANT, jobId);
  expect(steps?.[0]?.calls).toMatchObject([
    { name: 'pay', isError: false, output: 'pay' },
    { name: 'pay', isError: true, output: expect.stringContaining('before this call was run') },
  ]);
});

it('aborts a model call of an attempt that another has taken over from, which then writes nothing', async () => {
  const { world, jobId, asked, work } = await openScene([[60_000, textReply('Too late.')]]);
  const working = work();
  await pass(world, 500);
  const job = await world.store.loadJob(jobId);
  if (job?.status.type !== 'running') throw new Error('not running');
  const taken = { ...job.status.lease, owner: 'another' };
  await world.store.commitJob({
    ...job,
    version: job.version + 1,
    fence: job.fence + 1,
    status: { type: 'running', lease: taken },
  });
  const standing = await world.store.loadJob(jobId);
  await pass(world, 1_500);
  expect(await working).toBe('done');
  expect(asked).toHaveLength(1);
  expect(await world.store.loadJob(jobId)).toEqual(standing);
});

it('goes on when a look at the head fails', async () => {
  const { world, jobId, work, reads, breakReads } = await openScene([[5_000, textReply('Done.')]]);
  const working = work();
  await pass(world, 100);
  breakReads(true);
  await pass(world, 4_000);
  expect(reads()).toBe(3);
  breakReads(false);
  await pass(world, 1_000);
  await working;
  expect(await world.store.loadJob(jobId)).toMatchObject({ status: { type: 'succeeded' } });
});

it('tells of a call that a dead attempt had made what its journal holds, though nothing more is begun', async () => {
  const { world, jobId, work, done } = await openScene([
    [0, toolReply(['pay', {}], ['pay', {}], ['pay', {}], ['pay', {}])],
  ]);
  await work();
  const born = (await world.store.loadJob(jobId))?.pending?.born ?? 0;
  const [second, third] = [1, 2].map((place) => ({ jobId, born, place }));
  if (second === undefined || third === undefined) throw new Error('no keys');
  await world.store.putIntent(second, 'dead');
  await world.store.closeIntent(second, 'dead', { state: 'done', text: 'paid before', isError: false });
  await world.store.putIntent(third, 'dead');
  const working = work();
  await pass(world, 1_000);
  await cancel(world, TENANT, jobId);
  await pass(world, 9_000);
  await working;
  expect(done).toEqual(['pay begun', 'pay done']);
  const job = await world.store.loadJob(jobId);
  expect(job).toMatchObject({ status: { type: 'cancelled' }, needsReview: true });
  const item = await world.store.readItem(jobId, job?.count ?? 0);
  expect(JSON.parse(item?.user ?? '[]')).toMatchObject([
    { content: 'pay' },
    { content: 'paid before' },
    { is_error: true, content: expect.stringContaining('outcome unknown') },
    { is_error: true, content: expect.stringContaining('before this call was run') },
  ]);
  expect(await world.store.readCall(third)).toMatchObject({ state: 'unknown' });
});

it('asks no model when the cancel came while a tool ran that was over before anybody looked', async () => {
  const { world, jobId, asked, work } = await openScene([[0, toolReply(['linger', {}])]]);
  await work();
  const working = work();
  await pass(world, 1_000);
  await cancel(world, TENANT, jobId);
  await pass(world, 800);
  expect(await working).toBe('done');
  expect(await world.store.loadJob(jobId)).toMatchObject({ status: { type: 'cancelled' }, steps: 1 });
  expect(asked).toHaveLength(1);
});

it('asks no model once a stop has come while a tool ran, and goes on from its results when it is lifted', async () => {
  const { world, jobId, asked, work, done } = await openScene([[0, toolReply(['look', {}])]]);
  await work();
  const working = work();
  await pass(world, 6_000);
  await stop(world, { tenant: TENANT });
  await pass(world, 4_000);
  expect(await working).toBe('done');
  expect(asked).toHaveLength(1);
  expect(await world.store.loadJob(jobId)).toMatchObject({ status: { type: 'queued' }, observed: true });
  await start(world, { tenant: TENANT });
  await runFor(world, 3);
  expect((await world.store.loadJob(jobId))?.status.type).toBe('succeeded');
  expect(done.filter((line) => line === 'look begun')).toHaveLength(1);
});
