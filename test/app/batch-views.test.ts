import { describe, expect, it } from 'vitest';
import { approvalsOf, judge } from '../../src/app/approve.ts';
import {
  batchResults,
  positionText,
  type ResultsPosition,
  readPosition,
} from '../../src/app/batch-results.ts';
import { type BatchView, jobsOfBatch, listBatches, viewBatch } from '../../src/app/batch-views.ts';
import { createBatch, submitBatch } from '../../src/app/batches.ts';
import { cancelBatch, pauseBatch } from '../../src/app/manage-batch.ts';
import type { Place } from '../../src/app/store.ts';
import { MAX_OPEN } from '../../src/core/batch.ts';
import type { Model } from '../../src/ports.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { deliver, runUntilIdle, VISIBILITY_MS } from '../support/drive.ts';
import { textReply, toolReply } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const tenant = 'default';

/** Answers by what the input holds: `bad` fails, `gated` waits for a person, `long` takes more steps, all others end. */
const model: Model = {
  ask: async ({ messages }) => {
    const input = JSON.stringify(messages[0]?.content);
    if (input.includes('bad')) {
      return { type: 'refused', reason: 'rejected_request', problem: '400', words: 'no' };
    }
    if (messages.length > 1) return textReply('Done.');
    if (input.includes('gated')) return toolReply(['issue_refund', { orderId: 'A', amountCents: 1 }]);
    return input.includes('long') ? toolReply(['search_kb', { query: 'a' }]) : textReply('Done.');
  },
};

async function started(
  kinds: readonly string[],
  changes: object = {},
): Promise<{ world: TestWorld; id: string }> {
  const world = memoryWorld({ agents: fieldAgents(newEffects()), model });
  const rows = kinds.map((kind, at) => ({ id: `r${at}`, input: `${kind} ${at}`, metadata: { at } }));
  const answer = await submitBatch(world, { tenant, agent: 'field', rows, open: false, ...changes });
  return { world, id: 'batch' in answer ? answer.batch.id : '' };
}

/** Moves the clock to the next message and handles it; false when there is none. */
async function handleNext(world: TestWorld): Promise<boolean> {
  const next = world.queue.nextVisibleMs();
  if (next === undefined) return false;
  await world.clock.advance(Math.max(0, next - world.clock.now()));
  for (const message of world.queue.receive(1, VISIBILITY_MS)) await deliver(world, message);
  return true;
}

async function seen(world: TestWorld, id: string): Promise<BatchView> {
  const view = await viewBatch(world, tenant, id);
  if (view === undefined) throw new Error('no view');
  return view;
}

const sum = (counts: BatchView['counts']): number => Object.values(counts).reduce((a, b) => a + b, 0);
const mixed = (count: number) =>
  Array.from({ length: count }, (_, at) => (at % 7 === 3 ? 'bad' : at % 5 === 2 ? 'long' : 'plain'));
const badOf = (count: number) => mixed(count).filter((kind) => kind === 'bad').length;

