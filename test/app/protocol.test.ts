import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { judge } from '../../src/app/approve.ts';
import { cancel } from '../../src/app/cancel.ts';
import { extend } from '../../src/app/extend.ts';
import { cancelBatch } from '../../src/app/manage-batch.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { readBatchState } from '../../src/cli/watch-batch.ts';
import { defineTool } from '../../src/core/agent.ts';
import { isEnded } from '../../src/core/job.ts';
import { charged } from '../../src/core/ledger.ts';
import type { QueuedMessage } from '../../src/testing/memory-queue.ts';
import { createRandom } from '../../src/testing/random.ts';
import { deliverOne, drive, expectNoRefusal, receiveOne, resultsOf, TENANT } from '../field/run-case.ts';
import { answer, done, scriptOf } from '../field/scripts.ts';
import { jobAt, rowsOf, startBatch } from '../support/a-batch.ts';
import { deliver, finish, runFor, VISIBILITY_MS } from '../support/drive.ts';
import { restingBatch } from '../support/example-run.ts';
import { callClosing, commitOf, intentPut, itemPut, requestOn } from '../support/held-table.ts';
import { mortal } from '../support/mortal.ts';
import { handleAllOld } from '../support/old-queue.ts';
import { asleep, batchStage, expectMoney, handle, lapse, openStage, type Stage } from '../support/stage.ts';
import type { TestWorld } from '../support/world.ts';

/** The tests that the protocol of writes asks for by name. Each fails without the rule that it names. */

const pay = ['pay', { amount: 5 }] as const;
const search = (query: string) => ['search_kb', { query }] as const;
const refund = ['issue_refund', { orderId: 'A-77', amountCents: 4990 }] as const;

const headOf = async ({ world, jobId }: Stage) => {
  const job = await world.store.loadJob(jobId);
  if (job === undefined) throw new Error('the job is gone');
  return job;
};

describe('workers that meet', () => {
  it('two deliveries at the same instant make one step: one call, one effect, one follow-up', async () => {
    const stage = await openStage({ script: scriptOf([pay], [search('a')]) });
    const { world, strict, paid } = stage;
    await deliverOne(stage);
    const message = receiveOne(world);
    const deliveries = [message, message, { ...message, id: 'twin' }];
    await Promise.all(deliveries.map((one) => handle(world.restarted(), one)));
    world.queue.remove(message.id);
    expect(strict.calls()).toHaveLength(2);
    expect(paid).toHaveLength(1);
    expect(world.queue.messages()).toHaveLength(1);
    expect(await drive(stage)).toMatchObject({
      ...{ status: 'succeeded', steps: 3, needsReview: false },
      cost: { spentUsd: strict.billedMicroUsd() / 1e6, unsettledUsd: 0, reservedUsd: 0 },
    });
    expect(paid).toHaveLength(1);
    expectMoney(stage);
  });

  it('cancel between reply and commit keeps the paid reply, runs none of its tools and ends the job', async () => {
    const stage = await openStage({ script: scriptOf([pay]) });
    const { world, strict, paid, jobId, held } = stage;
    const commit = held.hold(commitOf('replied'));
    const working = deliver(world, receiveOne(world));
    await commit.reached;
    expect(await cancel(world, TENANT, jobId)).toMatchObject({
      type: 'accepted',
      head: { cancelRequested: true, status: { type: 'running' } },
    });
    await commit.answer();
    expect(await working).toBe('done');
    expect(await stage.view()).toMatchObject({
      ...{ status: 'cancelled', steps: 1 },
      cost: { spentUsd: strict.billedMicroUsd() / 1e6, unsettledUsd: 0, reservedUsd: 0 },
    });
    await runFor(world, 5);
    expect(strict.calls()).toHaveLength(1);
    expect(paid).toEqual([]);
    expect(world.queue.messages()).toEqual([]);
    expectMoney(stage);
  });

  it('cancel while the calls beside a valid answer run ends the job cancelled, whatever they gave', async () => {
    const stage = await openStage({
      script: scriptOf([pay, ['return_answer', { answer: 'refunded' }]]),
      agent: { output: z.object({ answer: z.string() }) },
    });
    const { world, strict, paid, jobId, held } = stage;
    await deliverOne(stage);
    const commit = held.hold(commitOf('answered'));
    const working = deliver(world, receiveOne(world));
    await commit.reached;
    expect(await cancel(world, TENANT, jobId)).toMatchObject({ type: 'accepted' });
    await commit.answer();
    expect(await working).toBe('done');
    expect(await stage.view()).toMatchObject({ status: 'cancelled', steps: 1, output: null });
    await runFor(world, 5);
    expect(strict.calls()).toHaveLength(1);
    expect(paid).toHaveLength(1);
    expectMoney(stage);
  });

  it.each([
    ['claim', 'claimed', 1],
    ['reply', 'replied', 1],
    ['second reserve', 'reserved', 2],
  ] as const)(
    'commit times out, lands after the read-back, before the retry: the %s is booked once',
    async (_, event, turn) => {
      // The results at their full length do not fit, so the second turn reserves once they are known.
      const stage = await openStage({
        script: scriptOf([search('a')]),
        submission: { ceilingMicroUsd: 120_000 },
      });
      const { world, strict, held } = stage;
      for (let before = 1; before < turn; before += 1) await deliverOne(stage);
      const commit = held.hold(commitOf(event));
      const working = deliver(world, receiveOne(world));
      await commit.reached;
      commit.timeOut();
      await asleep(world);
      await commit.land();
      expect(await finish(world, working)).toBe('done');
      // No reconciler has run: what was sent was sent by the worker itself.
      expect(await drive(stage)).toMatchObject({
        ...{ status: 'succeeded', steps: 2 },
        cost: { spentUsd: strict.billedMicroUsd() / 1e6, unsettledUsd: 0, reservedUsd: 0 },
      });
      expect(strict.calls()).toHaveLength(2);
      expect(stage.books.some(({ head }) => head.by.endsWith('.reserved'))).toBe(true);
      expectMoney(stage);
    },
  );
});

