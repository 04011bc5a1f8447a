import { describe, expect, it } from 'vitest';
import { approvalsOf, judge } from '../../src/app/approve.ts';
import { cancel } from '../../src/app/cancel.ts';
import { extend } from '../../src/app/extend.ts';
import { submit } from '../../src/app/submit.ts';
import { viewJob, viewMessages, viewSteps } from '../../src/app/views.ts';
import type { ModelOutcome } from '../../src/ports.ts';
import { type Effects, fieldAgents, newEffects } from '../field/agents.ts';
import { handleOne, runUntilIdle, VISIBILITY_MS } from '../support/drive.ts';
import { callsModel, replyOf, textReply, toolReply } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

interface Setup {
  readonly world: TestWorld;
  readonly effects: Effects;
  readonly asked: ReturnType<typeof callsModel>['asked'];
}

function setup(outcomes: readonly ModelOutcome[], options: Parameters<typeof fieldAgents>[1] = {}): Setup {
  const effects = newEffects();
  const { model, asked } = callsModel(outcomes);
  const world = memoryWorld({ agents: fieldAgents(effects, options), model });
  return { world, effects, asked };
}

async function start(world: TestWorld): Promise<string> {
  const submitted = await submit(world, { tenant: 'default', agent: 'field', input: 'help' });
  return !('job' in submitted) ? submitted.jobId : submitted.job.id;
}

const view = async (world: TestWorld, id: string) => {
  const job = await viewJob(world, 'default', id);
  if (job === undefined) throw new Error('no job');
  return job;
};

