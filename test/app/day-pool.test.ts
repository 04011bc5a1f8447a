import { describe, expect, it } from 'vitest';
import { viewBatch } from '../../src/app/batch-views.ts';
import { admissionFromDay, takeFromDay, takeToGoOn } from '../../src/app/day-pool.ts';
import { extend } from '../../src/app/extend.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { type Submission, submit } from '../../src/app/submit.ts';
import { createStore } from '../../src/app/table-store.ts';
import type { Table } from '../../src/ports.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { startBatch } from '../support/a-batch.ts';
import { finish, runFor } from '../support/drive.ts';
import { endAgain, loaded, putEnded } from '../support/ended-jobs.ts';
import { callsModel, textReply, toolReply } from '../support/fake-model.ts';
import { createHeldTable } from '../support/held-table.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const TENANT = 'default';
const DAY_MS = 86_400_000;
const { model } = callsModel([]);

function stage(dailyMicroUsd = 1_000) {
  const held = createHeldTable();
  const world = memoryWorld({
    ...{ agents: fieldAgents(newEffects()), model, wrap: held.wrap },
    dailyMicroUsd,
  });
  return { held, world };
}

const day = (world: TestWorld): number => Math.floor(world.clock.now() / DAY_MS);
const midnight = (world: TestWorld): number => (day(world) + 1) * DAY_MS;
const taken = async (world: TestWorld): Promise<number> => (await world.store.loadTenant(TENANT)).taken;
const submission = (ceilingMicroUsd: number, key?: string): Submission => ({
  ...{ tenant: TENANT, agent: 'field', input: 'help', ceilingMicroUsd },
  ...(key === undefined ? {} : { key }),
});

describe('a take', () => {
  const take = (world: TestWorld, key: string, amount: number, unit?: number) =>
    takeFromDay(world, { tenant: TENANT, key, amount, ...(unit === undefined ? {} : { unit }) });

  it('is granted up to the limit to the micro-dollar, and names what is left and when it is whole again', async () => {
    const { world } = stage();
    expect(await take(world, 'a', 600)).toEqual({ type: 'taken', day: day(world), amount: 600 });
    expect(await take(world, 'b', 401)).toEqual({ type: 'spent', left: 400, untilMs: midnight(world) });
    expect(await take(world, 'b', 400)).toMatchObject({ type: 'taken', amount: 400 });
    expect(await take(world, 'c', 1)).toMatchObject({ type: 'spent', left: 0 });
    await world.clock.advance(midnight(world) - world.clock.now());
    expect(await take(world, 'c', 1_000)).toMatchObject({ type: 'taken', day: day(world), amount: 1_000 });
  });

  it('made again with the same key counts once, also when its answer was lost', async () => {
    const { world, held } = stage();
    const write = held.hold(({ item }) => item.sk === 'TENANT');
    const first = take(world, 'a', 600);
    await write.reached;
    await write.land();
    write.timeOut();
    expect(await finish(world, first)).toMatchObject({ type: 'taken', amount: 600 });
    expect(await take(world, 'a', 600)).toMatchObject({ type: 'taken', amount: 600 });
    expect(await take(world, 'a', 700)).toMatchObject({ type: 'taken', amount: 700 });
    expect(await taken(world)).toBe(700);
  });

  it('in whole units gets as many as are left', async () => {
    const { world } = stage();
    expect(await take(world, 'a', 900, 300)).toMatchObject({ amount: 900 });
    expect(await take(world, 'b', 300, 300)).toMatchObject({ type: 'spent', left: 100 });
    expect(await take(world, 'a', 1_200, 300)).toMatchObject({ type: 'taken', amount: 900 });
  });

  it('of fifty at the same instant never passes the limit, and all get an answer', async () => {
    const { world } = stage(20);
    const processes = Array.from({ length: 50 }, () => world.restarted());
    const all = await finish(world, Promise.all(processes.map((one, n) => take(one, `k${n}`, 1))));
    expect(all.filter(({ type }) => type === 'taken')).toHaveLength(20);
    expect(await taken(world)).toBe(20);
  });
});

