import { describe, expect, it } from 'vitest';
import { submit } from '../../src/app/submit.ts';
import { viewJob } from '../../src/app/views.ts';
import { createWorkerHandler } from '../../src/app/worker-handler.ts';
import { MAX_WAITS } from '../../src/core/evolve.ts';
import { finish, handleOne, VISIBILITY_MS } from '../support/drive.ts';
import { drive, expectNoRefusal, type OpenCase, openCase, receiveOne, TENANT } from './run-case.ts';
import { loadScript, scriptOf } from './scripts.ts';

describe('a batch of queue records', () => {
  it('H-Q4: sets an unreadable record aside, leaves a newer one, and disturbs neither of their neighbours', async () => {
    const open = await openCase({ script: scriptOf() });
    const { world, strict } = open;
    const second = await submit(world, { tenant: TENANT, agent: 'field', input: 'And the other one.' });
    if (second.type !== 'created') throw new Error('the second job was not created');
    const [one, two] = world.queue.receive(2, VISIBILITY_MS);
    const record = (messageId: string, body = '') => {
      const attributes = { SentTimestamp: String(world.clock.now()) };
      return { messageId, receiptHandle: messageId, body, attributes };
    };
    const Records = [
      record('good-1', one?.body),
      record('unreadable', '{not json'),
      record('newer', JSON.stringify({ v: 2, jobId: open.jobId, turn: 1, wish: 'cancel' })),
      record('good-2', two?.body),
    ];
    const before = await world.table.query(`JOB#${open.jobId}`, '', '~', true);
    expect(before).not.toEqual([]);
    const handled = await finish(
      world,
      createWorkerHandler(world)({ Records }, { getRemainingTimeInMillis: () => 120_000 }),
    );
    expect(handled).toEqual({ batchItemFailures: [{ itemIdentifier: 'newer' }] });
    for (const id of [open.jobId, second.job.id]) {
      expect(await viewJob(world, TENANT, id)).toMatchObject({ status: 'succeeded', steps: 1 });
    }
    expect(strict.calls()).toHaveLength(2);
    expect(await world.table.query('DEAD', '', '~', true)).toMatchObject([
      { id: 'unreadable', body: '{not json', reason: 'the body is not JSON' },
    ]);
    expectNoRefusal(open);
  });
});

interface Delivered {
  readonly atMs: number;
  readonly receives: number;
  /** Requests that the model got in this delivery. */
  readonly hits: number;
  /** Virtual time that passed inside the function. */
  readonly insideMs: number;
}

/** Delivers every message as it becomes visible, and tells what each delivery did. */
async function deliveries({ world, strict }: OpenCase): Promise<readonly Delivered[]> {
  const log: Delivered[] = [];
  for (let next = world.queue.nextVisibleMs(); next !== undefined; next = world.queue.nextVisibleMs()) {
    await world.clock.advance(Math.max(0, next - world.clock.now()));
    if (log.length > 200) throw new Error('the queue does not come to rest');
    const message = receiveOne(world);
    const atMs = world.clock.now();
    const before = strict.calls().length;
    await handleOne(world.restarted(), message);
    const hits = strict.calls().length - before;
    log.push({ atMs, receives: message.receives, hits, insideMs: world.clock.now() - atMs });
  }
  return log;
}

const gaps = (log: readonly Delivered[]): readonly number[] =>
  log.slice(1).map(({ atMs }, at) => atMs - (log[at]?.atMs ?? 0));

describe('a model that does not answer', () => {
  it('H-R1: is waited for in the queue, not in the function, and its messages never run into the dead letters', async () => {
    const open = await openCase({ script: 'storm_529' });
    const log = await deliveries(open);
    expect(await drive(open)).toMatchObject({ status: 'succeeded', text: 'Done.', steps: 1 });
    expect(open.strict.calls().map((call) => call.status)).toEqual([...Array(12).fill(529), 200]);
    expect(log.map(({ receives }) => receives)).toEqual(Array(13).fill(1));
    expect(log.map(({ insideMs }) => insideMs)).toEqual(Array(13).fill(0));
    expect(Math.min(...gaps(log))).toBeGreaterThan(0);
    expect(await open.world.table.query('DEAD', '', '~', true)).toEqual([]);
  });

  it('H-R2: is asked once a delivery, forty times in all, and then the job fails by that name', async () => {
    const [overloaded] = loadScript('storm_529').turns;
    if (overloaded === undefined) throw new Error('the script is empty');
    const open = await openCase({ script: { name: 'for ever', turns: [overloaded], repeat_last: true } });
    const log = await deliveries(open);
    const job = await drive(open);
    expect(job).toMatchObject({ status: 'failed', steps: 0, stop: { reason: 'model_unavailable' } });
    expect(job.stop?.message).toContain('529');
    expect(job.cost).toMatchObject({ spentUsd: 0, reservedUsd: 0, unsettledUsd: 0 });
    expect(MAX_WAITS).toBe(40);
    expect(log.map(({ hits }) => hits)).toEqual(Array(40).fill(1));
    expect(open.strict.calls()).toHaveLength(40);
  });

  it('H-R3: is not asked again before the time it named, and the waits take no step', async () => {
    const open = await openCase({ script: 'rate_429_20s' });
    const log = await deliveries(open);
    expect(await drive(open)).toMatchObject({ status: 'succeeded', text: 'Done.', steps: 1 });
    const hits = open.strict.calls().map((call) => Date.parse(call.at));
    expect(hits).toHaveLength(3);
    for (const [at, ms] of hits.slice(1).entries())
      expect(ms - (hits[at] ?? 0)).toBeGreaterThanOrEqual(20_000);
    expect(log.map(({ insideMs }) => insideMs)).toEqual([0, 0, 0]);
  });
});