describe('the view of a batch', () => {
  it('has counts that add up to the rows at every poll, and one failing row never stops the rest', async () => {
    const { world, id } = await started(mixed(200), {
      refused: [{ id: '', reason: 'line 1' }],
      budgetMicroUsd: 30_000_000,
    });
    const turning: TestWorld = {
      ...world,
      // Between the batch's head and the heads of its jobs the world goes on.
      store: {
        ...world.store,
        loadJobs: async (ids) => {
          await handleNext(world);
          return world.store.loadJobs(ids);
        },
      },
    };
    let most = 0;
    let spent = 0;
    for (let going = true; going; going = await handleNext(world)) {
      for (const view of [await seen(world, id), await seen(turning, id)]) {
        expect(sum(view.counts)).toBe(201);
        const { spentUsd, reservedUsd, budgetUsd } = view.cost;
        expect(spentUsd + reservedUsd).toBeLessThanOrEqual(Number(budgetUsd));
        expect(spentUsd).toBeGreaterThanOrEqual(spent);
        spent = spentUsd;
        most = Math.max(most, view.counts.running + view.counts.queued);
      }
    }
    const view = await seen(world, id);
    expect(view).toMatchObject({
      ...{ status: 'done', stop: null, rows: 201, agent: 'field', forecastFinishedAt: null },
      counts: { failed: badOf(200), succeeded: 200 - badOf(200), rejected: 1, queued: 0, running: 0 },
    });
    expect(view.finishedAt).not.toBeNull();
    expect(view.cost).toMatchObject({ forecastUsd: view.cost.spentUsd, reservedUsd: 0, budgetUsd: 30 });
    expect(most).toBe(200);
  });

  it('counts a row that is admitted and not made as queued, and one that ended unseen by its end', async () => {
    const { world, id } = await started(['plain', 'bad', 'plain'], { concurrency: 2 });
    const dying: TestWorld = {
      ...world,
      store: { ...world.store, putInput: () => new Promise(() => undefined) },
    };
    const [first] = world.queue.receive(1, 1);
    if (first !== undefined) void deliver(dying, first);
    for (let n = 0; n < 50; n += 1) await Promise.resolve();
    expect((await world.store.loadBatch(id))?.open).toHaveLength(2);
    expect((await seen(world, id)).counts).toMatchObject({ queued: 3, running: 0 });
    await world.clock.advance(120_000);
    await runUntilIdle(world);
    const other = await started(['plain', 'bad', 'plain'], { concurrency: 2 });
    for (let n = 0; n < 3; n += 1) await handleNext(other.world);
    expect((await other.world.store.loadBatch(other.id))?.counts).toMatchObject({ succeeded: 0, failed: 0 });
    expect(await seen(other.world, other.id)).toMatchObject({
      counts: { succeeded: 1, failed: 1, queued: 1 },
      cost: { reservedUsd: 0 },
    });
  });

  it('foresees cost and end from the rows that have ended', async () => {
    const { world, id } = await started(
      Array.from({ length: 40 }, () => 'plain'),
      { concurrency: 10 },
    );
    expect(await seen(world, id)).toMatchObject({
      ...{ forecastFinishedAt: null, finishedAt: null },
      cost: { spentUsd: 0, forecastUsd: null, budgetUsd: null },
    });
    for (let n = 0; n < 12; n += 1) await handleNext(world);
    const half = await seen(world, id);
    await pauseBatch(world, tenant, id);
    expect(await seen(world, id)).toMatchObject({ status: 'paused', stop: null, forecastFinishedAt: null });
    expect(half.counts.succeeded).toBe(10);
    expect(half.cost.forecastUsd).toBeCloseTo(half.cost.spentUsd * 4, 6);
    const elapsedMs = world.clock.now() - Date.parse(half.createdAt);
    expect(Date.parse(half.forecastFinishedAt ?? '')).toBe(world.clock.now() + 3 * elapsedMs);
  });

  it('says why it is paused when its pool is used up', async () => {
    const { world, id } = await started(
      Array.from({ length: 30 }, () => 'plain'),
      {
        ...{ budgetMicroUsd: 19_000, ceilingMicroUsd: 18_900 },
      },
    );
    await runUntilIdle(world);
    const view = await seen(world, id);
    expect(view).toMatchObject({ status: 'paused', stop: { reason: 'pool_exhausted', resumable: true } });
    expect(view.counts.queued).toBeGreaterThan(0);
    expect(view.cost.spentUsd).toBeLessThanOrEqual(0.019);
  });

  it('is nobody else’s', async () => {
    const { world, id } = await started(['plain']);
    expect(await viewBatch(world, 'other', id)).toBeUndefined();
    expect(await batchResults(world, 'other', id, { limit: 5 })).toBeUndefined();
    expect(await jobsOfBatch(world, 'other', id, { limit: 5 })).toBeUndefined();
    expect(await listBatches(world, 'other', { limit: 5 })).toEqual({ batches: [], next: undefined });
  });
});

