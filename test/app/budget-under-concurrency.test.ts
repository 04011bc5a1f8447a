import { describe, expect, it } from 'vitest';
import { reconcile } from '../../src/app/reconcile.ts';
import { viewJob } from '../../src/app/views.ts';
import { readBatchState } from '../../src/cli/watch-batch.ts';
import { fromBatchRecord, poolLeft } from '../../src/core/batch.ts';
import { receiveOne, TENANT } from '../field/run-case.ts';
import { answer, done } from '../field/scripts.ts';
import { jobAt, rowsOf, startBatch } from '../support/a-batch.ts';
import { deliver, VISIBILITY_MS } from '../support/drive.ts';
import { restingBatch } from '../support/example-run.ts';
import { commitOf, itemPut, type Write } from '../support/held-table.ts';
import { mortal } from '../support/mortal.ts';
import { batchStage, handle, lapse } from '../support/stage.ts';
import type { TestWorld } from '../support/world.ts';

const WORKERS = 50;
const ROWS = 50;
/** The ceilings that the pool has room for. */
const K = 7;

/** What the first call of any of the rows may cost: its prompt in tokens, and its price with all of its output. */
async function firstCall(): Promise<{
  readonly prompt: number;
  readonly output: number;
  readonly cost: number;
}> {
  const { world } = batchStage({ script: { name: 'done', turns: [done] } });
  const batch = await startBatch(world, { rows: rowsOf(1) });
  await restingBatch(world, batch.id);
  const item = await world.store.readItem((await jobAt(world, batch, 0))?.id ?? '', 2);
  const [prompt, output] = item?.bound ?? [0, 0];
  return { prompt, output, cost: item?.reserved ?? 0 };
}

/** A script whose every reply bills a prompt written to the cache as a whole, and so much output. */
const billing = (prompt: number, output: number) => ({
  name: 'bills',
  repeat_last: true,
  turns: [
    answer([{ type: 'text', text: 'Done.' }], 'end_turn', {
      usage: {
        ...{ input_tokens: 0, output_tokens: output },
        ...{ cache_creation_input_tokens: prompt, cache_read_input_tokens: 0 },
      },
    }),
  ],
});

/** Delivers up to `most` messages at the same instant, each turn of a batch to every worker, until nothing is queued. */
async function runAllAtOnce(world: TestWorld, most: number): Promise<void> {
  const workers = Array.from({ length: WORKERS }, () => world.restarted());
  for (let rounds = 0; rounds < 500; rounds += 1) {
    const nextMs = world.queue.nextVisibleMs();
    if (nextMs === undefined) return;
    await world.clock.advance(Math.max(0, nextMs - world.clock.now()));
    await reconcile(world);
    const visible = world.queue.receive(most, VISIBILITY_MS);
    const deliveries = visible.flatMap((message, at) =>
      workers
        .slice(0, message.body.includes('batchId') ? WORKERS : 2)
        .map((_, copy) => ({ message, worker: workers[(at + copy) % WORKERS] ?? world })),
    );
    await Promise.all(deliveries.map(({ message, worker }) => deliver(worker, message)));
    // The next turn of the batch comes while jobs of this one are still to be run.
    await world.clock.advance(500);
  }
  throw new Error('the batch does not come to rest');
}

/** Fifty rows of one call each, handled by fifty workers, under a pool with room for `K` ceilings and a little more. */
async function runUnderPool(most: number, prompt: number, output: number, ceiling: number) {
  const stage = batchStage({ script: billing(prompt, output) });
  const { world, strict, held } = stage;
  const budget = K * ceiling + 300;
  const claims: number[] = [];
  held.watch(({ item }: Write) => {
    if (item.sk === 'BATCH') claims.push(budget - poolLeft(fromBatchRecord('batch', item)));
  });
  const wanted = { rows: rowsOf(ROWS), concurrency: WORKERS, ceilingMicroUsd: ceiling };
  const { id } = await startBatch(world, { ...wanted, budget });
  await runAllAtOnce(world, most);
  const { batch } = await readBatchState(world, id);
  return { batch, budget, claims, calls: strict.calls().length, billed: strict.billedMicroUsd() };
}

