import { describe, expect, it } from 'vitest';
import { judge } from '../../src/app/approve.ts';
import { cancel } from '../../src/app/cancel.ts';
import { extend } from '../../src/app/extend.ts';
import { recover } from '../../src/app/recover.ts';
import { type Submission, submit } from '../../src/app/submit.ts';
import { lookAtNotice } from '../../src/app/tell.ts';
import { viewJob } from '../../src/app/views.ts';
import type { Batch } from '../../src/core/batch.ts';
import { RetryableError } from '../../src/core/errors.ts';
import type { Job } from '../../src/core/job.ts';
import type { ModelOutcome, Table } from '../../src/ports.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { jobAt, rowsOf, startBatch } from '../support/a-batch.ts';
import { deliver, handleOne, runFor, runUntilIdle, VISIBILITY_MS } from '../support/drive.ts';
import { callsModel, textReply, toolReply } from '../support/fake-model.ts';
import { createHeldTable, type Held, type HeldTable, type Write } from '../support/held-table.ts';
import { BUS, HOOK, type Listener, listener } from '../support/listener.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const refund = toolReply(['issue_refund', { orderId: 'A-1', amountCents: 500 }]);
const looksUp = toolReply(['lookup_order', { orderId: 'A-1' }]);

interface Scene {
  readonly world: TestWorld;
  readonly ears: Listener;
  readonly held: HeldTable;
}

function setup(
  outcomes: readonly ModelOutcome[],
  ears: Listener = listener(),
  options: Parameters<typeof fieldAgents>[1] = {},
): Scene {
  const held = createHeldTable();
  const { model } = callsModel(outcomes);
  const agents = fieldAgents(newEffects(), options);
  return { world: memoryWorld({ agents, model, wrap: held.wrap, notifier: ears.notifier }), ears, held };
}

async function start(world: TestWorld, changes: Partial<Submission> = {}): Promise<Job> {
  const submission = { tenant: 'default', agent: 'field', input: 'help', webhook: HOOK, ...changes };
  const submitted = await submit(world, submission);
  if (!('job' in submitted)) throw new Error('no job');
  return submitted.job;
}

/** A batch of two rows that somebody else's request gave an address. */
async function startTold(world: TestWorld): Promise<Batch> {
  const batch = await startBatch(world, { rows: rowsOf(2) });
  const told = { ...batch, webhook: HOOK, version: batch.version + 1 };
  await world.store.commitBatch(told);
  return told;
}

/** The same world with another way into the queue. */
function withSend(world: TestWorld, send: TestWorld['queue']['send']): TestWorld {
  return { ...world, queue: { ...world.queue, send } };
}

/** The put of the record of a notice of this kind. */
const notePut =
  (type: string) =>
  ({ item }: Write): boolean =>
    item.sk.startsWith('NOTE#') && item['type'] === type;

const notes = (world: TestWorld) =>
  world.table.all().filter((item) => String(item['sk']).startsWith('NOTE#'));
const idsOf = (heard: readonly { readonly id: string }[]) => new Set(heard.map(({ id }) => id));

const kinds = [
  ['a job that ended', 'job.ended', [looksUp, textReply('Done.')], start],
  ['a job that waits', 'job.awaiting_approval', [refund], start],
  ['a batch that ended', 'batch.ended', [textReply('Done.')], startTold],
] as const;

