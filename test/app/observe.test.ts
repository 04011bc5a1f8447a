import { describe, expect, it } from 'vitest';
import { cancel } from '../../src/app/cancel.ts';
import { extend } from '../../src/app/extend.ts';
import { submit } from '../../src/app/submit.ts';
import { createWorkerHandler } from '../../src/app/worker-handler.ts';
import { RetryableError } from '../../src/core/errors.ts';
import type { EndFacts, StepFacts } from '../../src/core/facts.ts';
import type { ModelOutcome, Table } from '../../src/ports.ts';
import { type FieldOptions, fieldAgents, newEffects } from '../field/agents.ts';
import { receiveOne } from '../field/run-case.ts';
import { startBatch } from '../support/a-batch.ts';
import { deliver, FUNCTION_MS, handleOne, runFor, runUntilIdle } from '../support/drive.ts';
import { callsModel, reply, textReply, toolReply } from '../support/fake-model.ts';
import { payTool } from '../support/stage.ts';
import { recordingTelemetry } from '../support/telemetry.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const search = toolReply(['search_kb', { query: 'a' }]);
const busy: ModelOutcome = {
  ...{ type: 'wait', billed: 'no', retryAfterMs: 1_000 },
  problem: '529 overloaded_error',
};
const lost: ModelOutcome = { ...{ type: 'wait', billed: 'unknown', retryAfterMs: 1 }, problem: 'timed out' };
const refused: ModelOutcome = {
  ...{ type: 'refused', reason: 'configuration', problem: '401 authentication_error', words: 'no such key' },
};

interface Options extends FieldOptions {
  readonly wrap?: (table: Table) => Table;
  readonly logSteps?: boolean;
}

function setup(outcomes: readonly ModelOutcome[], { wrap, logSteps = false, ...field }: Options = {}) {
  const { model } = callsModel(outcomes);
  const { telemetry, facts, flushes } = recordingTelemetry();
  const agents = fieldAgents(newEffects(), field);
  const world = memoryWorld({ agents, model, telemetry, logSteps, ...(wrap && { wrap }) });
  const steps = (): StepFacts[] => facts.filter((fact) => fact.type === 'step');
  const ends = (): EndFacts[] => facts.filter((fact) => fact.type === 'ended');
  return { world, facts, flushes, steps, ends };
}

async function start(world: TestWorld, input = 'help', limits = {}): Promise<string> {
  const submitted = await submit(world, { tenant: 'default', agent: 'field', input, limits });
  if (!('job' in submitted)) throw new Error(submitted.type);
  return submitted.job.id;
}

const headOf = async (world: TestWorld, id: string) => {
  const job = await world.store.loadJob(id);
  if (job === undefined) throw new Error('no job');
  return job;
};