describe('a job', () => {
  it('runs its tools and ends with the answer', async () => {
    const { world, effects, asked } = setup([toolReply(['search_kb', { query: 'a' }]), textReply('Done.')]);
    const id = await start(world);
    await runUntilIdle(world);
    const job = await view(world, id);
    expect(job).toMatchObject({
      status: 'succeeded',
      text: 'Done.',
      steps: 2,
      cost: { unsettledUsd: 0, reservedUsd: 0 },
    });
    expect(effects.runs.get('search_kb')).toBe(1);
    expect(asked[1]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
    expect((await viewSteps(world, 'default', id))?.[0]?.calls[0]).toMatchObject({
      name: 'search_kb',
      isError: false,
    });
    expect(await viewMessages(world, 'default', id)).toHaveLength(4);
    expect(await viewJob(world, 'other', id)).toBeUndefined();
  });

  it('goes on from a cold worker at every step', async () => {
    const { world } = setup([
      toolReply(['search_kb', { query: 'a' }]),
      toolReply(['search_kb', { query: 'b' }]),
      textReply('Done.'),
    ]);
    const id = await start(world);
    await runUntilIdle(world, { each: () => world.restarted() });
    expect(await view(world, id)).toMatchObject({ status: 'succeeded', steps: 3 });
  });

  it('waits for a person before a gated call, and refunds exactly once', async () => {
    const { world, effects, asked } = setup([
      toolReply(['search_kb', { query: 'p' }], ['issue_refund', { orderId: 'A', amountCents: 5 }]),
      textReply('Done.'),
    ]);
    const id = await start(world);
    await runUntilIdle(world);
    expect(await view(world, id)).toMatchObject({ status: 'awaiting_approval', steps: 1 });
    expect(asked).toHaveLength(1);
    expect(effects.runs.get('search_kb')).toBeUndefined();
    const job = await world.store.loadJob(id);
    const approvals = job === undefined ? [] : await approvalsOf(world, job);
    expect(approvals).toMatchObject([{ tool: 'issue_refund', status: 'pending', input: { amountCents: 5 } }]);
    const verdict = {
      tenant: 'default',
      jobId: id,
      callId: approvals[0]?.callId ?? '',
      decision: 'approve',
    } as const;
    const both = await Promise.all([judge(world, verdict), judge(world, verdict)]);
    expect(both.map((judged) => judged.type)).toEqual(['decided', 'decided']);
    await runUntilIdle(world);
    expect(await view(world, id)).toMatchObject({ status: 'succeeded', steps: 2 });
    expect(effects.refunds).toHaveLength(1);
    expect((await judge(world, verdict)).type).toBe('decided');
    expect((await judge(world, { ...verdict, decision: 'deny' })).type).toBe('conflict');
  });

  it('is told that a person declined a call', async () => {
    const { world, effects, asked } = setup([
      toolReply(['issue_refund', { orderId: 'A', amountCents: 5 }]),
      textReply('Sorry.'),
    ]);
    const id = await start(world);
    await runUntilIdle(world);
    await judge(world, {
      tenant: 'default',
      jobId: id,
      callId: 'call_1_0',
      decision: 'deny',
      reason: 'too much',
    });
    await runUntilIdle(world);
    expect(effects.refunds).toEqual([]);
    expect(JSON.stringify(asked[1]?.messages.at(-1))).toContain('A person declined this call');
    expect(JSON.stringify(asked[1]?.messages.at(-1))).toContain('too much');
    expect(await view(world, id)).toMatchObject({ status: 'succeeded' });
  });

  it('whose call nobody decides goes on once the time is over', async () => {
    const { world, asked } = setup([
      toolReply(['issue_refund', { orderId: 'A', amountCents: 5 }]),
      textReply('Sorry.'),
    ]);
    const id = await start(world);
    await runUntilIdle(world);
    await world.clock.advance(72 * 3_600_000 + 1);
    world.queue.inject('{"v":1,"jobId":"none","turn":1}');
    await world.clock.advance(120_000);
    const { reconcile } = await import('../../src/app/reconcile.ts');
    await reconcile(world);
    await runUntilIdle(world);
    expect(JSON.stringify(asked[1]?.messages.at(-1))).toContain('Nobody approved this call in time');
    expect(await view(world, id)).toMatchObject({ status: 'succeeded' });
    expect(
      await judge(world, { tenant: 'default', jobId: id, callId: 'call_1_0', decision: 'approve' }),
    ).toMatchObject({ type: 'conflict' });
  });

  it('is not decided past its expiry, acted on yet or not, nor for other arguments than were shown', async () => {
    const { world, effects } = setup([
      toolReply(['issue_refund', { orderId: 'A', amountCents: 5 }]),
      textReply('Sorry.'),
    ]);
    const id = await start(world);
    await runUntilIdle(world);
    const verdict = { tenant: 'default', jobId: id, callId: 'call_1_0', decision: 'approve' } as const;
    expect(await judge(world, { ...verdict, inputHash: 'of other arguments' })).toMatchObject({
      type: 'conflict',
    });
    expect(await judge(world, { ...verdict, tenant: 'other' })).toEqual({ type: 'not_found' });
    expect(await judge(world, { ...verdict, callId: 'call_9_0' })).toEqual({ type: 'not_found' });
    await world.clock.advance(72 * 3_600_000);
    expect(await judge(world, verdict)).toEqual({ type: 'conflict', why: 'the time to decide is over' });
    expect(effects.refunds).toEqual([]);
  });

  it('that was cancelled while a reply was under way ends cancelled and keeps the cost', async () => {
    const { world, effects } = setup([toolReply(['search_kb', { query: 'a' }])]);
    const id = await start(world);
    const { model } = world;
    const meddled: TestWorld = {
      ...world,
      model: {
        ask: async (request, signal) => {
          expect((await cancel(world, 'default', id)).type).toBe('accepted');
          return model.ask(request, signal);
        },
      },
    };
    const [message] = world.queue.receive(1, VISIBILITY_MS);
    if (message !== undefined) await handleOne(meddled, message);
    const job = await view(world, id);
    expect(job).toMatchObject({ status: 'cancelled', steps: 1 });
    expect(job.cost.spentUsd).toBeGreaterThan(0);
    expect(effects.runs.get('search_kb')).toBeUndefined();
    expect((await cancel(world, 'default', id)).type).toBe('accepted');
  });

  it('stopped by its steps goes on when it is extended, running the calls that were left', async () => {
    const { world, effects } = setup([toolReply(['search_kb', { query: 'a' }]), textReply('Done.')], {
      limits: { maxSteps: 1 },
    });
    const id = await start(world);
    await runUntilIdle(world);
    expect(await view(world, id)).toMatchObject({
      status: 'stopped',
      stop: { reason: 'max_steps', resumable: true },
    });
    expect(effects.runs.get('search_kb')).toBeUndefined();
    expect(await extend(world, { tenant: 'default', jobId: id, addSteps: 2 })).toMatchObject({
      type: 'extended',
    });
    await runUntilIdle(world);
    expect(await view(world, id)).toMatchObject({ status: 'succeeded', steps: 2 });
    expect(effects.runs.get('search_kb')).toBe(1);
  });

  it('is submitted once under one key, and refuses another body', async () => {
    const { world } = setup([textReply('Done.')]);
    const body = { tenant: 'default', agent: 'field', input: 'help', key: 'k' };
    const both = await Promise.all([submit(world, body), submit(world, body)]);
    expect(new Set(both.map((one) => (!('job' in one) ? 'x' : one.job.id))).size).toBe(1);
    expect((await submit(world, { ...body, input: 'other' })).type).toBe('conflict');
    expect((await submit(world, { ...body, tenant: 'other' })).type).toBe('created');
  });

  it('whose money does not cover the next call stops before it, naming the figure', async () => {
    const { world, asked } = setup([toolReply(['search_kb', { query: 'a' }])], {
      limits: { maxCostUsd: 0.01 },
    });
    const id = await start(world);
    await runUntilIdle(world);
    const job = await view(world, id);
    expect(job.stop?.reason).toBe('cost_ceiling');
    expect(job.stop?.message).toMatch(/the next call costs up to \$0\.\d+, \$0\.\d+ is left/);
    expect(asked).toEqual([]);
  });
});

it('keeps a reply that a dead attempt made durable, and pays for it once', async () => {
  const { world, asked } = setup([toolReply(['search_kb', { query: 'a' }]), textReply('Done.')]);
  const id = await start(world);
  const dying: TestWorld = {
    ...world,
    store: {
      ...world.store,
      commitJob: (job) => (job.by.endsWith('.replied') ? new Promise(() => {}) : world.store.commitJob(job)),
    },
  };
  const [message] = world.queue.receive(1, VISIBILITY_MS);
  if (message === undefined) throw new Error('no message');
  void handleOne(dying, message);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked).toHaveLength(1);
  await world.clock.advance(VISIBILITY_MS);
  await runUntilIdle(world);
  expect(await view(world, id)).toMatchObject({ status: 'succeeded', steps: 2, cost: { unsettledUsd: 0 } });
  expect(asked).toHaveLength(2);
  expect(replyOf(asked[1])).toBe('tool_use');
});