describe('a paid reply that missed its commit', () => {
  /** Two workers have each been paid a reply of the first step, and sleep before they put it. */
  async function twoSleepers() {
    const stage = await openStage({ script: scriptOf([search('a')], [search('b')], [search('c')]) });
    const { world, held } = stage;
    const message = receiveOne(world);
    const sleep = async () => {
      const put = held.hold(itemPut(2));
      const working = handle(world.restarted(), message);
      await put.reached;
      await lapse(world);
      return { put, working };
    };
    return { stage, message, first: await sleep(), second: await sleep() };
  }

  const stored = (stage: Stage) => stage.world.store.readItem(stage.jobId, 2);

  it('two sleepers with neighbouring fences and an adopter keep the adopted item when the later sleeper wakes after the adopter’s commit', async () => {
    const { stage, message, first, second } = await twoSleepers();
    await first.put.answer();
    await first.working;
    expect(await stored(stage)).toMatchObject({ fence: 1, born: 1 });
    await handle(stage.world.restarted(), message);
    const [, later] = [await second.put.answer(), await second.working];
    expect(later).toBe('done');
    expect(await stored(stage)).toMatchObject({ fence: 3, born: 1 });
    expect((await stored(stage))?.reply).toContain('"a"');
    expect(stage.strict.calls()).toHaveLength(2);
    const held = (await headOf(stage)).ledger;
    expect(held).toMatchObject({ settled: 600, reserved: 0 });
    expect(await drive(stage, { cold: true })).toMatchObject({ status: 'succeeded', steps: 3 });
    expect(stage.strict.calls()).toHaveLength(4);
    expect((await headOf(stage)).ledger.unsettled).toBe(held.unsettled);
    expectMoney(stage);
  });

  it('two sleepers with neighbouring fences and an adopter take the later reply when it lands between the adopter’s look and its stamp', async () => {
    const { stage, message, first, second } = await twoSleepers();
    await first.put.land();
    const stamp = stage.held.hold(itemPut(2));
    const adopting = handle(stage.world.restarted(), message);
    const stamps = stamp.reached.then(() => 'stamps');
    expect(await Promise.race([stamps, adopting])).toBe('stamps');
    await second.put.answer();
    await second.working;
    await stamp.answer();
    await adopting;
    expect(await stored(stage)).toMatchObject({ fence: 3, born: 2 });
    expect((await stored(stage))?.reply).toContain('"b"');
    expect(await drive(stage, { cold: true })).toMatchObject({ status: 'succeeded', steps: 3 });
    expect(stage.strict.calls()).toHaveLength(4);
    expectMoney(stage);
  });
});