describe('each step that is committed', () => {
  it('is told once, with its calls, its request and its money, and then the end of the job', async () => {
    const { world, facts } = setup([search, textReply('Done.')]);
    const id = await start(world);
    await runUntilIdle(world);
    const job = { id, tenant: 'default', agent: 'field', batchId: '' };
    const asked = { stop: 'tool_use', problem: '', usage: [100, 20, 0, 0] };
    expect(facts).toMatchObject([
      {
        type: 'step',
        event: 'replied',
        model: 'scripted-1',
        attempt: 1,
        calls: [],
        asked,
        job: { ...job, steps: 1 },
      },
      {
        ...{ type: 'step', event: 'replied', asked: { ...asked, stop: 'end_turn' } },
        calls: [{ id: 'call_1_0', tool: 'search_kb', failed: false }],
        job: { ...job, steps: 2, status: 'succeeded', stop: 'completed' },
      },
      {
        type: 'ended',
        model: 'scripted-1',
        job: { ...job, status: 'succeeded', stop: 'completed', steps: 2 },
      },
    ]);
    const { ledger } = await headOf(world, id);
    const spent = facts.reduce((sum, fact) => sum + (fact.type === 'step' ? fact.spent : 0), 0);
    expect(spent).toBe(ledger.settled);
    expect(spent).toBeGreaterThan(0);
  });

  it('is not told again when its message is delivered again', async () => {
    const { world, facts } = setup([textReply('Done.')]);
    await start(world);
    const message = receiveOne(world);
    await deliver(world, message);
    const told = facts.length;
    await deliver(world, message);
    await deliver(world.restarted(), message);
    expect(facts).toHaveLength(told);
    expect(told).toBe(2);
  });

  it('is told once when its commit lands and the answer of the table is lost', async () => {
    let landed = 0;
    const wrap = (table: Table): Table => ({
      ...table,
      put: async (item, condition) => {
        const answer = await table.put(item, condition);
        if (item.sk === 'JOB' && ++landed === 3) throw new RetryableError('timed_out', 'no answer');
        return answer;
      },
    });
    const { world, steps, ends } = setup([textReply('Done.')], { wrap });
    await start(world);
    await runUntilIdle(world);
    expect(landed).toBe(3);
    expect(steps()).toHaveLength(1);
    expect(ends()).toHaveLength(1);
  });

  it('of two workers at the same step is told by the one whose commit lands', async () => {
    const { world, steps } = setup([textReply('Done.')]);
    const id = await start(world);
    const message = receiveOne(world);
    let answer = (): void => undefined;
    const slow: TestWorld = {
      ...world,
      model: {
        ask: () =>
          new Promise((resolve) => {
            answer = () => resolve(textReply('Too late.'));
          }),
      },
    };
    const late = deliver(slow, message);
    for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    await world.clock.advance(FUNCTION_MS + 5_000);
    await deliver(world, message);
    expect(await headOf(world, id)).toMatchObject({ status: { type: 'succeeded' } });
    answer();
    await late;
    expect(steps().filter(({ asked }) => asked !== undefined)).toHaveLength(1);
  });

  it('that brought no answer is told with the reason, and money of unknown outcome as unsettled', async () => {
    const { world, steps } = setup([busy, lost, textReply('Done.')]);
    const id = await start(world);
    await runUntilIdle(world);
    expect(steps()).toMatchObject([
      {
        event: 'model_unavailable',
        asked: { problem: '529 overloaded_error', stop: '', cost: 0 },
        unsettled: 0,
      },
      { event: 'model_unavailable', asked: { problem: 'timed out' }, spent: 0 },
      { event: 'replied', asked: { problem: '' } },
    ]);
    const { ledger } = await headOf(world, id);
    expect(steps()[1]?.unsettled).toBe(ledger.unsettled);
    expect(ledger.unsettled).toBeGreaterThan(0);
  });

  it('that a dead attempt had paid for is told when it is adopted, with the times of the attempt that asked', async () => {
    const { world, steps } = setup([textReply('Done.')]);
    await start(world);
    const message = receiveOne(world);
    await new Promise<void>((died) => {
      const store: TestWorld['store'] = {
        ...world.store,
        commitJob: async (head) => {
          if (head.steps === 0) return world.store.commitJob(head);
          died();
          return new Promise(() => undefined);
        },
      };
      void deliver({ ...world, store }, message);
    });
    expect(steps()).toEqual([]);
    const askedMs = world.clock.now();
    await world.clock.advance(FUNCTION_MS + 5_000);
    await deliver(world.restarted(), message);
    const [claimed, adopted, ...others] = steps();
    expect(claimed).toMatchObject({ event: 'claimed', asked: undefined, calls: [] });
    expect(claimed?.unsettled).toBeGreaterThan(0);
    expect(adopted).toMatchObject({ event: 'replied', fence: 1, asked: { endMs: askedMs }, unsettled: 0 });
    expect(others).toEqual([]);
  });
});