it('lists batches newest first, page by page', async () => {
  const { world, id } = await started(['plain']);
  const ids = [id];
  for (let n = 0; n < 4; n += 1) {
    await world.clock.advance(1_000);
    const answer = await submitBatch(world, { tenant, agent: 'field', rows: [], open: true });
    ids.unshift('batch' in answer ? answer.batch.id : '');
  }
  const listed: string[] = [];
  let after: Place | undefined;
  do {
    const page = await listBatches(world, tenant, { limit: 2, ...(after === undefined ? {} : { after }) });
    listed.push(...page.batches.map((batch) => batch.id));
    expect(page.batches.length).toBeLessThanOrEqual(2);
    after = page.next;
  } while (after !== undefined);
  expect(listed).toEqual(ids);
  expect((await seen(world, ids[0] ?? '')).status).toBe('open');
});

it('lists the jobs of a batch newest first, page by page', async () => {
  const { world, id } = await started(mixed(7));
  await handleNext(world);
  const listed: string[] = [];
  let after: Place | undefined;
  for (;;) {
    const page = { limit: 3, ...(after === undefined ? {} : { after }) };
    const places = (await jobsOfBatch(world, tenant, id, page)) ?? [];
    listed.push(...places.map((place) => place.id));
    after = places.at(-1);
    if (places.length < 3) break;
  }
  const infos = await Promise.all(listed.map((jobId) => world.store.readInfo(jobId)));
  expect(infos.map((info) => info?.rowId)).toEqual(['r6', 'r5', 'r4', 'r3', 'r2', 'r1', 'r0']);
});

