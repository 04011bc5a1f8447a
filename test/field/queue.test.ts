import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { judge } from '../../src/app/approve.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { createWorkerHandler } from '../../src/app/worker-handler.ts';
import { defineTool } from '../../src/core/agent.ts';
import { RetryableError } from '../../src/core/errors.ts';
import type { QueuedMessage } from '../../src/testing/memory-queue.ts';
import { deliver, FUNCTION_MS, finish, VISIBILITY_MS } from '../support/drive.ts';
import { commitOf } from '../support/held-table.ts';
import { mortal } from '../support/mortal.ts';
import { expectMoney, openStage, type Stage } from '../support/stage.ts';
import type { TestWorld } from '../support/world.ts';
import { drive, expectNoRefusal, openCase, receiveOne, TENANT } from './run-case.ts';
import { scriptOf } from './scripts.ts';

const search = ['search_kb', { query: 'a' }] as const;
const refund = ['issue_refund', { orderId: 'A-77', amountCents: 4990 }] as const;
const pay = ['pay', { amount: 5 }] as const;

const orders = ['together', 'after done', 'after the next step'] as const;

/** Delivers every message of a run twice, approving what waits; returns the messages, each once. */
async function deliverTwice(open: Stage, order: (typeof orders)[number]): Promise<readonly QueuedMessage[]> {
  const { world, jobId } = open;
  const delivered: QueuedMessage[] = [];
  const again = (message: QueuedMessage | undefined) =>
    message === undefined ? undefined : deliver(world.restarted(), message);
  for (let turns = 0; turns < 20; turns += 1) {
    for (const approval of (await open.view()).approvals) {
      await judge(world, { tenant: TENANT, jobId, callId: String(approval['callId']), decision: 'approve' });
    }
    const [message] = world.queue.receive(1, VISIBILITY_MS);
    if (message === undefined) break;
    const copies = order === 'together' ? [message, message] : [message];
    await Promise.all(copies.map((copy) => deliver(world.restarted(), copy)));
    if (order === 'after the next step') await again(delivered.at(-1));
    delivered.push(message);
  }
  if (order === 'after done') for (const message of delivered) await again(message);
  if (order === 'after the next step') await again(delivered.at(-1));
  return delivered;
}

describe('a queue that delivers more than once', () => {
  it.each(orders)('H-Q1: refunds once when every message comes twice, %s', async (order) => {
    const open = await openStage({ script: scriptOf([search, refund], [search]) });
    const messages = await deliverTwice(open, order);
    expect(await open.view()).toMatchObject({ status: 'succeeded', steps: 3, cost: { unsettledUsd: 0 } });
    expect(open.effects.refunds).toHaveLength(1);
    expect(open.strict.calls()).toHaveLength(3);
    expect(messages).toHaveLength(3);
    expect(open.world.queue.messages()).toEqual([]);
    expectNoRefusal(open);
    expectMoney(open);
  });

  it('H-Q3: a message with receive count 4 and no recorded attempt is still processed', async () => {
    const open = await openCase({ script: scriptOf() });
    const { world, jobId } = open;
    for (let throttled = 0; throttled < 3; throttled += 1) {
      receiveOne(world);
      await world.clock.advance(VISIBILITY_MS);
    }
    expect(await world.store.loadJob(jobId)).toMatchObject({ attempts: 0, claimed: false });
    const { id, body, sentMs, receives } = receiveOne(world);
    expect(receives).toBe(4);
    const attributes = { SentTimestamp: String(sentMs), ApproximateReceiveCount: String(receives) };
    const records = [{ messageId: id, receiptHandle: id, body, attributes }];
    const handler = createWorkerHandler(world);
    expect(await handler({ Records: records }, { getRemainingTimeInMillis: () => FUNCTION_MS })).toEqual({
      batchItemFailures: [],
    });
    expect(await open.view()).toMatchObject({ status: 'succeeded', steps: 1 });
    expect(open.strict.calls()).toHaveLength(1);
  });
});

/** The world of a process whose sends fail while `down` says so. */
function withoutSends(world: TestWorld, down: () => boolean): TestWorld {
  const send: TestWorld['queue']['send'] = async (...given) => {
    if (down()) throw new RetryableError('queue_unavailable', 'SendMessage failed');
    return world.queue.send(...given);
  };
  return { ...world, queue: { ...world.queue, send } };
}