describe.each([
  ['all jobs at once', 200],
  ['jobs that end one after the other', 2],
])('H-B3: fifty workers under one pool, each turn of its batch delivered to all of them, %s', (_, most) => {
  it('make exactly as many calls as ceilings fit when every call costs its whole ceiling', async () => {
    const { prompt, output, cost } = await firstCall();
    const { batch, budget, claims, calls, billed } = await runUnderPool(most, prompt, output, cost);
    expect(calls).toBe(K);
    expect(billed).toBe(K * cost);
    expect(billed).toBeLessThanOrEqual(budget);
    expect(batch).toMatchObject({ status: 'paused', cursor: K, counts: { succeeded: K }, spent: billed });
    expect(Math.max(...claims)).toBeLessThanOrEqual(budget);
  });

  it('make as many cheaper calls as fit, and not one that might not', async () => {
    const { prompt, cost } = await firstCall();
    const { batch, budget, claims, calls, billed } = await runUnderPool(most, prompt, 200, cost);
    const each = Math.ceil(prompt * 3.75 + 200 * 15);
    const least = Math.ceil(prompt * 3.75 + 256 * 15);
    expect(calls).toBeGreaterThan(K);
    expect(calls).toBeLessThan(ROWS);
    expect(billed).toBe(calls * each);
    expect(billed).toBeLessThanOrEqual(budget);
    expect(budget - billed).toBeLessThan(least);
    expect(batch).toMatchObject({ status: 'paused', counts: { succeeded: calls }, spent: billed });
    expect(Math.max(...claims)).toBeLessThanOrEqual(budget);
  });
});

describe('the money of a batch whose worker crashes', () => {
  /** The job of a batch of one row, its message received, and a worker that can be killed. */
  async function oneRow() {
    const stage = batchStage({ script: { name: 'done', turns: [done], repeat_last: true } });
    const { world } = stage;
    const batch = await startBatch(world, { rows: rowsOf(1) });
    await deliver(world, receiveOne(world));
    const jobId = (await jobAt(world, batch, 0))?.id ?? '';
    const cost = async () => (await viewJob(world, TENANT, jobId))?.cost;
    return { ...stage, batch, cost, message: receiveOne(world), worker: mortal(world.restarted()) };
  }

  it('between a paid reply and its item: it is charged, and visible as unsettled in the job and in the batch', async () => {
    const { world, strict, held, batch, cost, message, worker } = await oneRow();
    const put = held.hold(itemPut(2));
    void handle(worker.world, message);
    await put.reached;
    worker.kill();
    expect(strict.billedMicroUsd()).toBe(600);
    const reservedUsd = (await cost())?.reservedUsd ?? 0;
    expect(reservedUsd).toBeGreaterThan(0.0006);
    await lapse(world);
    await deliver(world.restarted(), message);
    expect(await cost()).toMatchObject({
      ...{ unsettledUsd: reservedUsd, reservedUsd: 0 },
      spentUsd: (reservedUsd * 1e6 + 600) / 1e6,
    });
    const { state } = await restingBatch(world, batch.id);
    expect(state.batch).toMatchObject({ status: 'done', spent: reservedUsd * 1e6 + 600 });
    expect(strict.billedMicroUsd()).toBe(1_200);
    expect(strict.billedMicroUsd()).toBeLessThanOrEqual(state.batch.spent);
  });

  it('between item and commit: the reply is adopted, settled once and not paid again', async () => {
    const { world, strict, held, batch, cost, message, worker } = await oneRow();
    const commit = held.hold(commitOf('replied'));
    void handle(worker.world, message);
    await commit.reached;
    worker.kill();
    await lapse(world);
    await deliver(world.restarted(), message);
    expect(await cost()).toMatchObject({ spentUsd: 0.0006, unsettledUsd: 0, reservedUsd: 0 });
    const { state } = await restingBatch(world, batch.id);
    expect(state.batch).toMatchObject({ status: 'done', counts: { succeeded: 1 }, spent: 600 });
    expect(strict.billedMicroUsd()).toBe(600);
  });
});
