import { expect, it } from 'vitest';
import * as z from 'zod';
import { submit } from '../../src/app/submit.ts';
import { type StepView, viewSteps } from '../../src/app/views.ts';
import { defineTool } from '../../src/core/agent.ts';
import type { Item, Key, ModelOutcome, Table } from '../../src/ports.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { handleOne, runUntilIdle, VISIBILITY_MS } from '../support/drive.ts';
import { textReply, toolReply } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const MODEL_MS = 900;
const READ_MS = 5;
const WRITE_MS = 10;

interface Setup {
  readonly world: TestWorld;
  readonly steps: () => Promise<readonly StepView[]>;
  /** What the table had taken in all whenever the item of a step was about to be put. */
  readonly takenMs: readonly number[];
}

/** A job in a world where the model, the tools, and each read and write of the table take a known time. */
async function setup(
  outcomes: readonly ModelOutcome[],
  stored: (item: Item & Key) => Item & Key = (item) => item,
): Promise<Setup> {
  let sleep = async (_ms: number): Promise<void> => undefined;
  let sumMs = 0;
  const takenMs: number[] = [];
  const after = async <T>(ms: number, work: () => Promise<T>): Promise<T> => {
    sumMs += ms;
    await sleep(ms);
    return work();
  };
  const wrap = (table: Table): Table => ({
    ...table,
    get: (key) => after(READ_MS, () => table.get(key)),
    query: (...args) => after(READ_MS, () => table.query(...args)),
    update: (...args) => after(WRITE_MS, () => table.update(...args)),
    put: (item, condition) => {
      if (item.sk.startsWith('MSG#')) takenMs.push(sumMs);
      return after(WRITE_MS, () => table.put(stored(item), condition));
    },
  });
  const sleeper = (name: string, policy: 'pure' | 'once', ms: number) =>
    defineTool({
      name,
      description: 'Takes its time',
      input: z.object({}),
      policy,
      run: async () => {
        await sleep(ms);
        return 'done';
      },
    });
  const left = [...outcomes];
  const ask = async (): Promise<ModelOutcome> => {
    await sleep(MODEL_MS);
    return left.shift() ?? textReply('Done.');
  };
  const tools = [sleeper('look', 'pure', 200), sleeper('act', 'once', 300)];
  const world = memoryWorld({ agents: fieldAgents(newEffects(), { tools }), model: { ask }, wrap });
  const submitted = await submit(world, { tenant: 'default', agent: 'field', input: 'help' });
  const id = 'job' in submitted ? submitted.job.id : submitted.jobId;
  const steps = async (): Promise<readonly StepView[]> => {
    sleep = async () => undefined;
    return (await viewSteps(world, 'default', id)) ?? [];
  };
  sleep = world.clock.sleep;
  sumMs = 0;
  takenMs.length = 0;
  return { world, steps, takenMs };
}

/** Lets the next message lie for so long, and handles it. */
async function handleAfter(world: TestWorld, ms: number): Promise<void> {
  await world.clock.advance(ms);
  const [message] = world.queue.receive(1, VISIBILITY_MS);
  if (message === undefined) throw new Error('no message is there');
  await handleOne(world, message);
}

const total = ({ ms }: StepView): number => Object.values(ms).reduce((sum, part) => sum + part, 0);

it('splits the time of a step into queue, model, tools and what Treadle took itself', async () => {
  const { world, steps, takenMs } = await setup([textReply('Done.')]);
  const sentMs = world.clock.now();
  await handleAfter(world, 3_000);
  const [step] = await steps();
  expect(step?.ms).toEqual({ queue: 3_000, model: MODEL_MS, tools: 0, engine: takenMs[0] });
  expect(step?.ms['engine']).toBeGreaterThanOrEqual(2 * READ_MS + WRITE_MS);
  expect(step && Date.parse(step.at) - total(step)).toBe(sentMs);
});

it('counts tools that ran at the same time once, and the journal of the others as its own time', async () => {
  const calls = toolReply(['act', {}], ['look', {}], ['act', {}]);
  const { world, steps } = await setup([calls, textReply('Done.')]);
  await handleAfter(world, 0);
  const sentMs = world.queue.messages()[0]?.sentMs;
  await handleAfter(world, 40);
  const [first, second] = await steps();
  expect(first?.calls.map(({ ms }) => ms)).toEqual([300, 200, 300]);
  expect(second?.ms).toMatchObject({ queue: 40, model: MODEL_MS, tools: 600 });
  // An intent and a result for each of two calls, and the claim.
  expect(second?.ms['engine']).toBeGreaterThanOrEqual(5 * WRITE_MS);
  expect(second && Date.parse(second.at) - total(second)).toBe(sentMs);
});

it('takes the wait for a model that could not answer for none of the four', async () => {
  const wait = { type: 'wait', billed: 'no', retryAfterMs: 60_000, problem: '429 rate_limit_error' } as const;
  const { world, steps } = await setup([wait, textReply('Done.')]);
  const sentMs = world.clock.now();
  await runUntilIdle(world);
  const [step] = await steps();
  expect(step?.ms).toMatchObject({ model: MODEL_MS, tools: 0 });
  expect(step?.ms['queue']).toBeLessThan(1_000);
  expect(step && Date.parse(step.at) - total(step) - sentMs).toBeGreaterThanOrEqual(60_000);
});

it('reads steps that were stored before its own time was measured', async () => {
  const without = ({ engineMs: _, ...item }: Item & Key): Item & Key => item;
  const { world, steps } = await setup([textReply('Done.')], without);
  await handleAfter(world, 20);
  expect((await steps())[0]?.ms).toEqual({ queue: 20, model: MODEL_MS, tools: 0, engine: 0 });
});
