import { describe, expect, it } from 'vitest';
import { isStopped, start, stop } from '../../src/app/control.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { recover } from '../../src/app/recover.ts';
import { submit } from '../../src/app/submit.ts';
import { shardOf } from '../../src/core/table.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { jobAt, rowsOf, startBatch } from '../support/a-batch.ts';
import { aJob } from '../support/a-job.ts';
import { deliver, runFor, VISIBILITY_MS } from '../support/drive.ts';
import { allTotals, loaded, putEnded } from '../support/ended-jobs.ts';
import { callsModel, textReply } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const TENANT = 'default';

function setup() {
  const { model, asked } = callsModel([textReply('Done.')]);
  return { world: memoryWorld({ agents: fieldAgents(newEffects()), model }), asked };
}

async function submitted(world: TestWorld, tenant = TENANT): Promise<string> {
  const result = await submit(world, { tenant, agent: 'field', input: 'help' });
  if (!('job' in result)) throw new Error(result.type);
  return result.job.id;
}

async function deliverAll(world: TestWorld): Promise<void> {
  for (const message of world.queue.receive(100, VISIBILITY_MS)) await deliver(world, message);
}

const targets = [
  ['its tenant', { tenant: TENANT }],
  ['everything', 'everything'],
] as const;

describe.each(targets)('a stop of %s', (_, target) => {
  it('acknowledges a message untouched, and lets the job go on once it is lifted', async () => {
    const { world, asked } = setup();
    const jobId = await submitted(world);
    const before = await loaded(world, jobId);
    await stop(world, target);
    await deliverAll(world);
    expect(world.queue.messages()).toEqual([]);
    expect(await loaded(world, jobId)).toEqual(before);
    await runFor(world, 30);
    expect(asked).toEqual([]);
    expect(await loaded(world, jobId)).toEqual(before);
    await start(world, target);
    await runFor(world, 2);
    expect((await loaded(world, jobId)).status.type).toBe('succeeded');
  });

  it('stores what is submitted, sends nothing, and runs it once it is lifted', async () => {
    const { world } = setup();
    await stop(world, target);
    const jobId = await submitted(world);
    expect(world.queue.messages()).toEqual([]);
    await recover(world, true);
    expect(world.queue.messages()).toEqual([]);
    await start(world, target);
    await runFor(world, 3);
    expect((await loaded(world, jobId)).status.type).toBe('succeeded');
  });

  it('admits no row of a batch until it is lifted', async () => {
    const { world } = setup();
    const batch = await startBatch(world, { rows: rowsOf(3) });
    await stop(world, target);
    await runFor(world, 20);
    expect(await jobAt(world, batch, 0)).toBeUndefined();
    expect(world.queue.messages()).toEqual([]);
    await start(world, target);
    await runFor(world, 5);
    expect((await world.store.loadBatch(batch.id))?.status).toBe('done');
  });

  it('still counts what has ended', async () => {
    const { world } = setup();
    await stop(world, target);
    await putEnded(world, { id: 'job_1', ledger: { settled: 500 } });
    await reconcile(world);
    expect(await allTotals(world)).toMatchObject({ jobs: 1, settled: 500 });
  });
});

it('is no reason for a start to fail that a message cannot be sent: the due index has it', async () => {
  const { world } = setup();
  const jobId = await submitted(world);
  world.queue.clear();
  const refusing = { ...world.queue, send: () => Promise.reject(new Error('throttled')) };
  expect(await recover({ ...world, queue: refusing }, true)).toBe(1);
  await runFor(world, 3);
  expect((await loaded(world, jobId)).status.type).toBe('succeeded');
});

it('leaves the other tenants alone when one is stopped, however much of it is overdue', async () => {
  const { world, asked } = setup();
  const other = await submitted(world, 'other');
  world.queue.clear();
  await stop(world, { tenant: TENANT });
  // More than a page of its jobs stand before the other’s in the same shard.
  const shard = shardOf(other);
  for (let n = 0, put = 0; put < 450; n += 1) {
    if (shardOf(`job_${n}`) !== shard) continue;
    await world.store.createJob(aJob({ id: `job_${n}`, tenant: TENANT, dueAtMs: world.clock.now() }));
    put += 1;
  }
  await runFor(world, 3);
  expect((await loaded(world, other)).status.type).toBe('succeeded');
  expect(asked).toHaveLength(1);
});

it('is acted on by every process within five seconds, and read no more often', async () => {
  const { world } = setup();
  let reads = 0;
  const process: TestWorld = {
    ...world.restarted(),
    store: {
      ...world.store,
      readStopped: (tenant) => {
        reads += 1;
        return world.store.readStopped(tenant);
      },
    },
  };
  expect(await isStopped(process, TENANT)).toBe(false);
  await stop(world, { tenant: TENANT });
  await world.clock.advance(4_999);
  expect(await isStopped(process, TENANT)).toBe(false);
  expect(reads).toBe(1);
  await world.clock.advance(1);
  expect(await isStopped(process, TENANT)).toBe(true);
  expect(await isStopped(process, 'other')).toBe(false);
  expect(reads).toBe(3);
});

it('keeps a tenant stopped when everything is started, and everything when the tenant is', async () => {
  const { world } = setup();
  await stop(world, 'everything');
  await stop(world, { tenant: TENANT });
  await start(world, 'everything');
  expect([await isStopped(world, TENANT), await isStopped(world, 'other')]).toEqual([true, false]);
  await stop(world, 'everything');
  await start(world, { tenant: TENANT });
  expect([await isStopped(world, TENANT), await isStopped(world, 'other')]).toEqual([true, true]);
});