describe('calls that may not be made twice', () => {
  it('sleeper between intent and effect: nobody runs the call again, and its late result is only logged', async () => {
    const stage = await openStage({ script: scriptOf([pay]) });
    const { world, strict, paid, held } = stage;
    await deliverOne(stage);
    const message = receiveOne(world);
    const intent = held.hold(intentPut);
    const sleeping = handle(world.restarted(), message);
    await intent.reached;
    await intent.land();
    await lapse(world);
    await deliver(world.restarted(), message);
    expect(paid).toEqual([]);
    const ended = await headOf(stage);
    expect(ended).toMatchObject({ status: { type: 'succeeded' }, steps: 2, needsReview: true });
    expect(String(resultsOf(stage.requests()[1])[0]?.['content'])).toContain('outcome unknown');
    await intent.answer();
    await sleeping;
    expect(paid).toHaveLength(1);
    expect(await headOf(stage)).toEqual(ended);
    expect(strict.calls()).toHaveLength(2);
    expect(world.lines.map((line) => line.message)).toContain('a once call was closed by another attempt');
    expectMoney(stage);
  });

  it('sleeper between intent and effect that is first after all: its result is the outcome for both', async () => {
    const stage = await openStage({ script: scriptOf([pay]) });
    const { world, paid, held } = stage;
    await deliverOne(stage);
    const message = receiveOne(world);
    const intent = held.hold(intentPut);
    const sleeping = handle(world.restarted(), message);
    await intent.reached;
    await intent.land();
    await lapse(world);
    const closing = held.hold(callClosing);
    const adopting = deliver(world.restarted(), message);
    await closing.reached;
    await intent.answer();
    await sleeping;
    await closing.answer();
    await adopting;
    expect(paid).toHaveLength(1);
    expect(await stage.view()).toMatchObject({ status: 'succeeded', needsReview: false });
    expect(resultsOf(stage.requests()[1])[0]).toMatchObject({ content: 'paid' });
    expectMoney(stage);
  });

  it('repeat_last and equal tool ids: each of the calls takes effect once, under a key of its own, after extend too', async () => {
    const twice = answer(
      [1, 2].map((amount) => ({ type: 'tool_use', id: 'toolu_1', name: 'pay', input: { amount } })),
      'tool_use',
    );
    const stage = await openStage({
      script: { name: 'the same reply for ever', turns: [twice], repeat_last: true },
      agent: { limits: { maxSteps: 3 } },
    });
    const { world, jobId, paid } = stage;
    expect(await drive(stage, { cold: true })).toMatchObject({ status: 'stopped', steps: 3 });
    expect(paid).toHaveLength(4);
    expect((await extend(world, { tenant: TENANT, jobId, addSteps: 1 })).type).toBe('extended');
    expect(await drive(stage, { cold: true })).toMatchObject({ status: 'stopped', steps: 4 });
    expect(paid).toHaveLength(6);
    expect(new Set(paid).size).toBe(6);
    expectNoRefusal(stage);
    expectMoney(stage);
  });
});

