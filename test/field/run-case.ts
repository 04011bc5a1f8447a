import { expect } from 'vitest';
import { createClaude } from '../../src/adapters/claude.ts';
import { createScriptedModel, type ScriptedModel } from '../../src/adapters/scripted-model/model.ts';
import type { ModelScript } from '../../src/adapters/scripted-model/script.ts';
import { scriptedFetch } from '../../src/adapters/scripted-model/scripted-fetch.ts';
import { judge } from '../../src/app/approve.ts';
import { handleRecord } from '../../src/app/handle.ts';
import { type Submission, submit } from '../../src/app/submit.ts';
import { type JobView, viewJob, viewMessages } from '../../src/app/views.ts';
import type { ContentBlock, Message } from '../../src/core/content.ts';
import type { Table } from '../../src/ports.ts';
import type { QueuedMessage } from '../../src/testing/memory-queue.ts';
import { deliveryOf, handleOne, runUntilIdle, VISIBILITY_MS } from '../support/drive.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';
import { type Effects, type FieldOptions, fieldAgents, newEffects } from './agents.ts';
import { loadScript } from './scripts.ts';

/** What one case gives the reference agent. */
export interface FieldCase {
  /** The name of a file in `scripts`, or the script itself. */
  readonly script: string | ModelScript;
  readonly agent?: FieldOptions;
  readonly submission?: Partial<Submission>;
  /** Faults around the table, or another table in its place. */
  readonly wrap?: (table: Table) => Table;
}

/** A case whose job is submitted and has not begun. */
export interface OpenCase {
  readonly world: TestWorld;
  readonly effects: Effects;
  readonly strict: ScriptedModel;
  readonly jobId: string;
  readonly view: () => Promise<JobView>;
  readonly messages: () => Promise<readonly Message[]>;
  /** The bodies that reached the strict model, as text and as data. */
  readonly raw: () => readonly string[];
  readonly requests: () => readonly ModelBody[];
}

export interface ModelBody {
  readonly messages: readonly Message[];
  readonly max_tokens: number;
}

export interface Driving {
  /** Approves every waiting call, so that the job goes on. */
  readonly approve?: boolean;
  /** Every delivery meets a worker that has just started. */
  readonly cold?: boolean;
}

export const TENANT = 'default';

/** The reference agents in a world of their own, against the strict model behind the real client. */
export function strictWorld(given: FieldCase): Pick<OpenCase, 'world' | 'effects' | 'strict'> {
  const effects = newEffects();
  const clock: { now: () => number } = { now: () => 0 };
  const strict = createScriptedModel({
    script: typeof given.script === 'string' ? loadScript(given.script) : given.script,
    now: () => clock.now(),
    recordBodies: true,
  });
  const model = createClaude({ apiKey: 'x', baseURL: 'http://scripted', fetch: scriptedFetch(strict) });
  const { wrap } = given;
  const world = memoryWorld({
    agents: fieldAgents(effects, given.agent),
    model,
    ...(wrap === undefined ? {} : { wrap }),
  });
  clock.now = world.clock.now;
  return { world, effects, strict };
}

/** Submits the case's job to the reference agent. */
export async function openCase(given: FieldCase): Promise<OpenCase> {
  const { world, effects, strict } = strictWorld(given);
  const submitted = await submit(world, {
    ...{ tenant: TENANT, agent: 'field', input: 'Please help with order A-77.' },
    ...given.submission,
  });
  if (submitted.type !== 'created') throw new Error(`the job was not created: ${submitted.type}`);
  const jobId = submitted.job.id;
  return {
    ...{ world, effects, strict, jobId },
    view: async () => found(await viewJob(world, TENANT, jobId)),
    messages: async () => found(await viewMessages(world, TENANT, jobId)),
    raw: strict.bodies,
    requests: () => strict.bodies().map((body) => JSON.parse(body) as ModelBody),
  };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is no such job');
  return value;
}

const MAX_ROUNDS = 20;

/** Delivers until nothing is left to do, and holds the strict model to having refused nothing. */
export async function drive(open: OpenCase, { approve, cold }: Driving = {}): Promise<JobView> {
  const { world, jobId } = open;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    await runUntilIdle(world, cold === true ? { each: () => world.restarted() } : {});
    const job = await open.view();
    const waiting = job.approvals.filter((approval) => approval['status'] === 'pending');
    if (approve !== true || waiting.length === 0) {
      expectNoRefusal(open);
      return job;
    }
    for (const approval of waiting) {
      const callId = String(approval['callId']);
      await judge(world, { tenant: TENANT, jobId, callId, decision: 'approve' });
    }
  }
  throw new Error(`job ${jobId} still waits for approvals`);
}

/** The next message of the queue, received. */
export function receiveOne(world: TestWorld): QueuedMessage {
  const [message] = world.queue.receive(1, VISIBILITY_MS);
  if (message === undefined) throw new Error('no message is visible');
  return message;
}

/** Delivers the next message to `worker`. */
export function deliverOne({ world }: OpenCase, worker: TestWorld = world): Promise<void> {
  return handleOne(worker, receiveOne(world));
}

/**
 * Delivers the next message to a worker that dies with nothing of its step written: once the tools have run and before
 * the request is sent, or once the model has answered. The message is visible again when this resolves.
 */
export async function killOne({ world }: OpenCase, moment: 'tools have run' | 'model has answered') {
  const message = receiveOne(world);
  await new Promise<void>((died) => {
    const die = (): Promise<never> => {
      died();
      return new Promise(() => {});
    };
    const dying: TestWorld =
      moment === 'tools have run'
        ? { ...world, model: { ask: die } }
        : { ...world, store: { ...world.store, putItem: die } };
    void handleRecord(dying, message.body, deliveryOf(world, message));
  });
  await world.clock.advance(VISIBILITY_MS);
}

/** No request broke a rule of the API. */
export function expectNoRefusal({ strict }: OpenCase): void {
  expect(strict.calls().flatMap((call) => call.problem ?? [])).toEqual([]);
  expect(strict.calls().filter((call) => call.status === 400)).toEqual([]);
}

/** Opens a case and drives it to its end. */
export async function runCase(given: FieldCase, driving?: Driving): Promise<OpenCase & { job: JobView }> {
  const open = await openCase(given);
  return { ...open, job: await drive(open, driving) };
}

/** The tool results of a request's last user message. */
export function resultsOf(body: ModelBody | undefined): readonly ContentBlock[] {
  const last = body?.messages.findLast((message) => message.role === 'user');
  return last?.content.filter((block) => block.type === 'tool_result') ?? [];
}

/** Every call of a body with the ids of its results: equal lists where each call has exactly one, in order. */
export function pairing(body: ModelBody): { calls: readonly unknown[]; results: readonly unknown[] } {
  const blocks = body.messages.flatMap((message) => message.content);
  return {
    calls: blocks.filter((block) => block.type === 'tool_use').map((block) => block['id']),
    results: blocks.filter((block) => block.type === 'tool_result').map((block) => block['tool_use_id']),
  };
}