describe('a send that fails', () => {
  const threeSteps = () => openStage({ script: scriptOf([pay], [search]) });

  async function expectWhole(open: Stage): Promise<void> {
    expect(await open.view()).toMatchObject({ status: 'succeeded', steps: 3, cost: { unsettledUsd: 0 } });
    expect(open.strict.calls()).toHaveLength(3);
    expect(open.paid).toHaveLength(1);
    expect(open.effects.runs.get('search_kb')).toBe(1);
    expect(open.world.queue.messages()).toEqual([]);
    expectMoney(open);
  }

  it('H-Q6: once, is made up for by the redelivery of its message, and no step is done twice', async () => {
    const open = await threeSteps();
    const { world } = open;
    let failures = 0;
    const worker = withoutSends(world, () => {
      failures += 1;
      return failures === 1;
    });
    const message = receiveOne(world);
    expect(await deliver(worker, message)).toBe('retry');
    expect(await open.view()).toMatchObject({ status: 'queued', steps: 1 });
    expect(world.queue.messages()).toHaveLength(1);
    await world.clock.advance(VISIBILITY_MS);
    expect(receiveOne(world).id).toBe(message.id);
    expect(await deliver(worker, message)).toBe('done');
    await drive(open);
    await expectWhole(open);
  });

  it('H-Q6: for 30 s, delays the run and repeats nothing of it', async () => {
    const open = await threeSteps();
    const { world } = open;
    const upMs = world.clock.now() + 30_000;
    const worker = withoutSends(world, () => world.clock.now() < upMs);
    let deliveries = 0;
    for (let next = world.queue.nextVisibleMs(); next !== undefined; next = world.queue.nextVisibleMs()) {
      await world.clock.advance(Math.max(0, next - world.clock.now()));
      const [message] = world.queue.receive(1, 10_000);
      if (message !== undefined) await deliver(worker, message);
      deliveries += 1;
      if (deliveries > 20) throw new Error('the queue does not come to rest');
    }
    expect(world.clock.now()).toBe(upMs);
    expect(deliveries).toBe(6);
    await expectWhole(open);
  });

  it('H-Q6: for 30 s while the reconciler sends too, loses neither the job nor its due time', async () => {
    const open = await threeSteps();
    const { world } = open;
    const down = { untilMs: Number.POSITIVE_INFINITY };
    const worker = withoutSends(world, () => world.clock.now() < down.untilMs);
    await deliver(worker, receiveOne(world));
    world.queue.clear();
    await world.clock.advance(90_000);
    expect((await reconcile(worker)).failed).toBe(1);
    down.untilMs = world.clock.now() + 30_000;
    await world.clock.advance(30_000);
    expect(await reconcile(worker)).toMatchObject({ looked: 1, failed: 0 });
    await drive(open);
    await expectWhole(open);
  });

  it('H-Q6: because the process dies right after the table write, at every step, is made up for by the redelivery', async () => {
    const open = await threeSteps();
    const { world, held } = open;
    for (let step = 1; step <= 3; step += 1) {
      const dying = mortal(world.restarted());
      const commit = held.hold(commitOf('replied'));
      const message = receiveOne(world);
      void deliver(dying.world, message);
      await commit.reached;
      dying.kill();
      await commit.land();
      expect(world.queue.messages()).toHaveLength(1);
      await world.clock.advance(VISIBILITY_MS);
      expect(receiveOne(world).id).toBe(message.id);
      expect(await deliver(world.restarted(), message)).toBe('done');
      expect(world.queue.messages()).toHaveLength(step < 3 ? 1 : 0);
    }
    await expectWhole(open);
  });
});

describe('a function that is killed while a slow tool runs', () => {
  it.each([
    ['at once', 1_000],
    ['at its last moment', FUNCTION_MS],
  ])(
    'H-Q7: killed %s, the third delivery makes progress within 245 s of the first, far from the dead letters',
    async (_, killedMs) => {
      let started = (): void => undefined;
      const stuck = defineTool({
        ...{ name: 'stuck', description: '', input: z.object({}), policy: 'pure', timeoutSeconds: 600 },
        run: () => {
          started();
          return new Promise(() => undefined);
        },
      });
      const open = await openStage({ script: scriptOf([['stuck', {}]]), agent: { tools: [stuck] } });
      const { world, jobId } = open;
      await deliver(world, receiveOne(world));
      const firstMs = world.clock.now();
      const first = receiveOne(world);
      const frozen = mortal(world.restarted());
      await new Promise<void>((resolve) => {
        started = resolve;
        void deliver(frozen.world, first);
      });
      frozen.kill();
      await world.clock.advance(killedMs);
      await world.queue.hide(first.id, 0);
      expect(await deliver(world.restarted(), receiveOne(world))).toBe('retry');
      expect(world.queue.nextVisibleMs()).toBe(firstMs + FUNCTION_MS + 5_000);
      await world.clock.advance(firstMs + FUNCTION_MS + 5_000 - world.clock.now());
      const third = receiveOne(world);
      expect(third).toMatchObject({ id: first.id, receives: 3 });
      expect(await finish(world, deliver(world.restarted(), third))).toBe('done');
      // The results are stored, so no later delivery runs the tool again; the new turn's message starts from no receives.
      expect(world.clock.now() - firstMs).toBeLessThanOrEqual(245_000);
      expect(await world.store.loadJob(jobId)).toMatchObject({
        observed: true,
        pending: undefined,
        attempts: 0,
      });
      expect(world.queue.messages().map(({ receives }) => receives)).toEqual([0]);
      expect(await drive(open)).toMatchObject({ status: 'succeeded', steps: 2 });
      expect(await world.table.query('DEAD', '', '~', true)).toEqual([]);
      expect(open.strict.calls()).toHaveLength(2);
      expectMoney(open);
    },
  );
});