describe.each(kinds)('of %s others', (_, type, outcomes, begin) => {
  const ofKind = (ears: Listener, to: string) => ears.by(to).filter((notice) => notice.type === type);

  it('are told once by the bus and once by the webhook, under one id and by one message', async () => {
    const { world: quiet, ears } = setup(outcomes);
    let messages = 0;
    const world = withSend(quiet, (message, options) => {
      if ('noteOf' in message) messages += 1;
      return quiet.queue.send(message, options);
    });
    await begin(world);
    await runUntilIdle(world);
    await runFor(world, 30);
    expect(ofKind(ears, BUS)).toHaveLength(1);
    expect(ofKind(ears, HOOK)).toEqual(ofKind(ears, BUS));
    expect(messages).toBe(notes(world).length);
    expect(world.queue.messages()).toEqual([]);
    expect(notes(world).every((item) => item['du'] === undefined && item['ds'] === undefined)).toBe(true);
  });

  it('are told although the worker died between its commit and the notice', async () => {
    const { world, ears, held } = setup(outcomes);
    await begin(world);
    const note = held.hold(notePut(type));
    await untilReached(world, note);
    expect(ofKind(ears, HOOK)).toEqual([]);
    await runFor(world, 5);
    expect(ofKind(ears, BUS)).toHaveLength(1);
    expect(ofKind(ears, HOOK)).toHaveLength(1);
  });

  it('are told although the put of the notice got no answer, whether it landed or not', async () => {
    for (const lands of [true, false]) {
      const { world, ears, held } = setup(outcomes);
      await begin(world);
      const note = held.hold(notePut(type));
      await untilReached(world, note);
      if (lands) await note.land();
      note.timeOut();
      await runFor(world, 5);
      expect(ofKind(ears, HOOK)).toHaveLength(1);
    }
  });

  it('are told although the message of the notice could not be sent', async () => {
    const { world, ears } = setup(outcomes);
    const broken = withSend(world, (message, options) =>
      'noteOf' in message
        ? Promise.reject(new RetryableError('down', 'no queue'))
        : world.queue.send(message, options),
    );
    await begin(broken);
    await runUntilIdle(broken);
    expect(ears.heard).toEqual([]);
    await runFor(world, 5);
    expect(ofKind(ears, BUS)).toHaveLength(1);
    expect(ofKind(ears, HOOK)).toHaveLength(1);
  });

  it('are told after a restart that lost the queue', async () => {
    const { world, ears, held } = setup(outcomes);
    await begin(world);
    const note = held.hold(notePut(type));
    await untilReached(world, note);
    await note.land();
    world.queue.clear();
    const next = world.restarted();
    expect(await recover(next, true)).toBeGreaterThan(0);
    await runUntilIdle(next);
    expect(ofKind(ears, HOOK)).toHaveLength(1);
  });
});

/** Delivers until somebody is about to put what is held; from then on that worker hangs, as dead as can be. */
async function untilReached(world: TestWorld, held: Held): Promise<void> {
  let reached = false;
  void held.reached.then(() => {
    reached = true;
  });
  for (let turns = 0; !reached && turns < 200; turns += 1) {
    const next = world.queue.nextVisibleMs() ?? world.clock.now();
    await world.clock.advance(Math.max(0, next - world.clock.now()));
    for (const message of world.queue.receive(1, VISIBILITY_MS)) {
      await Promise.race([deliver(world, message), held.reached]);
    }
  }
  expect(reached).toBe(true);
}