describe('what is lost on the way', () => {
  it('API dies after approve, before send: the reconciler finds the job within three minutes', async () => {
    const stage = await openStage({ script: scriptOf([refund]) });
    const { world, strict, effects, jobId, held } = stage;
    await deliverOne(stage);
    // By then the reconciler has moved the due time to the expiry of the approval, days ahead.
    await runFor(world, 5);
    expect((await headOf(stage)).status.type).toBe('awaiting_approval');
    const verdict = { tenant: TENANT, jobId, callId: 'call_1_0', decision: 'approve' } as const;
    const api = mortal(world);
    const write = held.hold(requestOn(jobId));
    void judge(api.world, verdict);
    await write.reached;
    api.kill();
    await write.land();
    expect(world.queue.messages()).toEqual([]);
    await runFor(world, 3);
    expect(await stage.view()).toMatchObject({ status: 'succeeded', steps: 2 });
    expect(effects.refunds).toHaveLength(1);
    expect(strict.calls()).toHaveLength(2);
    expect((await judge(world, verdict)).type).toBe('decided');
    expect(effects.refunds).toHaveLength(1);
    expectMoney(stage);
  });

  it('queue wiped between turns: every turn is sent again, and no step is made twice', async () => {
    const stage = await openStage({ script: scriptOf([pay], [search('a')], [pay]) });
    const { world, strict, paid } = stage;
    for (let minute = 0; minute < 12; minute += 1) {
      world.queue.clear();
      await world.clock.advance(60_000);
      await reconcile(world);
      for (const message of world.queue.receive(1, VISIBILITY_MS)) await deliver(world.restarted(), message);
    }
    expect(await stage.view()).toMatchObject({ status: 'succeeded', steps: 4, cost: { unsettledUsd: 0 } });
    expect(strict.calls()).toHaveLength(4);
    expect(paid).toHaveLength(2);
    expectMoney(stage);
  });

  it('tool that kills the process: the job fails after six attempts, whatever the receive counts say', async () => {
    let die = (): void => undefined;
    let deaths = 0;
    const bomb = defineTool({
      ...{ name: 'bomb', description: '', input: z.object({}), policy: 'pure' },
      run: () => {
        deaths += 1;
        die();
        return new Promise(() => undefined);
      },
    });
    const stage = await openStage({ script: scriptOf([['bomb', {}]]), agent: { tools: [bomb] } });
    const { world, strict, jobId } = stage;
    await deliverOne(stage);
    const receives: number[] = [];
    const toDeath = (message: QueuedMessage): Promise<void> =>
      new Promise((resolve, reject) => {
        const worker = mortal(world.restarted());
        die = () => {
          worker.kill();
          resolve();
        };
        deliver(worker.world, message).then(() => resolve(), reject);
      });
    for (let minute = 0; minute < 60; minute += 1) {
      for (const message of world.queue.receive(10, VISIBILITY_MS)) {
        receives.push(message.receives);
        await toDeath(message);
      }
      await world.clock.advance(60_000);
      await reconcile(world);
    }
    expect(await stage.view()).toMatchObject({ status: 'failed', stop: { reason: 'internal' }, steps: 1 });
    expect(deaths).toBe(6);
    expect(Math.max(...receives)).toBeLessThan(5);
    expect(strict.calls()).toHaveLength(1);
    expect((await world.store.loadJob(jobId))?.ledger.reserved).toBe(0);
    expect(world.queue.messages()).toEqual([]);
    expectMoney(stage);
  });
});

describe('30 % duplicates', () => {
  /** Runs a job of so many steps through an old queue; asserts on all that it did, and tells the messages per step. */
  async function messagesPerStep(steps: number, oldMs: number, seed: number): Promise<number> {
    const { turns } = scriptOf([pay]);
    const stage = await openStage({
      script: { name: 'goes on', turns: turns.slice(0, 1), repeat_last: true },
      agent: { limits: { maxSteps: steps } },
    });
    const most = steps * 40;
    const handled = await handleAllOld(stage.world, { oldMs, random: createRandom(seed).next, most });
    expect(handled, `messages of ${steps} steps`).toBeLessThan(most);
    expect(await stage.view()).toMatchObject({ status: 'stopped', steps });
    expect(stage.strict.calls()).toHaveLength(steps);
    expect(stage.paid).toHaveLength(steps - 1);
    expectMoney(stage);
    return handled / steps;
  }

  it('30 % duplicates with a 300 s old queue: messages per step stay bounded, and 80 steps take no more of them than 10', async () => {
    const rates: number[] = [];
    for (const steps of [10, 20, 40, 80]) {
      const runs = [await messagesPerStep(steps, 300_000, 1), await messagesPerStep(steps, 300_000, 2)];
      rates.push(runs.reduce((sum, rate) => sum + rate, 0) / runs.length);
    }
    expect(Math.max(...rates)).toBeLessThan(8);
    expect(rates.at(-1)).toBeLessThan((rates[0] ?? 0) * 1.25);
  });

  it('30 % duplicates with a queue of an hour: the reconciler sends a turn less and less often', async () => {
    expect(await messagesPerStep(10, 3_600_000, 1)).toBeLessThan(14);
  });
});

