import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { handleRecord } from '../../src/app/handle.ts';
import type { Store } from '../../src/app/store.ts';
import { submit } from '../../src/app/submit.ts';
import { viewJob } from '../../src/app/views.ts';
import { type CheckResult, defineTool } from '../../src/core/agent.ts';
import type { ModelRequest } from '../../src/ports.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { deliverOne, receiveOne, resultsOf } from '../field/run-case.ts';
import { scriptOf } from '../field/scripts.ts';
import { deliver, deliveryOf, finish, handleOne, runUntilIdle, VISIBILITY_MS } from '../support/drive.ts';
import { callsModel, textReply, toolReply } from '../support/fake-model.ts';
import { callClosing, intentPut } from '../support/held-table.ts';
import { asleep, expectMoney, openStage } from '../support/stage.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

interface Setup {
  readonly world: TestWorld;
  readonly effects: string[];
  readonly asked: ModelRequest[];
  readonly jobId: string;
}

/** A job whose first reply calls `pay`, a `once` tool, and whose second is the answer. */
async function setup(check?: () => CheckResult, run?: () => unknown): Promise<Setup> {
  const effects: string[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays once',
    input: z.object({ amount: z.number() }),
    run: async (_, { idempotencyKey }) => {
      effects.push(idempotencyKey);
      return run?.() ?? 'paid';
    },
    ...(check === undefined ? {} : { check }),
  });
  const { model, asked } = callsModel([toolReply(['pay', { amount: 5 }]), textReply('Done.')]);
  const world = memoryWorld({ agents: fieldAgents(newEffects(), { tools: [pay] }), model });
  const submitted = await submit(world, { tenant: 'default', agent: 'field', input: 'pay' });
  await handleOne(world, world.queue.receive(1, VISIBILITY_MS)[0] as never);
  return { world, effects, asked, jobId: !('job' in submitted) ? '' : submitted.job.id };
}

/** Kills the worker at one write of the store, then lets the lease lapse and the message come again. */
async function dieAt(world: TestWorld, fault: Partial<Store>): Promise<void> {
  const [message] = world.queue.receive(1, VISIBILITY_MS);
  if (message === undefined) throw new Error('no message');
  void handleOne({ ...world, store: { ...world.store, ...fault } }, message);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await world.clock.advance(VISIBILITY_MS);
  await runUntilIdle(world);
}

const never = () => new Promise<never>(() => undefined);
const resultIn = (asked: readonly ModelRequest[]): string => JSON.stringify(asked.at(-1)?.messages.at(-1));

describe('a once call whose worker died', () => {
  it('after the effect and before its result is never run again, and the model is told that the outcome is unknown', async () => {
    const { world, effects, asked, jobId } = await setup();
    await dieAt(world, { closeIntent: never });
    expect(effects).toHaveLength(1);
    expect(resultIn(asked)).toContain('outcome unknown');
    expect(await viewJob(world, 'default', jobId)).toMatchObject({ status: 'succeeded', needsReview: true });
  });

  it('is answered by check where that knows the result', async () => {
    const { world, effects, asked, jobId } = await setup(() => ({ done: true, result: 'paid before' }));
    await dieAt(world, { closeIntent: never });
    expect(effects).toHaveLength(1);
    expect(resultIn(asked)).toContain('paid before');
    expect(await viewJob(world, 'default', jobId)).toMatchObject({ status: 'succeeded', needsReview: false });
  });

  it.each([
    ['says that it is not done', (): CheckResult => ({ done: false })],
    ['knows nothing', (): CheckResult => undefined],
    ['throws', (): CheckResult => JSON.parse('{')],
  ])('is not run again when check %s', async (_, check) => {
    const { world, effects, asked } = await setup(check);
    await dieAt(world, { closeIntent: never });
    expect(effects).toHaveLength(1);
    expect(resultIn(asked)).toContain('outcome unknown');
  });

  it('after its result keeps the result, and runs nothing', async () => {
    const { world, effects, asked, jobId } = await setup();
    await dieAt(world, { putItem: never });
    expect(effects).toHaveLength(1);
    expect(resultIn(asked)).toContain('paid');
    expect(await viewJob(world, 'default', jobId)).toMatchObject({ status: 'succeeded', needsReview: false });
  });

  it('before its intent runs once', async () => {
    const { world, effects, jobId } = await setup();
    await dieAt(world, { putIntent: never });
    expect(effects).toHaveLength(1);
    expect(await viewJob(world, 'default', jobId)).toMatchObject({ status: 'succeeded', needsReview: false });
  });
});

