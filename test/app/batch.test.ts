import { describe, expect, it } from 'vitest';
import { extend } from '../../src/app/extend.ts';
import { cancelBatch, extendBatch } from '../../src/app/manage-batch.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { readBatchState } from '../../src/cli/watch-batch.ts';
import { poolLeft } from '../../src/core/batch.ts';
import { RetryableError } from '../../src/core/errors.ts';
import type { ModelOutcome } from '../../src/ports.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { jobAt, rowsOf, startBatch } from '../support/a-batch.ts';
import { finish, handleOne, VISIBILITY_MS } from '../support/drive.ts';
import { restingBatch } from '../support/example-run.ts';
import { callsModel, textReply, toolReply } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const TENANT = 'default';

function setup(outcomes: readonly ModelOutcome[], options: Parameters<typeof fieldAgents>[1] = {}) {
  const { model, asked } = callsModel(outcomes);
  return { world: memoryWorld({ agents: fieldAgents(newEffects(), options), model }), asked };
}

/** The reply as if it had used so many output tokens. */
function withOutput(outcome: ModelOutcome, output: number): ModelOutcome {
  if (outcome.type !== 'reply' || outcome.reply.usage === undefined) return outcome;
  const usage = { ...outcome.reply.usage, output };
  return { ...outcome, reply: { ...outcome.reply, usage } };
}

async function handleNext(world: TestWorld): Promise<void> {
  const next = world.queue.nextVisibleMs() ?? world.clock.now();
  await world.clock.advance(Math.max(0, next - world.clock.now()));
  const [message] = world.queue.receive(1, VISIBILITY_MS);
  if (message !== undefined) await handleOne(world, message);
}

describe('a batch', () => {
  it('runs every row, never more at once than its concurrency, and adds their costs up', async () => {
    const { world } = setup([textReply('Done.')]);
    const batch = await startBatch(world);
    let most = 0;
    const { commitBatch } = world.store;
    const watched: TestWorld = {
      ...world,
      store: {
        ...world.store,
        commitBatch: (next) => {
          most = Math.max(most, next.open.length);
          return commitBatch(next);
        },
      },
    };
    const { state, jobs } = await restingBatch(watched, batch.id);
    expect(state.batch).toMatchObject({ status: 'done', cursor: 5, open: [], counts: { succeeded: 5 } });
    expect(most).toBe(2);
    expect(state.batch.spent).toBe(jobs.reduce((sum, job) => sum + job.ledger.settled, 0));
    expect(world.queue.messages()).toEqual([]);
  });

  it('is one batch whoever creates it twice', async () => {
    const { world, asked } = setup([textReply('Done.')]);
    const [one, other] = await Promise.all([startBatch(world), startBatch(world)]);
    expect(one.id).toBe(other.id);
    await restingBatch(world, one.id);
    expect(asked).toHaveLength(5);
  });

  it('admits only what its pool covers, pauses with the figures, and goes on when it is extended', async () => {
    const { world } = setup([textReply('Done.')]);
    const batch = await startBatch(world, { rows: rowsOf(30), budget: 19_000, ceilingMicroUsd: 18_900 });
    const { state } = await restingBatch(world, batch.id);
    expect(state.batch).toMatchObject({ status: 'paused', stop: { reason: 'pool_exhausted' } });
    expect(state.batch.stop?.detail).toMatch(
      /a job needs \$0\.0189, its first call up to \$0\.\d+; \$0\.\d+ is left/,
    );
    expect(state.batch.spent).toBeLessThanOrEqual(19_000);
    expect(state.batch.cursor).toBeGreaterThan(0);
    await extendBatch(world, { tenant: TENANT, batchId: batch.id, addMicroUsd: 1_000_000 });
    const after = await restingBatch(world, batch.id);
    expect(after.state.batch).toMatchObject({ status: 'done', counts: { succeeded: 30 }, stop: undefined });
  });

  it('gives the last row what the pool has left, and calls its end the pool’s', async () => {
    const { world } = setup([toolReply(['search_kb', { query: 'a' }])]);
    const batch = await startBatch(world, { budget: 25_000, ceilingMicroUsd: 100_000 });
    const { state, jobs } = await restingBatch(world, batch.id);
    expect(jobs[0]).toMatchObject({
      ledger: { ceiling: 25_000 },
      status: { stop: { reason: 'pool_exhausted' } },
    });
    expect(state.batch.spent).toBeLessThanOrEqual(25_000);
  });

  it('creates after a crash what it had admitted, once', async () => {
    const { world, asked } = setup([textReply('Done.')]);
    const batch = await startBatch(world);
    const dying: TestWorld = {
      ...world,
      store: { ...world.store, putInput: () => new Promise(() => undefined) },
    };
    const [message] = world.queue.receive(1, VISIBILITY_MS);
    if (message !== undefined) void handleOne(dying, message);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await world.store.loadBatch(batch.id)).toMatchObject({ cursor: 2, turn: 2 });
    expect(await jobAt(world, batch, 0)).toBeUndefined();
    await world.clock.advance(VISIBILITY_MS);
    await reconcile(world);
    const { state } = await restingBatch(world, batch.id);
    expect(state.batch).toMatchObject({ status: 'done', counts: { succeeded: 5 } });
    expect(asked).toHaveLength(5);
  });

  it('that is cancelled while jobs run cancels them and counts every row', async () => {
    const { world } = setup([toolReply(['issue_refund', { orderId: 'A', amountCents: 1 }])]);
    const batch = await startBatch(world);
    for (let n = 0; n < 4; n += 1) await handleNext(world);
    await cancelBatch(world, TENANT, batch.id);
    const { state } = await restingBatch(world, batch.id);
    const { succeeded, stopped, failed, cancelled } = state.batch.counts;
    expect(state.batch.status).toBe('cancelled');
    expect(succeeded + stopped + failed + cancelled).toBe(5);
    expect((await cancelBatch(world, 'other', batch.id)).type).toBe('not_found');
  });

  it('rests while rows wait for a person, without holding up the others', async () => {
    const { world } = setup([toolReply(['issue_refund', { orderId: 'A', amountCents: 1 }])]);
    const batch = await startBatch(world, { concurrency: 1 });
    const { state } = await restingBatch(world, batch.id);
    expect(state).toMatchObject({ atRest: true, running: 0, rows: 5 });
    expect(state.waiting).toHaveLength(5);
    expect(poolLeft(state.batch)).toBe(500_000);
  });
});