describe('a submission', () => {
  it('takes its ceiling, and creates nothing once the day is spent', async () => {
    const { world } = stage();
    const first = await submit(world, submission(600));
    expect(first).toMatchObject({ job: { dayPool: { day: day(world), taken: 600, before: 0 } } });
    const second = await submit(world, submission(600, 'k'));
    expect(second).toMatchObject({ type: 'day_spent', untilMs: midnight(world) });
    expect(await world.store.loadJob('jobId' in second ? second.jobId : '')).toBeUndefined();
    expect(world.queue.messages()).toHaveLength(1);
    await world.clock.advance(midnight(world) - world.clock.now());
    expect(await submit(world, submission(600, 'k'))).toMatchObject({ type: 'created' });
  });

  it('under the key of a job that exists takes nothing, even on another day', async () => {
    const { world } = stage();
    await submit(world, submission(600, 'k'));
    expect(await submit(world, submission(600, 'k'))).toMatchObject({ type: 'same' });
    expect(await taken(world)).toBe(600);
    await world.clock.advance(DAY_MS);
    await submit(world, submission(300, 'other'));
    expect(await submit(world, submission(600, 'k'))).toMatchObject({ type: 'same' });
    expect(await taken(world)).toBe(300);
  });

  it('that died between its take and its head takes once when it is made again', async () => {
    const { world, held } = stage();
    const head = held.hold(({ item }) => item.sk === 'JOB');
    void submit(world.restarted(), submission(600, 'k'));
    await head.reached;
    expect(await taken(world)).toBe(600);
    expect(await submit(world, submission(600, 'k'))).toMatchObject({ type: 'created' });
    expect(await taken(world)).toBe(600);
  });

  it('over midnight holds its money in the day that it was taken of', async () => {
    const { world, held } = stage();
    await world.clock.advance(midnight(world) - 1 - world.clock.now());
    const head = held.hold(({ item }) => item.sk === 'JOB');
    const sleeper = submit(world.restarted(), submission(600));
    await head.reached;
    const before = day(world);
    await world.clock.advance(1);
    await takeFromDay(world, { tenant: TENANT, key: 'other', amount: 900 });
    await head.answer();
    const made = await sleeper;
    expect(made).toMatchObject({ job: { dayPool: { day: before, taken: 600 } } });
    await endAgain(world, 'job' in made ? made.job.id : '', 100);
    await reconcile(world);
    expect(await taken(world)).toBe(900);
  });

  it('without a pool reads and writes nothing of the tenant', async () => {
    const keys: string[] = [];
    const noting = (table: Table): Table => ({
      ...table,
      get: (key) => {
        keys.push(key.pk);
        return table.get(key);
      },
      put: (item, condition) => {
        keys.push(item.pk);
        return table.put(item, condition);
      },
    });
    const { world } = stage();
    const store = createStore(noting(world.table), { now: world.clock.now });
    const made = await submit({ ...world, dailyMicroUsd: undefined, store }, submission(600, 'k'));
    expect(made).toMatchObject({ job: { dayPool: undefined } });
    await submit({ ...world, dailyMicroUsd: undefined, store }, submission(600, 'k'));
    expect(keys.filter((pk) => pk.startsWith('TENANT#'))).toEqual([]);
    // Input, head and the agent; the second time the head is read once.
    expect(keys.filter((pk) => pk.startsWith('JOB#'))).toHaveLength(5);
  });
});