describe('a notice', () => {
  it('of an end says how it ended and what it cost', async () => {
    const { world, ears } = setup([looksUp, textReply('Done.')]);
    const { id } = await start(world);
    await runUntilIdle(world);
    const view = await viewJob(world, 'default', id);
    const { notice } = ears.heard[0] ?? {};
    expect(notice).toMatchObject({ type: 'job.ended', tenant: 'default' });
    expect(notice?.id).toMatch(/^[A-Za-z0-9_-]{1,80}$/);
    expect(notice?.data).toEqual({
      jobId: id,
      agent: 'field',
      batchId: null,
      status: 'succeeded',
      stop: { reason: 'completed' },
      steps: 2,
      needsReview: false,
      cost: { spentUsd: view?.cost.spentUsd, unsettledUsd: 0 },
      finishedAt: view?.finishedAt,
    });
  });

  it('of a wait names the calls and their tools, and only those that nobody has decided', async () => {
    const { world, ears } = setup([
      toolReply(
        ['lookup_order', { orderId: 'A-1' }],
        ['issue_refund', { orderId: 'A-1', amountCents: 5 }],
        ['issue_refund', { orderId: 'A-2', amountCents: 7 }],
      ),
      textReply('Done.'),
    ]);
    const { id } = await start(world);
    await runUntilIdle(world);
    const [first, second] = (await viewJob(world, 'default', id))?.approvals ?? [];
    expect(ears.by(HOOK)).toHaveLength(1);
    expect(ears.by(HOOK)[0]?.data).toEqual({
      jobId: id,
      agent: 'field',
      batchId: null,
      expiresAt: first?.['expiresAt'],
      callIds: [first?.['callId'], second?.['callId']],
      tools: ['issue_refund', 'issue_refund'],
    });
    for (const call of [first, second]) {
      const callId = String(call?.['callId']);
      await judge(world, { tenant: 'default', jobId: id, callId, decision: 'deny' });
      await runFor(world, 3);
    }
    expect(ears.by(HOOK).map(({ type }) => type)).toEqual(['job.awaiting_approval', 'job.ended']);
  });

  it('of a batch goes to its address; those of its jobs to the bus alone, with their rows', async () => {
    const { world, ears } = setup([textReply('Done.')]);
    const batch = await startTold(world);
    await runUntilIdle(world);
    await runFor(world, 5);
    const ended = await world.store.loadBatch(batch.id);
    expect(ended?.dueAtMs).toBe(0);
    expect(ears.by(HOOK).map(({ data }) => data)).toEqual([
      {
        batchId: batch.id,
        agent: 'field',
        status: 'done',
        rows: 2,
        counts: { succeeded: 2, stopped: 0, failed: 0, cancelled: 0, rejected: 0 },
        spentUsd: (ended?.spent ?? 0) / 1e6,
        finishedAt: new Date(ended?.endedAtMs ?? 0).toISOString(),
      },
    ]);
    const jobs = ears.by(BUS).filter(({ type }) => type === 'job.ended');
    expect(jobs.map(({ data }) => data['rowId']).sort()).toEqual(['r0', 'r1']);
    expect(jobs.every(({ data }) => data['batchId'] === batch.id)).toBe(true);
  });

  it('follows a cancel at once, and an expiry or a deadline that the reconciler acts on', async () => {
    const cancelled = setup([textReply('Done.')]);
    await cancel(cancelled.world, 'default', (await start(cancelled.world)).id);
    await runUntilIdle(cancelled.world);
    expect(cancelled.ears.by(HOOK)[0]?.data).toMatchObject({ status: 'cancelled' });

    const late = setup([textReply('Done.')]);
    await start(late.world, { limits: { timeoutSeconds: 60 } });
    late.world.queue.clear();
    await runFor(late.world, 2);
    expect(late.ears.by(HOOK).map(({ data }) => data['stop'])).toEqual([{ reason: 'deadline' }]);
  });

  it('of a second end is another one, and the first end is told even if the job has gone on since', async () => {
    const { world, ears, held } = setup([looksUp, looksUp, textReply('Done.')], listener(), {
      limits: { maxSteps: 1 },
    });
    const { id } = await start(world);
    const note = held.hold(notePut('job.ended'));
    await untilReached(world, note);
    expect(await extend(world, { tenant: 'default', jobId: id, addSteps: 5 })).toMatchObject({
      type: 'extended',
    });
    await runUntilIdle(world);
    await runFor(world, 5);
    expect(ears.by(HOOK).map(({ data }) => data['status'])).toEqual(['stopped', 'succeeded']);
    expect(idsOf(ears.by(HOOK)).size).toBe(2);
  });

  it('tells of a wait again when an extension makes the job wait anew', async () => {
    const { world, ears } = setup([refund, textReply('Done.')], listener(), { limits: { maxSteps: 1 } });
    const { id } = await start(world);
    await runUntilIdle(world);
    await extend(world, { tenant: 'default', jobId: id, addSteps: 5 });
    await runUntilIdle(world);
    expect(ears.by(HOOK).map(({ type }) => type)).toEqual(['job.ended', 'job.awaiting_approval']);
    await runFor(world, 5);
    expect(ears.by(HOOK)).toHaveLength(2);
  });

  it('of a batch’s end is told even if one of its jobs was extended since, and of its second end too', async () => {
    const { world, ears, held } = setup([looksUp, looksUp, textReply('Done.')], listener(), {
      limits: { maxSteps: 1 },
    });
    const batch = await startTold(world);
    const note = held.hold(notePut('batch.ended'));
    await untilReached(world, note);
    const jobId = (await jobAt(world, batch, 0))?.id ?? '';
    expect(await extend(world, { tenant: 'default', jobId, addSteps: 5 })).toMatchObject({
      type: 'extended',
    });
    await runUntilIdle(world);
    await runFor(world, 5);
    expect(ears.by(HOOK).map(({ data }) => data['counts'])).toMatchObject([
      { stopped: 2, succeeded: 0 },
      { stopped: 1, succeeded: 1 },
    ]);
    expect(idsOf(ears.by(HOOK)).size).toBe(2);
  });

  it('leaves an ended batch as it ended, although it is due once more', async () => {
    const { world } = setup([textReply('Done.')]);
    const { id } = await startTold(world);
    await runUntilIdle(world);
    const ended = await world.store.loadBatch(id);
    expect(ended?.dueAtMs).toBeGreaterThan(world.clock.now());
    world.queue.inject(JSON.stringify({ v: 1, batchId: id, turn: ended?.turn }));
    for (const message of world.queue.receive(1, VISIBILITY_MS)) await deliver(world, message);
    expect(await world.store.loadBatch(id)).toEqual(ended);
    expect(world.queue.messages()).toEqual([]);
  });

  it('outlives the deletion of its job, which takes the address with it', async () => {
    const busy = listener(undefined, (_, tries) =>
      tries < 5 ? { type: 'again', problem: 'status 500' } : { type: 'told' },
    );
    const { world, ears } = setup([textReply('Done.')], busy);
    const { id } = await start(world);
    await runFor(world, 5);
    await world.store.purgeJob(id);
    await runFor(world, 60);
    expect(ears.by(BUS)).toHaveLength(5);
    expect(ears.by(HOOK)).toHaveLength(4);
    expect(notes(world)[0]).toMatchObject({ event: 'told', webhook: 'given_up' });
  });

  it('holds nothing of what was said, nor do its record, its message and the log', async () => {
    const canary = 'CANARY-7f3a';
    const outcomes = [
      toolReply(['issue_refund', { orderId: canary, amountCents: 5, reason: canary }]),
      textReply(canary),
    ];
    const { world: quiet, ears } = setup(
      outcomes,
      listener(undefined, (_, tries) =>
        tries === 1 ? { type: 'again', problem: 'status 500' } : { type: 'told' },
      ),
    );
    const sent: string[] = [];
    const world = withSend(quiet, (message, options) => {
      sent.push(JSON.stringify(message));
      return quiet.queue.send(message, options);
    });
    const { id } = await start(world, { input: canary, metadata: { note: canary } });
    await runUntilIdle(world);
    const callId = String((await viewJob(world, 'default', id))?.approvals[0]?.['callId']);
    await judge(world, { tenant: 'default', jobId: id, callId, decision: 'approve', reason: canary });
    await runUntilIdle(world);
    expect(ears.by(HOOK)).toHaveLength(3);
    expect(JSON.stringify([ears.heard, notes(world), sent, world.lines])).not.toContain(canary);
    expect(JSON.stringify(notes(world))).not.toContain(HOOK);
    expect(sent.every((body) => body.length < 1_000)).toBe(true);
  });
});

