import { describe, expect, it } from 'vitest';
import { submit } from '../../src/app/submit.ts';
import { viewJob, viewSteps } from '../../src/app/views.ts';
import { createDeadLetterHandler, createWorkerHandler } from '../../src/app/worker-handler.ts';
import { defineAgent } from '../../src/core/agent.ts';
import { fieldAgents, fieldTools, newEffects } from '../field/agents.ts';
import { handleOne, runUntilIdle, VISIBILITY_MS } from '../support/drive.ts';
import { callsModel, textReply, toolReply } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const context = (ms: number) => ({ getRemainingTimeInMillis: () => ms });
const recordOf = (world: TestWorld, messageId: string, body: string) => ({
  messageId,
  receiptHandle: messageId,
  body,
  attributes: { SentTimestamp: String(world.clock.now()) },
});

function setup(outcomes = [toolReply(['search_kb', { query: 'a' }]), textReply('Done.')]) {
  const effects = newEffects();
  const { model, asked } = callsModel(outcomes);
  return { world: memoryWorld({ agents: fieldAgents(effects), model }), asked, effects };
}

async function submitted(world: TestWorld): Promise<string> {
  const result = await submit(world, { tenant: 'default', agent: 'field', input: 'help' });
  return !('job' in result) ? '' : result.job.id;
}

describe('the worker', () => {
  it('starts nothing when its invocation is nearly over, and asks for the message again', async () => {
    const { world, asked } = setup();
    const jobId = await submitted(world);
    const body = JSON.stringify({ v: 1, jobId, turn: 1 });
    const response = await createWorkerHandler(world)(
      { Records: [recordOf(world, 'm1', body)] },
      context(2_000),
    );
    expect(response.batchItemFailures).toEqual([{ itemIdentifier: 'm1' }]);
    expect(asked).toEqual([]);
    expect(await viewJob(world, 'default', jobId)).toMatchObject({ status: 'queued', steps: 0 });
  });

  it('keeps a step’s own message hidden while another delivery of it holds the lease', async () => {
    const { world } = setup();
    const jobId = await submitted(world);
    const body = JSON.stringify({ v: 1, jobId, turn: 1 });
    const holding: TestWorld = { ...world, model: { ask: () => new Promise(() => undefined) } };
    void createWorkerHandler(holding)({ Records: [recordOf(world, 'm1', body)] }, context(60_000));
    await new Promise((resolve) => setTimeout(resolve, 10));
    const handler = createWorkerHandler(world);
    const records = [recordOf(world, 'm1', body), recordOf(world, 'm2', body)];
    // Its own message is the safety net and comes again; a stranger's copy goes.
    expect((await handler({ Records: records }, context(60_000))).batchItemFailures).toEqual([
      { itemIdentifier: 'm1' },
    ]);
  });

  it('commits the results when no time is left to ask, and asks with them in the next invocation', async () => {
    const { world, asked, effects } = setup();
    const jobId = await submitted(world);
    await handleOne(world, world.queue.receive(1, VISIBILITY_MS)[0] as never);
    const [message] = world.queue.receive(1, VISIBILITY_MS);
    if (message === undefined) throw new Error('no message');
    // The tool takes more than half of the invocation by this clock.
    const late: TestWorld = {
      ...world,
      clock: { ...world.clock, now: () => world.clock.now() + (effects.runs.has('search_kb') ? 70_000 : 0) },
    };
    await createWorkerHandler(late)(
      { Records: [recordOf(world, message.id, message.body)] },
      context(120_000),
    );
    world.queue.remove(message.id);
    expect(asked).toHaveLength(1);
    await runUntilIdle(world);
    expect(asked).toHaveLength(2);
    expect(effects.runs.get('search_kb')).toBe(1);
    expect(await viewJob(world, 'default', jobId)).toMatchObject({ status: 'succeeded', steps: 2 });
    expect((await viewSteps(world, 'default', jobId))?.[0]?.calls[0]?.['output']).toContain('about a');
  });

  it('ends a job whose agent it does not know, and says so', async () => {
    const { world } = setup();
    const jobId = await submitted(world);
    await runUntilIdle({ ...world, agents: new Map() });
    expect(await viewJob(world, 'default', jobId)).toMatchObject({
      status: 'failed',
      stop: {
        reason: 'configuration',
        message: expect.stringContaining('agent field is not part of this worker'),
      },
    });
  });

  it('goes on with the agent as it was at submission, whatever has been deployed since', async () => {
    const { world, asked } = setup();
    await submitted(world);
    await handleOne(world, world.queue.receive(1, VISIBILITY_MS)[0] as never);
    const changed = defineAgent({
      name: 'field',
      model: 'scripted-1',
      system: 'Something else.',
      tools: fieldTools(newEffects()),
    });
    await runUntilIdle({ ...world.restarted(), agents: new Map([['field', changed]]) });
    expect(asked).toHaveLength(2);
    expect(asked[1]?.system).toBe(asked[0]?.system);
    expect(asked[1]?.tools).toEqual(asked[0]?.tools);
  });
});

describe('the dead-letter consumer', () => {
  it('keeps the message and makes its job due, and never fails it', async () => {
    const { world } = setup();
    const jobId = await submitted(world);
    world.queue.clear();
    const body = JSON.stringify({ v: 1, jobId, turn: 1 });
    const handler = createDeadLetterHandler(world);
    const response = await handler(
      { Records: [recordOf(world, 'd1', body), recordOf(world, 'd2', 'junk')] },
      context(1_000),
    );
    expect(response.batchItemFailures).toEqual([]);
    expect(await world.table.query('DEAD', '', '~', true)).toMatchObject([
      { sk: 'd1', body, reason: 'received too often' },
      { sk: 'd2', body: 'junk', reason: 'the body is not JSON' },
    ]);
    const job = await world.store.loadJob(jobId);
    expect(job).toMatchObject({ status: { type: 'queued' }, dueAtMs: world.clock.now() });
  });
});