describe('a batch', () => {
  const cancelledHeads = (world: TestWorld) =>
    world.table.all().flatMap((item) => (item['sk'] === 'JOB' ? [item['st']] : []));

  it('batch dies between commit and create, then cancel: its rows are made cancelled, and no call is made', async () => {
    const { world, strict, held } = batchStage({ script: { name: 'done', turns: [done] } });
    const batch = await startBatch(world);
    const worker = mortal(world.restarted());
    const first = held.hold(({ item }) => item.sk === 'BATCH' || item.sk === 'JOB');
    void handle(worker.world, receiveOne(world));
    await first.reached;
    worker.kill();
    await first.land();
    expect((await cancelBatch(world, TENANT, batch.id)).type).toBe('accepted');
    const { state } = await restingBatch(world, batch.id);
    await runFor(world, 15);
    expect(strict.calls()).toEqual([]);
    expect(state.batch).toMatchObject({ status: 'cancelled', counts: { cancelled: 5 }, spent: 0, open: [] });
    expect(cancelledHeads(world)).toEqual(['c', 'c']);
  });

  it('late creator after cancel: the row’s job is cancelled already, and starts nothing', async () => {
    const { world, strict, held } = batchStage({ script: { name: 'done', turns: [done] } });
    const batch = await startBatch(world, { concurrency: 1 });
    const creation = held.hold(({ item }) => item.sk === 'JOB');
    const creator = handle(world.restarted(), receiveOne(world));
    await creation.reached;
    expect((await cancelBatch(world, TENANT, batch.id)).type).toBe('accepted');
    const { state } = await restingBatch(world, batch.id);
    await creation.answer();
    await creator;
    await runFor(world, 15);
    expect(strict.calls()).toEqual([]);
    expect(state.batch).toMatchObject({ status: 'cancelled', counts: { cancelled: 5 }, spent: 0, open: [] });
    expect(cancelledHeads(world)).toEqual(['c']);
    expect(world.queue.messages()).toEqual([]);
  });

  it('extend of an observed row with a full pool is refused with the figures, and granted once money is free', async () => {
    // Every row uses its two steps. When the first two are over, the next two hold what the pool has left.
    const turns = [
      answer([{ type: 'tool_use', id: 'toolu_1', name: 'search_kb', input: { query: 'a' } }], 'tool_use'),
    ];
    const { world, strict } = batchStage({
      script: { name: 'goes on', turns, repeat_last: true },
      agent: { limits: { maxSteps: 2 } },
    });
    const budget = 250_000;
    const batch = await startBatch(world, { budget, rows: rowsOf(4) });
    const standing = async () => (await readBatchState(world, batch.id)).batch;
    for (let handled = 0; handled < 100; handled += 1) {
      const { counts, open } = await standing();
      if (counts.stopped === 2 && open.length === 2) break;
      await world.clock.advance(Math.max(0, (world.queue.nextVisibleMs() ?? 0) - world.clock.now()));
      await deliver(world, receiveOne(world));
    }
    expect(await standing()).toMatchObject({ cursor: 4, counts: { stopped: 2 }, open: [{}, {}] });
    const before = await jobAt(world, batch, 0);
    const extension = { tenant: TENANT, jobId: before?.id ?? '', addSteps: 2 };
    const refused = await extend(world, extension);
    expect(refused).toMatchObject({ type: 'conflict' });
    expect(refused.type === 'conflict' && refused.why).toBe('the batch has $0.0488 left, the job needs $0.1');
    expect(await jobAt(world, batch, 0)).toEqual(before);
    const jobs = await Promise.all([0, 1, 2, 3].map((ordinal) => jobAt(world, batch, ordinal)));
    const claims = jobs.map((job) =>
      job === undefined ? 0 : isEnded(job) ? charged(job.ledger) : job.ledger.ceiling,
    );
    expect(claims.reduce((sum, claim) => sum + claim, 0)).toBeLessThanOrEqual(budget);
    await restingBatch(world, batch.id);
    expect((await extend(world, extension)).type).toBe('extended');
    const { state } = await restingBatch(world, batch.id);
    expect(state.batch).toMatchObject({ status: 'done', counts: { stopped: 4 }, spent: 10 * 600 });
    expect(strict.billedMicroUsd()).toBe(state.batch.spent);
  });
});