describe('a receiver', () => {
  const failing = (times: number) =>
    listener(undefined, ({ to }, tries) =>
      to === HOOK && tries <= times ? { type: 'again', problem: 'status 503' } : { type: 'told' },
    );

  it('that fails three times hears the same notice a fourth time, and the bus is not told again', async () => {
    const { world, ears } = setup([textReply('Done.')], failing(3));
    await start(world);
    await runUntilIdle(world);
    await runFor(world, 30);
    expect(ears.by(HOOK)).toHaveLength(4);
    expect(new Set(ears.by(HOOK).map((notice) => JSON.stringify(notice))).size).toBe(1);
    expect(ears.by(BUS)).toHaveLength(1);
    expect(notes(world)[0]).toMatchObject({ webhook: 'told', tries: 4, problems: {} });
  });

  it('that never answers is given up after ten tries within a day, visibly', async () => {
    const { world, ears } = setup([textReply('Done.')], failing(1_000));
    await start(world);
    await runUntilIdle(world);
    await runFor(world, 24 * 60);
    expect(ears.by(HOOK)).toHaveLength(10);
    expect(notes(world)[0]).toMatchObject({
      ...{ event: 'told', webhook: 'given_up', tries: 10 },
      problems: { webhook: 'status 503' },
    });
    expect(notes(world)[0]?.['ds']).toBeUndefined();
    const errors = world.lines.filter(({ level }) => level === 'error');
    expect(errors).toMatchObject([{ message: 'a notice was given up', fields: { webhook: 'status 503' } }]);
    await runFor(world, 24 * 60);
    expect(ears.by(HOOK)).toHaveLength(10);
    expect(world.queue.messages()).toEqual([]);
  });

  it('that wants no more is left alone at once', async () => {
    const gone = listener(undefined, ({ to }) =>
      to === HOOK ? { type: 'never', problem: 'status 410' } : { type: 'told' },
    );
    const { world, ears } = setup([textReply('Done.')], gone);
    await start(world);
    await runUntilIdle(world);
    await runFor(world, 60);
    expect(ears.by(HOOK)).toHaveLength(1);
    expect(notes(world)[0]).toMatchObject({ event: 'told', webhook: 'given_up', tries: 1 });
  });

  it('is not told where the deployment has no secret to sign with, and the record says so', async () => {
    const { world, ears } = setup([textReply('Done.')], listener(['events']));
    await start(world);
    await runUntilIdle(world);
    expect(ears.heard).toHaveLength(1);
    expect(notes(world)[0]).toMatchObject({
      webhook: 'given_up',
      problems: { webhook: 'this deployment has no webhook secret' },
    });
  });

  it('hears nothing twice for a duplicate of the message, or an early one of the reconciler', async () => {
    const { world, ears } = setup([textReply('Done.')], failing(1));
    await start(world);
    const [step] = world.queue.receive(1, VISIBILITY_MS);
    if (step !== undefined) await deliver(world, step);
    const [message] = world.queue.receive(1, VISIBILITY_MS);
    if (message === undefined) throw new Error('no message');
    world.queue.inject(message.body);
    await deliver(world, message);
    for (const again of world.queue.receive(10, VISIBILITY_MS)) await deliver(world, again);
    expect(ears.by(HOOK)).toHaveLength(1);
    world.queue.inject(message.body);
    await runUntilIdle(world);
    const told = notes(world);
    world.queue.inject(message.body);
    await runFor(world, 5);
    expect(ears.by(HOOK)).toHaveLength(2);
    expect(notes(world)).toEqual(told);
    expect(world.queue.messages()).toEqual([]);
  });

  it('that two deliveries reach at the same instant is tried once more, or told if one was heard', async () => {
    for (const [heard, after] of [
      [0, { webhook: 'due', tries: 1 }],
      [1, { webhook: 'told' }],
      [2, { webhook: 'told' }],
    ] as const) {
      const ears = listener(['webhook'], (_, tries) =>
        tries === heard ? { type: 'told' } : { type: 'again', problem: 'status 503' },
      );
      const { world } = setup([textReply('Done.')], ears);
      await start(world);
      for (const message of world.queue.receive(1, VISIBILITY_MS)) await deliver(world, message);
      const [message] = world.queue.receive(1, VISIBILITY_MS);
      if (message === undefined) throw new Error('no message');
      await Promise.all([deliver(world, message), deliver(world, message)]);
      expect(ears.by(HOOK)).toHaveLength(2);
      expect(notes(world)[0]).toMatchObject(after);
    }
  });

  it('that answers slowly hears once, although the reconciler sends the message again meanwhile', async () => {
    let answer = (): void => undefined;
    const answered = new Promise<{ type: 'told' }>((resolve) => {
      answer = () => resolve({ type: 'told' });
    });
    const slow = listener(['webhook'], () => answered);
    const { world, ears } = setup([textReply('Done.')], slow);
    await start(world);
    const [step] = world.queue.receive(1, VISIBILITY_MS);
    if (step !== undefined) await deliver(world, step);
    const [message] = world.queue.receive(1, VISIBILITY_MS);
    if (message === undefined) throw new Error('no message');
    const work = deliver(world, message);
    await new Promise((resolve) => setImmediate(resolve));
    const note = notes(world)[0];
    await world.clock.advance(Number(note?.['du']) - world.clock.now());
    await lookAtNotice(world, String(note?.['pk']).slice('JOB#'.length), String(note?.['sk']).slice(5));
    answer();
    await work;
    await runFor(world, 30);
    expect(ears.by(HOOK)).toHaveLength(1);
  });
});