it('raises the pool once when the answer is lost and another request writes its mark over the first', async () => {
  const { world } = setup([textReply('Done.')]);
  const batch = await startBatch(world);
  let lost = 0;
  const losing: TestWorld = {
    ...world,
    store: {
      ...world.store,
      commitBatch: async (next) => {
        const answer = await world.store.commitBatch(next);
        lost += 1;
        if (lost > 1) return answer;
        await extendBatch(world, { tenant: TENANT, batchId: batch.id, addMicroUsd: 7 });
        throw new RetryableError('timeout', 'the write got no answer');
      },
    },
  };
  const extended = extendBatch(losing, { tenant: TENANT, batchId: batch.id, addMicroUsd: 1_000 });
  const [how] = await Promise.allSettled([finish(world, extended)]);
  expect((await world.store.loadBatch(batch.id))?.budget).toBe(1_001_007);
  expect(how).toMatchObject({ status: 'rejected', reason: { code: 'unknown_outcome' } });
});

describe('an extension of a job of a batch', () => {
  const stopped = async (budget: number) => {
    const { world } = setup([toolReply(['search_kb', { query: 'a' }]), textReply('Done.')], {
      limits: { maxSteps: 1 },
    });
    const rows = [{ id: 'r0', line: 2, input: 'a ticket', metadata: {} }];
    const batch = await startBatch(world, { rows, budget });
    const { state, jobs } = await restingBatch(world, batch.id);
    expect(state.batch).toMatchObject({ status: 'done', counts: { stopped: 1 } });
    return { world, batch, jobId: jobs[0]?.id ?? '' };
  };

  it('takes its money from the pool first, and the row is open again until it ends', async () => {
    const { world, batch, jobId } = await stopped(300_000);
    expect(await extend(world, { tenant: TENANT, jobId, addSteps: 3, addMicroUsd: 100_000 })).toMatchObject({
      type: 'extended',
    });
    expect((await readBatchState(world, batch.id)).batch).toMatchObject({
      open: [{ ceiling: 200_000 }],
      spent: 0,
    });
    const { state } = await restingBatch(world, batch.id);
    expect(state.batch).toMatchObject({ status: 'done', open: [], counts: { succeeded: 1, stopped: 0 } });
  });

  it('that dies after the grant only holds the money back until the batch has looked again', async () => {
    const { world, batch, jobId } = await stopped(300_000);
    const dying: TestWorld = {
      ...world,
      store: { ...world.store, commitJob: () => new Promise(() => undefined) },
    };
    void extend(dying, { tenant: TENANT, jobId, addSteps: 3 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await readBatchState(world, batch.id)).batch.open).toHaveLength(1);
    const { state } = await restingBatch(world, batch.id);
    expect(state.batch).toMatchObject({ status: 'done', open: [], counts: { stopped: 1 } });
  });

  it('that another overtook frees what the job is charged now, not what it was when the other began', async () => {
    const { world, batch, jobId } = await stopped(400_000);
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const asleep: TestWorld = {
      ...world,
      store: {
        ...world.store,
        loadBatch: async (id) => {
          await gate;
          return world.store.loadBatch(id);
        },
      },
    };
    const late = extend(asleep, { tenant: TENANT, jobId, addSteps: 1 });
    await extend(world, { tenant: TENANT, jobId, addSteps: 1 });
    await restingBatch(world, batch.id);
    open();
    expect(await late).toMatchObject({ type: 'conflict' });
    const job = await world.store.loadJob(jobId);
    expect(world.table.all().find(({ sk }) => sk === 'BATCH')).toMatchObject({
      counts: { succeeded: 1, stopped: 0 },
      spent: job?.ledger.settled,
    });
  });

  it('of a batch that is paused comes to rest again once the job has ended', async () => {
    const dear = withOutput(toolReply(['search_kb', { query: 'a' }]), 4_000);
    const { world } = setup([dear], { limits: { maxSteps: 1 } });
    const batch = await startBatch(world, {
      rows: rowsOf(2),
      budget: 72_000,
      ceilingMicroUsd: 70_000,
      concurrency: 1,
    });
    const { state, jobs } = await restingBatch(world, batch.id);
    expect(state.batch).toMatchObject({ status: 'paused', stop: { reason: 'pool_exhausted' } });
    const jobId = jobs[0]?.id ?? '';
    expect(await extend(world, { tenant: TENANT, jobId, addSteps: 1 })).toMatchObject({ type: 'extended' });
    for (let n = 0; n < 20 && world.queue.messages().length > 0; n += 1) await handleNext(world);
    expect(world.queue.messages()).toEqual([]);
    expect((await readBatchState(world, batch.id)).batch).toMatchObject({ status: 'paused', dueAtMs: 0 });
  });
});