it('calls a once tool that times out unknown, not failed, and does not run it again', async () => {
  const { world, effects, asked, jobId } = await setup(undefined, never);
  const [message] = world.queue.receive(1, VISIBILITY_MS);
  if (message === undefined) throw new Error('no message');
  expect(await finish(world, handleRecord(world, message.body, deliveryOf(world, message)))).toBe('done');
  expect(effects).toHaveLength(1);
  expect(resultIn(asked)).toContain('outcome unknown');
  expect(await viewJob(world, 'default', jobId)).toMatchObject({ status: 'succeeded', needsReview: true });
});

describe('a write of the journal that gets no answer', () => {
  const writes = { intent: intentPut, result: callClosing } as const;

  it.each([
    ['intent', 'never lands'],
    ['intent', 'has landed'],
    ['intent', 'lands before the retry'],
    ['result', 'never lands'],
    ['result', 'has landed'],
    ['result', 'lands before the retry'],
  ] as const)(
    'is made again by the same attempt: the %s that %s costs no reserve and no review',
    async (which, when) => {
      const stage = await openStage({ script: scriptOf([['pay', { amount: 5 }]]) });
      const { world, held, paid, strict } = stage;
      await deliverOne(stage);
      const write = held.hold(writes[which]);
      const working = deliver(world, receiveOne(world));
      await write.reached;
      if (when === 'has landed') await write.land();
      write.timeOut();
      if (when === 'lands before the retry') {
        await asleep(world);
        await write.land();
      }
      expect(await finish(world, working)).toBe('done');
      expect(paid).toHaveLength(1);
      expect(resultsOf(stage.requests()[1])[0]).toMatchObject({ content: 'paid' });
      expect(await stage.view()).toMatchObject({
        ...{ status: 'succeeded', steps: 2, needsReview: false },
        cost: { spentUsd: strict.billedMicroUsd() / 1e6, unsettledUsd: 0 },
      });
      expect(world.lines).toEqual([]);
      expectMoney(stage);
    },
  );
});

it('aborts the signal of a tool that runs out of time, and never that of one that was done in time', async () => {
  const signals: AbortSignal[] = [];
  const watch = (name: string, run: () => unknown) =>
    defineTool({
      ...{ name, description: '', input: z.object({}), policy: 'pure' },
      run: (_, { signal }) => {
        signals.push(signal);
        return run();
      },
    });
  const { model } = callsModel([toolReply(['quick', {}], ['slow', {}]), textReply('Done.')]);
  const tools = [watch('quick', () => 'ok'), watch('slow', never)];
  const world = memoryWorld({ agents: fieldAgents(newEffects(), { tools }), model });
  await submit(world, { tenant: 'default', agent: 'field', input: 'go' });
  for (let turn = 1; turn <= 2; turn += 1) {
    const [message] = world.queue.receive(1, VISIBILITY_MS);
    if (message !== undefined) await handleOne(world, message);
  }
  expect(signals.map((signal) => signal.aborted)).toEqual([false, true]);
});

it('runs the once calls of a reply one after the other, in the order of the model', async () => {
  const order: string[] = [];
  const slow = (name: string) =>
    defineTool({
      ...{ name, description: '', input: z.object({}) },
      run: async () => {
        order.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`${name} ends`);
        return 'ok';
      },
    });
  const { model } = callsModel([toolReply(['second', {}], ['first', {}]), textReply('Done.')]);
  const world = memoryWorld({
    agents: fieldAgents(newEffects(), { tools: [slow('first'), slow('second')] }),
    model,
  });
  await submit(world, { tenant: 'default', agent: 'field', input: 'go' });
  await runUntilIdle(world);
  expect(order).toEqual(['second begins', 'second ends', 'first begins', 'first ends']);
});