describe('where nobody is told', () => {
  /** Every operation of a life, from submission until nothing is due any more. */
  async function operations(
    outcomes: readonly ModelOutcome[],
    begin: (world: TestWorld) => Promise<unknown>,
  ): Promise<{ readonly done: readonly string[]; readonly world: TestWorld }> {
    const done: string[] = [];
    const note = (name: string, key: { readonly sk: string }): void => {
      done.push(`${name} ${key.sk.split('#')[0]}`);
    };
    const wrap = (table: Table): Table => ({
      ...table,
      get: (key) => {
        note('get', key);
        return table.get(key);
      },
      put: (item, condition) => {
        note('put', item);
        return table.put(item, condition);
      },
    });
    const { model } = callsModel(outcomes);
    const world = memoryWorld({ agents: fieldAgents(newEffects()), model, wrap });
    await begin(world);
    done.length = 0;
    await runUntilIdle(world);
    await runFor(world, 5);
    return { done, world };
  }

  const oneJob = (world: TestWorld) => submit(world, { tenant: 'default', agent: 'field', input: 'help' });
  const oneRow = (world: TestWorld) => startBatch(world, { rows: rowsOf(1) });

  it('an end costs a step its one read and three writes, and the reconciler what it takes to count it', async () => {
    const { done, world } = await operations([textReply('Done.')], oneJob);
    expect(done.join(', ')).toBe(
      'get JOB, put JOB, put MSG, put JOB, get TENANT, put TENANT, get DAY, put DAY, put JOB, get TENANT, put TENANT',
    );
    expect(world.queue.messages()).toEqual([]);
  });

  it('a wait costs the same', async () => {
    const { done } = await operations([refund], oneJob);
    expect(done.join(', ')).toBe('get JOB, put JOB, put MSG, put JOB, get JOB, put JOB');
  });

  it('nothing is written down of a batch and its jobs, and the batch is due no more', async () => {
    const { done } = await operations([textReply('Done.')], oneRow);
    expect(done.filter((one) => one.endsWith(' NOTE'))).toEqual([]);
    // Its head twice, and once what it cost, in the totals of its tenant.
    expect(done.filter((one) => one === 'put BATCH')).toHaveLength(3);
  });
});