describe('the end of a job', () => {
  const endings: readonly (readonly [string, Options & { outcomes: readonly ModelOutcome[] }, object])[] = [
    [
      'its last step',
      { outcomes: [search], limits: { maxSteps: 1 } },
      { status: 'stopped', stop: 'max_steps' },
    ],
    ['its ceiling', { outcomes: [search], limits: { maxCostUsd: 0.000_01 } }, { stop: 'cost_ceiling' }],
    ['a model that refuses', { outcomes: [refused] }, { status: 'failed', stop: 'configuration' }],
    ['a reply that is refused', { outcomes: [reply([], 'refusal')] }, { status: 'stopped', stop: 'refusal' }],
  ];
  it.each(endings)('by %s is told once', async (_, { outcomes, ...options }, job) => {
    const { world, ends } = setup(outcomes, options);
    await start(world);
    await runUntilIdle(world);
    expect(ends()).toHaveLength(1);
    expect(ends()[0]).toMatchObject({ job });
  });

  it('by a cancel is told once, and by nobody who asks for the same again', async () => {
    const { world, facts } = setup([textReply('Done.')]);
    const id = await start(world);
    await cancel(world, 'default', id);
    await cancel(world, 'default', id);
    await runUntilIdle(world);
    await runFor(world, 3);
    expect(facts).toMatchObject([
      { type: 'ended', model: undefined, job: { id, status: 'cancelled', steps: 0 } },
    ]);
  });

  it('by its deadline, which the reconciler sees, is told once', async () => {
    const { world, facts } = setup([{ ...busy, retryAfterMs: 3_600_000 }], {
      limits: { timeoutSeconds: 60 },
    });
    const id = await start(world);
    await handleOne(world, receiveOne(world));
    await runFor(world, 90);
    expect(facts.filter(({ type }) => type === 'ended')).toMatchObject([
      { type: 'ended', job: { id, status: 'stopped', stop: 'deadline' } },
    ]);
  });

  it('by a worker that does not know its agent is told once', async () => {
    const { world, facts } = setup([textReply('Done.')]);
    await start(world);
    await handleOne({ ...world, agents: new Map() }, receiveOne(world));
    expect(facts).toMatchObject([
      { type: 'step', event: 'given_up', asked: undefined },
      { type: 'ended', model: undefined, job: { status: 'failed', stop: 'configuration' } },
    ]);
  });

  it('of a row that needs no model is told when the job is made, and not when it is made again', async () => {
    const { world, facts } = setup([textReply('Done.')]);
    const rows = [{ id: 'r1', line: 2, input: '', metadata: {}, output: { needs_human: true } }];
    for (let times = 0; times < 2; times += 1) await startBatch(world, { rows });
    await runUntilIdle(world);
    expect(facts).toMatchObject([{ type: 'ended', job: { status: 'succeeded', steps: 0 } }]);
  });

  it('comes again when the job goes on and ends again', async () => {
    const { world, ends } = setup([search, textReply('Done.')], { limits: { maxSteps: 1 } });
    const id = await start(world);
    await runUntilIdle(world);
    const more = { tenant: 'default', jobId: id, addUsd: 0, addSteps: 5, addTokens: 0, addSeconds: 0 };
    await extend(world, more as never);
    await runUntilIdle(world);
    expect(ends().map(({ job }) => job.stop)).toEqual(['max_steps', 'completed']);
  });
});