describe('an extension', () => {
  /** A job of 600 that has spent 500 of it, with its day's money. */
  async function endedJob(world: TestWorld): Promise<string> {
    await takeFromDay(world, { tenant: TENANT, key: 'job_1', amount: 600 });
    await putEnded(world, {
      id: 'job_1',
      ledger: { ceiling: 600, settled: 500 },
      dayPool: { day: day(world), taken: 600, before: 0 },
    });
    return 'job_1';
  }

  it('takes what the job may still spend, and gets back at the end what it did not', async () => {
    const { world } = stage(2_000);
    const jobId = await endedJob(world);
    await reconcile(world);
    expect(await taken(world)).toBe(500);
    expect(await extend(world, { tenant: TENANT, jobId, addMicroUsd: 300 })).toMatchObject({
      type: 'extended',
    });
    expect(await taken(world)).toBe(900);
    await endAgain(world, jobId, 150);
    await reconcile(world);
    expect(await taken(world)).toBe(650);
    expect(await loaded(world, jobId)).toMatchObject({ counted: { returned: 350, settled: 650 } });
  });

  it('before its end was counted holds both for a while, and comes to the same', async () => {
    const { world } = stage(2_000);
    const jobId = await endedJob(world);
    await extend(world, { tenant: TENANT, jobId, addMicroUsd: 300 });
    expect(await taken(world)).toBe(1_000);
    await endAgain(world, jobId, 150);
    await reconcile(world);
    expect(await taken(world)).toBe(650);
  });

  it('on a later day takes of that day alone, and gives back to that day alone', async () => {
    const { world } = stage(2_000);
    const jobId = await endedJob(world);
    await reconcile(world);
    await world.clock.advance(DAY_MS);
    await extend(world, { tenant: TENANT, jobId, addMicroUsd: 300 });
    expect(await taken(world)).toBe(400);
    expect((await loaded(world, jobId)).dayPool).toEqual({ day: day(world), taken: 400, before: 500 });
    await endAgain(world, jobId, 150);
    await reconcile(world);
    expect(await taken(world)).toBe(150);
  });

  it('that the pool does not cover is refused, naming what is left, and changes nothing', async () => {
    const { world } = stage(1_000);
    const jobId = await endedJob(world);
    await reconcile(world);
    const before = await loaded(world, jobId);
    expect(await extend(world, { tenant: TENANT, jobId, addMicroUsd: 500 })).toEqual({
      type: 'conflict',
      why: 'the tenant has $0.0005 left for today, the job needs $0.0006',
    });
    expect(await loaded(world, jobId)).toEqual(before);
    expect(await taken(world)).toBe(500);
  });

  it('of a job that only waited between two ends takes for each of them, though its turn stands', async () => {
    const { world } = stage(2_000);
    const job = await loaded(world, await endedJob(world));
    const opening = (endedAtMs: number) => takeToGoOn(world, { ...job, endedAtMs }, 600);
    expect(await opening(job.endedAtMs)).toMatchObject({ type: 'taken', amount: 100 });
    expect(await opening(job.endedAtMs)).toMatchObject({ type: 'taken', amount: 100 });
    expect(await taken(world)).toBe(700);
    expect(await opening(job.endedAtMs + 1)).toMatchObject({ type: 'taken', amount: 100 });
    expect(await taken(world)).toBe(800);
  });

  it('that is overtaken by the counting of the end takes once', async () => {
    const { world, held } = stage(2_000);
    const jobId = await endedJob(world);
    const head = held.hold(({ item }) => item.sk === 'JOB');
    const extending = extend(world.restarted(), { tenant: TENANT, jobId, addMicroUsd: 300 });
    await head.reached;
    await reconcile(world);
    expect(await taken(world)).toBe(900);
    await head.answer();
    expect(await extending).toMatchObject({ type: 'extended' });
    expect(await taken(world)).toBe(900);
    await endAgain(world, jobId, 150);
    await reconcile(world);
    expect(await taken(world)).toBe(650);
  });

  it('that comes first gets what it asked for; what another took beyond it, and died, stays out until midnight', async () => {
    const { world, held } = stage(2_000);
    const jobId = await endedJob(world);
    await reconcile(world);
    const job = await loaded(world, jobId);
    const head = held.hold(({ item }) => item.sk === 'JOB');
    const extending = extend(world.restarted(), { tenant: TENANT, jobId, addMicroUsd: 300 });
    await head.reached;
    expect(await takeToGoOn(world.restarted(), job, 1_100)).toMatchObject({ amount: 600 });
    await head.answer();
    expect(await extending).toMatchObject({ type: 'extended', job: { dayPool: { taken: 1_000 } } });
    await endAgain(world, jobId, 150);
    await reconcile(world);
    expect(await taken(world)).toBe(650 + 200);
    await world.clock.advance(DAY_MS);
    expect(await takeFromDay(world, { tenant: TENANT, key: 'a', amount: 2_000 })).toMatchObject({
      type: 'taken',
    });
  });
});