describe('a job that waits after a long step', () => {
  async function dueOf(webhook: string | undefined): Promise<{ readonly job: Job; readonly nowMs: number }> {
    const world: TestWorld = memoryWorld({
      agents: fieldAgents(newEffects()),
      model: {
        ask: async () => {
          await world.clock.sleep(70_000);
          return refund;
        },
      },
      notifier: listener(['webhook']).notifier,
    });
    const wanted = { tenant: 'default', agent: 'field', input: 'help' };
    const made = await submit(world, webhook === undefined ? wanted : { ...wanted, webhook });
    for (const message of world.queue.receive(1, VISIBILITY_MS)) await handleOne(world, message);
    const job = 'job' in made ? await world.store.loadJob(made.job.id) : undefined;
    if (job?.status.type !== 'awaiting_approval') throw new Error('it does not wait');
    return { job, nowMs: world.clock.now() };
  }

  it('is due soon once where somebody is told, and at its expiry where nobody is', async () => {
    const told = await dueOf(HOOK);
    expect(told.job.dueAtMs).toBeLessThanOrEqual(told.nowMs + 90_000);
    const quiet = await dueOf(undefined);
    expect(quiet.job.dueAtMs).toBeGreaterThanOrEqual(quiet.job.pending?.expiresAtMs ?? 0);
  });
});

describe('the address of a submission', () => {
  it('is part of what its idempotency key stands for', async () => {
    const { world } = setup([textReply('Done.')]);
    const wanted = { tenant: 'default', agent: 'field', input: 'help', key: 'k' };
    expect(await submit(world, { ...wanted, webhook: HOOK })).toMatchObject({ type: 'created' });
    expect(await submit(world, { ...wanted, webhook: HOOK })).toMatchObject({ type: 'same' });
    expect(await submit(world, wanted)).toMatchObject({ type: 'conflict' });
  });
});