describe('the results of a batch', () => {
  /** Follows positions to the end of what there is, and from there again after each message. */
  async function follow(
    world: TestWorld,
    id: string,
    limit: number,
    between = async () => {},
  ): Promise<string[]> {
    const got: string[] = [];
    let from: ResultsPosition | undefined;
    for (let going = true; going; ) {
      going = await handleNext(world);
      await between();
      for (;;) {
        const text: string = positionText(from ?? { at: 0, passed: [] });
        const page = { limit, from: readPosition(text) ?? { at: -1, passed: [] } };
        const answer = await batchResults(world, tenant, id, page);
        const ids = answer?.results.map((result) => result.id) ?? [];
        expect(ids.length).toBeLessThanOrEqual(limit);
        const ordinals = ids.map((rowId) => Number(rowId.slice(1)));
        expect(ordinals).toEqual([...ordinals].sort((a, b) => a - b));
        got.push(...ids);
        if (answer?.next === undefined) break;
        from = answer.next;
      }
    }
    return got;
  }
  const all = (count: number) => Array.from({ length: count }, (_, at) => `r${at}`).sort();

  it.each([1, 3, 200])(
    'give every row once to a reader that follows while it runs, %i at a time',
    async (limit) => {
      const { world, id } = await started(mixed(30), { concurrency: 4 });
      const got = await follow(world, id, limit);
      expect(got.sort()).toEqual(all(30));
    },
  );

  it('pass a row that waits for a person and give it once it has ended', async () => {
    const { world, id } = await started(['gated', 'plain', 'gated', 'plain', 'long'], { concurrency: 5 });
    let decided = false;
    const got = await follow(world, id, 2, async () => {
      const { counts } = await seen(world, id);
      if (decided || counts.awaiting_approval < 2 || counts.succeeded < 3) return;
      decided = true;
      const first = await batchResults(world, tenant, id, { limit: 9 });
      expect(first?.results.map((result) => result.id)).toEqual(['r1', 'r3', 'r4']);
      for (const { id: jobId } of (await jobsOfBatch(world, tenant, id, { limit: 9 })) ?? []) {
        const job = await world.store.loadJob(jobId);
        const [ask] = job === undefined ? [] : await approvalsOf(world, job);
        if (ask !== undefined) {
          await judge(world, { tenant, jobId, callId: ask.callId, decision: 'deny' });
        }
      }
    });
    expect(decided).toBe(true);
    expect(got.slice(3)).toEqual(expect.arrayContaining(['r0', 'r2']));
    expect(got.sort()).toEqual(all(5));
  });

  it('have all that is to be known of each row', async () => {
    const { world, id } = await started(['plain', 'bad']);
    await runUntilIdle(world);
    const page = await batchResults(world, tenant, id, { limit: 9 });
    expect(page?.next).toBeUndefined();
    expect(page?.results).toMatchObject([
      { id: 'r0', status: 'succeeded', text: 'Done.', steps: 1, error: null, metadata: { at: 0 } },
      { id: 'r1', status: 'failed', stop: { reason: 'rejected_request' }, error: expect.any(String) },
    ]);
    expect(Object.keys(page?.results[0] ?? {}).sort()).toEqual([
      'cost',
      'error',
      'id',
      'jobId',
      'line',
      'metadata',
      'needsReview',
      'output',
      'status',
      'steps',
      'stop',
      'text',
      'usage',
    ]);
  });

  it('of a cancelled batch have the rows too that never got a job', async () => {
    const { world, id } = await started(mixed(9), { concurrency: 2 });
    await handleNext(world);
    await cancelBatch(world, tenant, id);
    await runUntilIdle(world);
    const page = await batchResults(world, tenant, id, { limit: 50 });
    expect(page?.results.map((result) => result.id)).toEqual(mixed(9).map((_, at) => `r${at}`));
    expect(page?.results.at(-1)).toMatchObject({ jobId: null, status: 'cancelled', metadata: { at: 8 } });
  });

  it('of rows with nothing to ask a model about are there like any others', async () => {
    const { world } = await started([]);
    const rows = [{ id: 'r0', line: 1, input: '', metadata: {}, output: { needs_human: true } }];
    const { id } = await createBatch(world, {
      ...{ tenant, agent: 'field', key: 'k', rows, budget: 1_000_000, concurrency: 1 },
    });
    await runUntilIdle(world);
    expect((await batchResults(world, tenant, id, { limit: 1 }))?.results).toMatchObject([
      { status: 'succeeded', output: { needs_human: true }, steps: 0, needsReview: true },
    ]);
  });

  it('are given behind as many rows as can wait for people at once', async () => {
    const { world, id } = await started(Array.from({ length: MAX_OPEN + 5 }, () => 'plain'));
    await cancelBatch(world, tenant, id);
    const waits = (ordinal: number): boolean => ordinal > 2 && ordinal < MAX_OPEN + 3;
    const ordinals = Array.from({ length: MAX_OPEN + 5 }, (_, ordinal) => ordinal);
    const open = ordinals.filter(waits).map((ordinal) => ({ ordinal, ceiling: 1, grant: 0 }));
    const loadBatch = async (batchId: string) => {
      const batch = await world.store.loadBatch(batchId);
      return batch && { ...batch, open, cursor: ordinals.length, endedAtMs: 0 };
    };
    const reading = { ...world, store: { ...world.store, loadBatch } };
    const page = await batchResults(reading, tenant, id, { limit: 20 });
    const expected = ordinals.filter((ordinal) => !waits(ordinal)).map((ordinal) => `r${ordinal}`);
    expect(page?.results.map((result) => result.id)).toEqual(expected);
    const text = positionText(page?.next ?? { at: 0, passed: [] });
    expect(text.length).toBeLessThan(8_192);
    expect(readPosition(text)).toEqual(page?.next);
  });

  it.each(['', 'x.', '5.5', '5.1.0', '5.-1', 'A', '5.1.4', '99999'])('refuse %j as a position', (text) => {
    expect(readPosition(text)).toBeUndefined();
  });
});
