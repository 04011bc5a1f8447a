import * as z from 'zod';
import { createApi } from '../../src/api/app.ts';
import { apiFiles } from '../../src/api-files.ts';
import { measure } from '../../src/app/measure.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { createWorkerHandler } from '../../src/app/worker-handler.ts';
import { type Agent, defineAgent, defineTool, type Policy } from '../../src/core/agent.ts';
import type { ContentBlock } from '../../src/core/content.ts';
import { identifyLocally } from '../../src/local/api-server.ts';
import type { Model } from '../../src/ports.ts';
import type { QueuedMessage } from '../../src/testing/memory-queue.ts';
import { finish } from '../../test/support/drive.ts';
import { reply } from '../../test/support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../../test/support/world.ts';
import { type Count, createMeter, type Meter, meteredQueue, meteredTable, sum } from './meter.ts';
import { itemBytes } from './sizes.ts';

/** What is run, to be counted. */
export interface Work {
  readonly steps: number;
  /** Jobs at once, each step of which is a record of the same invocation: 1 to 10. */
  readonly batch: number;
  readonly modelMs: number;
  /** Of a step's tool results and reply together, as JSON text. */
  readonly stepBytes: number;
  readonly policy: Policy;
  /** No environment holds the transcript of the step before. */
  readonly cold: boolean;
  readonly polls: number;
}

/** What it took, all jobs together. */
export interface Ran {
  readonly steps: number;
  readonly jobs: number;
  readonly invocations: number;
  readonly apiRequests: number;
  readonly submit: Count;
  readonly polls: Count;
  readonly worker: Count;
  /** Of the reconciler, what it does because of these jobs. */
  readonly ending: Count;
  /** One run of the reconciler that finds nothing. */
  readonly idle: Count;
  readonly storedBytes: number;
  /** How long a byte of it stays, as the items say themselves, in days. */
  readonly keptDays: number;
}

const FUNCTION_MS = 120_000;
const VISIBILITY_MS = 720_000;
const MINUTE_MS = 60_000;
/** The time is a number of thirteen digits, as it is today: DynamoDB bills none of the zeros of a round one. */
const ODD_MS = 12_345_678_901;
/** Of a step, what the model says beside its call. */
const SAID_BYTES = 1_024;

/** Runs jobs through the real API, worker and reconciler in memory, and counts what each asks of table and queue. */
export async function runWork(work: Work): Promise<Ran> {
  const meter = createMeter();
  const world = await worldOf(work, meter);
  const api = createApi({ world, identify: identifyLocally, files: apiFiles });
  const ask = async (path: string, init?: RequestInit): Promise<unknown> => {
    const response = await finish(world, Promise.resolve(api.request(path, init)), PATIENCE);
    if (!response.ok) throw new Error(`${path} was answered ${response.status}`);
    return response.json();
  };
  const idle = await look(world, meter, 'idle');
  const ids = await submitAll(work, meter, ask);
  let invocations = 0;
  let polled = 0;
  let reconciledMs = world.clock.now();
  let runs = 0;
  const due = (): boolean => world.clock.now() - reconciledMs >= MINUTE_MS;
  for (;;) {
    meter.turnTo('worker');
    const messages = world.queue.receive(work.batch, VISIBILITY_MS);
    if (messages.length === 0) break;
    await invoke(world, work, meter, messages);
    invocations += 1;
    if (due()) {
      await look(world, meter, 'ending');
      reconciledMs = world.clock.now();
      runs += 1;
    }
    meter.turnTo('polls');
    if (invocations % Math.ceil(work.steps / work.polls) !== 0) continue;
    for (const id of ids) await ask(`/jobs/${id}`);
    polled += ids.length;
  }
  for (let minutes = 0; minutes < 4; minutes += 1, runs += 1) {
    await world.clock.advance(MINUTE_MS);
    await look(world, meter, 'ending');
  }
  await expectDone(world, ids, work.steps);
  return {
    ...{ steps: work.steps * work.batch, jobs: work.batch, invocations, apiRequests: ids.length + polled },
    ...{ submit: meter.of('submit'), polls: meter.of('polls'), worker: meter.of('worker'), idle },
    ending: sum(meter.of('ending'), idle, -runs),
    ...stored(world),
  };
}

/** What DynamoDB adds to each item that is kept. */
const STORAGE_OVERHEAD_BYTES = 100;
/** Turns of the event loop in which nothing happens before the clock moves. */
const PATIENCE = 20;
const DAY_SECONDS = 86_400;

function stored({ table, clock }: TestWorld): Pick<Ran, 'storedBytes' | 'keptDays'> {
  const items = table.all().map((item) => ({
    bytes: itemBytes(item) + STORAGE_OVERHEAD_BYTES,
    days: (Number(item['ex'] ?? Number.NaN) - clock.now() / 1_000) / DAY_SECONDS,
  }));
  const passing = items.filter(({ days }) => !Number.isNaN(days));
  const bytesOf = (some: typeof items): number => some.reduce((all, { bytes }) => all + bytes, 0);
  const byteDays = passing.reduce((all, { bytes, days }) => all + bytes * days, 0);
  return { storedBytes: bytesOf(items), keptDays: byteDays / bytesOf(passing) };
}