describe('a turn of a batch', () => {
  const batch = { id: 'batch_1', tenant: TENANT, ceiling: 300, cursor: 4 };

  it('gets whole ceilings of its rows, the same when it is made again, and hears when there is more', async () => {
    const { world } = stage();
    const admitted = { day: day(world), amount: 900, untilMs: midnight(world) };
    expect(await admissionFromDay(world, batch, 1_500)).toEqual(admitted);
    expect(await admissionFromDay(world, batch, 1_500)).toEqual(admitted);
    const later = { ...batch, cursor: 7 };
    expect(await admissionFromDay(world, later, 300)).toEqual({ ...admitted, amount: 0 });
    expect(await admissionFromDay(world, { ...batch, cursor: 8 }, 100)).toEqual({
      ...admitted,
      amount: 100,
      untilMs: undefined,
    });
  });

  it('asks nobody where there is no pool', async () => {
    const { world } = stage();
    const none = { ...world, dailyMicroUsd: undefined };
    expect(await admissionFromDay(none, batch, 1_500)).toBeUndefined();
    expect(world.table.all()).toEqual([]);
  });
});

describe('a batch under a pool of a day', () => {
  const refund = toolReply(['issue_refund', { orderId: 'A-77', amountCents: 4990 }]);

  /** Jobs whose every reply asks for a refund wait for a person, and hold their ceilings. */
  function waitingStage() {
    const { model: asks } = callsModel(Array.from({ length: 20 }, () => refund));
    return memoryWorld({
      ...{ agents: fieldAgents(newEffects()), model: asks },
      dailyMicroUsd: 250_000,
    });
  }

  const views = async (world: TestWorld, batch: { readonly id: string }) => {
    const view = await viewBatch(world, TENANT, batch.id);
    if (view === undefined) throw new Error('there is no such batch');
    return view;
  };

  it('admits the rows that today pays for, and the next ones when it is tomorrow', async () => {
    const world = waitingStage();
    const batch = await startBatch(world, { concurrency: 10 });
    await runFor(world, 10);
    expect((await views(world, batch)).counts).toMatchObject({ awaiting_approval: 2, queued: 3 });
    expect(await taken(world)).toBe(200_000);
    await world.clock.advance(midnight(world) - world.clock.now());
    await runFor(world, 10);
    expect((await views(world, batch)).counts).toMatchObject({ awaiting_approval: 4, queued: 1 });
    expect(await taken(world)).toBe(200_000);
  });

  it('that finds nothing left looks again less and less often, until it is tomorrow', async () => {
    const world = waitingStage();
    await submit(world, submission(200_000));
    const batch = await startBatch(world, { concurrency: 10 });
    await runFor(world, 2);
    const standing = await world.store.loadBatch(batch.id);
    await runFor(world, 60);
    const turns = ((await world.store.loadBatch(batch.id))?.turn ?? 0) - (standing?.turn ?? 0);
    expect(turns).toBeGreaterThan(0);
    expect(turns).toBeLessThanOrEqual(8);
    expect((await views(world, batch)).counts).toMatchObject({ queued: 5 });
    await world.clock.advance(midnight(world) - world.clock.now());
    await runFor(world, 5);
    expect((await views(world, batch)).counts).toMatchObject({ awaiting_approval: 2, queued: 3 });
  });

  it('gets back what its rows did not spend, and goes on the same day', async () => {
    const { model: answers } = callsModel(Array.from({ length: 20 }, () => textReply('Done.')));
    const world = memoryWorld({
      ...{ agents: fieldAgents(newEffects()), model: answers },
      dailyMicroUsd: 250_000,
    });
    const batch = await startBatch(world, { concurrency: 10 });
    await runFor(world, 30);
    const { status, counts, cost } = await views(world, batch);
    expect({ status, ...counts }).toMatchObject({ status: 'done', succeeded: 5 });
    expect(await taken(world)).toBe(Math.round(cost.spentUsd * 1e6));
  });
});