describe('what is told', () => {
  it('holds nothing of what was said: not the ticket, arguments, results, answers, or tools that a model made up', async () => {
    const words = ['ticket', 'argument', 'result', 'answer', 'thrown', 'invented', 'provider'].map(
      (of) => `${of}Q7X`,
    );
    const [ticket, argument, result, answer, thrown, invented, provider] = words;
    const { world, facts } = setup(
      [
        toolReply(
          ['search_kb', { query: argument }],
          ['fail_tool', { message: thrown }],
          [`${invented}`, {}],
        ),
        textReply(`${answer}`),
      ],
      { search: () => result, logSteps: true },
    );
    await start(world, ticket);
    const { world: other, facts: others } = setup([{ ...refused, words: `${provider}` } as ModelOutcome], {
      logSteps: true,
    });
    await start(other, ticket);
    for (const each of [world, other]) await runUntilIdle(each);
    const [, second] = facts;
    expect(second).toMatchObject({
      calls: [
        { tool: 'search_kb', failed: false },
        { tool: 'fail_tool', failed: true },
        { tool: 'unknown', failed: true },
      ],
    });
    const text = JSON.stringify([facts, others, world.lines, other.lines]);
    for (const word of words) expect(text).not.toContain(word);
  });

  it('says of calls how they lay in time: those of once tools one after the other, the others from the beginning', async () => {
    const slow = { ...payTool([]), policy: 'once' as const };
    const held: { world?: TestWorld } = {};
    const taking = (ms: number) => async () => {
      await held.world?.clock.sleep(ms);
      return 'paid';
    };
    const { world, steps } = setup(
      [
        toolReply(['pay', { amount: 1 }], ['search_kb', { query: 'a' }], ['pay', { amount: 2 }]),
        textReply('Done.'),
      ],
      { tools: [{ ...slow, run: taking(2_000) }] },
    );
    held.world = world;
    await start(world);
    await runUntilIdle(world);
    const [, { calls = [], asked } = {}] = steps();
    const begin = (asked?.startMs ?? 0) - 4_000;
    expect(calls.map(({ startMs, endMs }) => [startMs - begin, endMs - begin])).toEqual([
      [0, 2_000],
      [0, 0],
      [2_000, 4_000],
    ]);
  });

  it('does not make a step fail, whatever becomes of it', async () => {
    const { world } = setup([textReply('Done.')]);
    const broken = {
      told: () => {
        throw new Error('full');
      },
      flush: async () => undefined,
    };
    const id = await start(world);
    await handleOne({ ...world, telemetry: broken }, receiveOne(world));
    expect(await headOf(world, id)).toMatchObject({ status: { type: 'succeeded' } });
    const warning = { level: 'warn', message: 'it could not be told what a job has done' };
    expect(world.lines).toMatchObject([warning]);
    const other = await start(world, 'more');
    await cancel({ ...world, telemetry: broken }, 'default', other);
    expect(await headOf(world, other)).toMatchObject({ status: { type: 'cancelled' } });
    expect(world.lines).toMatchObject([warning, warning]);
  });
});

describe('the line of a step', () => {
  const bytes = ({ level, message, fields }: TestWorld['lines'][number]): number =>
    Buffer.byteLength(`${JSON.stringify({ level, message, ...fields })}\n`);

  it('is one for each step, short, and says of one that ends its job how and why', async () => {
    const { world } = setup([busy, search, textReply('Done.')], { logSteps: true });
    const jobId = await start(world);
    await runUntilIdle(world);
    const lines = world.lines.filter(({ message }) => message === 'step');
    expect(lines.map(({ fields }) => fields)).toMatchObject([
      { jobId, step: 0, status: 'queued', event: 'model_unavailable', problem: '529 overloaded_error' },
      { jobId, step: 1, status: 'queued', stopReason: 'tool_use', input: 100, output: 20 },
      { jobId, step: 2, status: 'succeeded', stop: 'completed', stopReason: 'end_turn', calls: 1 },
    ]);
    for (const line of lines) expect(bytes(line)).toBeLessThan(350);
  });

  it('is there for a job that ends without a step, and none without logSteps', async () => {
    for (const logSteps of [true, false]) {
      const { world } = setup([textReply('Done.')], { logSteps });
      const jobId = await start(world);
      await cancel(world, 'default', jobId);
      await runUntilIdle(world);
      const line = {
        level: 'info',
        message: 'job ended',
        fields: { jobId, status: 'cancelled', stop: 'cancelled' },
      };
      expect(world.lines).toMatchObject(logSteps ? [line] : []);
    }
  });
});

describe('a worker’s invocation', () => {
  const invoke = (world: TestWorld, ms: number) => {
    const { id, body } = receiveOne(world);
    const record = { messageId: id, receiptHandle: id, body, attributes: {} };
    return createWorkerHandler(world)({ Records: [record] }, { getRemainingTimeInMillis: () => ms });
  };

  it('hands over what was told before it answers', async () => {
    const { world, facts, flushes } = setup([textReply('Done.')]);
    await start(world);
    const within: number[] = [];
    const flush = async (ms: number): Promise<void> => void within.push(ms, facts.length);
    const telemetry = { told: world.telemetry?.told ?? (() => undefined), flush };
    await invoke({ ...world, telemetry }, 60_000);
    expect(within).toEqual([2_000, 2]);
    expect(flushes()).toBe(0);
  });

  it('leaves it to the next when it is nearly over itself', async () => {
    const { world, flushes } = setup([textReply('Done.')]);
    await start(world);
    await invoke(world, 400);
    expect(flushes()).toBe(0);
  });
});