async function worldOf(work: Work, meter: Meter): Promise<TestWorld> {
  let sleep = async (_ms: number): Promise<void> => undefined;
  const model: Model = {
    ask: async (request) => {
      await sleep(work.modelMs);
      const replies = request.messages.filter(({ role }) => role === 'assistant').length;
      return reply(contentOf(work, replies + 1), replies + 1 < work.steps ? 'tool_use' : 'end_turn');
    },
  };
  const agents = [agentOf(work)];
  // Lambda logs each step, and the test world by itself does not.
  const bare = memoryWorld({ agents, model, wrap: (table) => meteredTable(table, meter), logSteps: true });
  sleep = bare.clock.sleep;
  await bare.clock.advance(ODD_MS);
  return {
    ...bare,
    queue: meteredQueue(bare.queue, meter),
    log: (level, message, fields) =>
      meter.add({ logBytes: Buffer.byteLength(JSON.stringify({ level, message, ...fields })) + 1 }),
  };
}

/** What the model says in a step; the results of its call are the rest of what the next step stores. */
function contentOf({ steps, stepBytes }: Work, step: number): readonly ContentBlock[] {
  const bytes = step === 1 ? stepBytes : SAID_BYTES;
  const call = {
    type: 'tool_use',
    id: `toolu_${step}`,
    name: 'search',
    input: { query: `question ${step}` },
  };
  const blocks = (text: string): readonly ContentBlock[] =>
    step < steps ? [{ type: 'text', text }, call] : [{ type: 'text', text }];
  return blocks('w'.repeat(bytes - JSON.stringify(blocks('')).length));
}

function agentOf({ stepBytes, policy }: Work): Agent {
  const result = { type: 'tool_result', tool_use_id: 'toolu_10', content: '' };
  const article = 'w'.repeat(stepBytes - SAID_BYTES - JSON.stringify([result]).length);
  return defineAgent({
    name: 'cost',
    model: 'claude-haiku-5-5',
    system: 'You look things up until you can answer. '.repeat(50),
    tools: [
      defineTool({
        name: 'search',
        description: 'Searches the knowledge base',
        input: z.object({ query: z.string() }),
        policy,
        run: () => article,
      }),
    ],
    limits: { maxSteps: 1_000, maxCostUsd: 1, maxTokens: 1_000_000_000 },
  });
}

async function submitAll(
  { batch }: Work,
  meter: Meter,
  ask: (path: string, init?: RequestInit) => Promise<unknown>,
): Promise<readonly string[]> {
  meter.turnTo('submit');
  const ids: string[] = [];
  for (let n = 0; n < batch; n += 1) {
    const job = await ask('/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `order-${n}` },
      body: JSON.stringify({
        agent: 'cost',
        input: `Where is order ${n}? ${'It has not come. '.repeat(20)}`,
      }),
    });
    ids.push((job as { readonly id: string }).id);
  }
  return ids;
}

/** One invocation of the worker, as the event source makes it: one receive before it, one delete of the batch after. */
async function invoke(
  world: TestWorld,
  { cold }: Work,
  meter: Meter,
  messages: readonly QueuedMessage[],
): Promise<void> {
  meter.add({ queueRequests: 2 });
  if (cold) for (const { body } of messages) world.warm.drop((JSON.parse(body) as { jobId: string }).jobId);
  const endMs = world.clock.now() + FUNCTION_MS;
  const records = messages.map(({ id, body, sentMs }) => ({
    ...{ messageId: id.padEnd(36, '-'), receiptHandle: id, body },
    attributes: { SentTimestamp: String(sentMs) },
  }));
  const context = { getRemainingTimeInMillis: () => endMs - world.clock.now() };
  const { batchItemFailures } = await finish(
    world,
    createWorkerHandler(world)({ Records: records }, context),
    PATIENCE,
  );
  if (batchItemFailures.length > 0) throw new Error('a step was not done');
  for (const { id } of messages) world.queue.remove(id);
}

async function look(world: TestWorld, meter: Meter, who: 'idle' | 'ending'): Promise<Count> {
  meter.turnTo(who);
  await finish(
    world,
    reconcile(world).then((reconciled) => measure(world, reconciled)),
    PATIENCE,
  );
  return meter.of(who);
}

async function expectDone(world: TestWorld, ids: readonly string[], steps: number): Promise<void> {
  for (const id of ids) {
    const item = await world.table.get({ pk: `JOB#${id}`, sk: 'JOB' });
    const done = item?.['st'] === 's' && item['sn'] === steps && item['du'] === undefined;
    if (!done) throw new Error(`job ${id} did not end after ${steps} steps, counted`);
  }
}
