import { describe, expect, it } from 'vitest';
import { addRows, closeBatch } from '../../src/app/add-rows.ts';
import { viewBatch } from '../../src/app/batch-views.ts';
import { createBatch, submitBatch } from '../../src/app/batches.ts';
import { cancelBatch, extendBatch, pauseBatch, resumeBatch } from '../../src/app/manage-batch.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { type Batch, isResting, MAX_CHUNKS, rowsOf, UNLIMITED } from '../../src/core/batch.ts';
import { deliver, runFor, runUntilIdle, VISIBILITY_MS } from '../support/drive.ts';
import { dieEverywhere, dyingAt } from '../support/dying.ts';
import { textReply, toolReply } from '../support/fake-model.ts';
import {
  headOf,
  inputs,
  inputsOf,
  openBatch,
  row,
  rows,
  setup,
  submitted,
  tenant,
} from '../support/field-batch.ts';
import type { TestWorld } from '../support/world.ts';

describe('a batch that is submitted', () => {
  it('runs rows of text and of objects, and refuses alone those that are not as they must be', async () => {
    const { world } = setup();
    const wrong = [{ id: 'x'.repeat(257), input: 'a' }, { id: 'r9', input: 'a'.repeat(262_145) }, 'text'];
    const wanted = {
      tenant,
      agent: 'field',
      open: false,
      rows: [row(0), ...wrong, { id: 'o', input: { a: 1 } }],
    };
    const answer = await submitBatch(world, { ...wanted, refused: [{ id: '', reason: 'line 9: no JSON' }] });
    expect(answer).toMatchObject({
      type: 'created',
      batch: { budget: UNLIMITED, concurrency: 40, rejected: 4 },
      rejected: [
        { id: '', reason: 'line 9: no JSON' },
        { id: '', reason: 'row 2: id: it must be text of 1 to 256 visible characters' },
        { id: 'r9', reason: 'input: 262145 bytes, the most is 262144' },
        { id: '', reason: 'row 4: a row must be an object: {id, input, metadata?}' },
      ],
    });
    await runUntilIdle(world);
    const id = 'batch' in answer ? answer.batch.id : '';
    expect(await viewBatch(world, tenant, id)).toMatchObject({
      ...{ status: 'done', rows: 6, counts: { succeeded: 2, rejected: 4 } },
      cost: { budgetUsd: null, reservedUsd: 0 },
    });
  });

  it('has a row whose id comes again once, with what came first', async () => {
    const { world, asked } = setup();
    const twice = (n: number) => [row(n, `ticket first${n}`), row(n, 'ticket second')];
    const batch = await submitted(world, { rows: [...twice(1), row(2)], open: true });
    await addRows(world, { tenant, batchId: batch.id, rows: [...twice(3), ...twice(1)] });
    const known = [...twice(4), row(5)].map((one) => ({ ...one, line: 0, metadata: {} }));
    const made = await createBatch(world, {
      tenant,
      agent: 'field',
      key: 'k',
      rows: known,
      budget: UNLIMITED,
      concurrency: 9,
    });
    await runUntilIdle(world);
    expect(rowsOf(made)).toBe(2);
    const first = [1, 3, 4].map((n) => `ticket first${n}`);
    expect(inputs(asked)).toEqual(['ticket 2', 'ticket 5', ...first]);
  });

  it('may have nothing but refused rows, and is done', async () => {
    const { world } = setup();
    const batch = await submitted(world, { rows: Array.from({ length: 2_100 }, () => ({ id: '' })) });
    await runUntilIdle(world);
    expect(await headOf(world, batch)).toMatchObject({ status: 'done', rejected: 1 });
  });

  it('is the same under the same key and body, whoever comes when; another body conflicts', async () => {
    const { world, asked } = setup();
    const wanted = { tenant, agent: 'field', rows: rows(0, 3), open: false, key: 'k' };
    const two = await Promise.all([submitBatch(world, wanted), submitBatch(world, wanted)]);
    expect(two.map(({ type }) => type).sort()).toEqual(['created', 'same']);
    const other = await submitBatch(world, { ...wanted, rows: rows(1, 3) });
    expect(other.type).toBe('key_conflict');
    await runUntilIdle(world);
    expect(await submitBatch(world, wanted)).toMatchObject({ type: 'same', batch: { status: 'done' } });
    expect((await submitBatch(world, { ...wanted, tenant: 'other' })).type).toBe('created');
    expect(inputs(asked)).toEqual(inputsOf(0, 3));
  });

  it('keeps one body when two come at once under one key', async () => {
    const { world, asked } = setup();
    const answers = await Promise.all(
      [rows(0, 3), rows(5, 9)].map((some) =>
        submitBatch(world, { tenant, agent: 'field', rows: some, open: false, key: 'k' }),
      ),
    );
    expect(answers.map(({ type }) => type)).toEqual(['created', 'key_conflict']);
    await runUntilIdle(world);
    expect(inputs(asked)).toEqual(inputsOf(0, 3));
  });

  it('keeps the body of a caller that died before its rows, whoever comes with another', async () => {
    const { world, asked } = setup();
    const wanted = { tenant, agent: 'field', rows: rows(0, 3), open: false, key: 'k' };
    const dying = dyingAt(world, 1, 'after');
    void submitBatch(dying.world, wanted);
    await dying.died;
    expect((await submitBatch(world, { ...wanted, rows: rows(5, 9) })).type).toBe('key_conflict');
    expect((await submitBatch(world, wanted)).type).toBe('created');
    await runUntilIdle(world);
    expect(inputs(asked)).toEqual(inputsOf(0, 3));
  });
});

describe('an open batch', () => {
  it('runs what is added, rests without a turn, and is done once it is closed', async () => {
    const { world, asked } = setup();
    const batch = await submitted(world, { rows: [], open: true });
    expect(world.queue.messages()).toEqual([]);
    const added = await addRows(world, { tenant, batchId: batch.id, rows: [...rows(0, 4), { id: 'bad' }] });
    expect(added).toMatchObject({ type: 'accepted', rejected: [{ id: 'bad' }] });
    await runUntilIdle(world);
    const rested = await headOf(world, batch);
    expect(rested).toMatchObject({ counts: { succeeded: 4 }, rejected: 1, endedAtMs: 0 });
    expect(isResting(rested)).toBe(true);
    await runFor(world, 60);
    const later = await headOf(world, batch);
    expect(later.turn).toBe(rested.turn);
    expect(later.version - rested.version).toBeLessThanOrEqual(5);
    expect(later.version).toBeGreaterThan(rested.version);
    await addRows(world, { tenant, batchId: batch.id, rows: rows(2, 6) });
    await runUntilIdle(world);
    expect(await closeBatch(world, tenant, batch.id)).toMatchObject({ batch: { status: 'done' } });
    expect(await closeBatch(world, tenant, batch.id)).toMatchObject({ type: 'accepted' });
    expect(inputs(asked)).toEqual(inputsOf(0, 6));
  });

  it('takes no rows once it is closed or cancelled, but says yes to those that it has', async () => {
    const { world } = setup();
    const batch = await submitted(world, { open: true });
    await addRows(world, { tenant, batchId: batch.id, rows: rows(3, 5) });
    await closeBatch(world, tenant, batch.id);
    const add = (some: readonly unknown[]) => addRows(world, { tenant, batchId: batch.id, rows: some });
    expect(await add(rows(3, 5))).toMatchObject({ type: 'accepted' });
    expect(await add(rows(3, 6))).toMatchObject({ type: 'conflict', why: 'the batch takes no more rows' });
    await cancelBatch(world, tenant, batch.id);
    expect(await add(rows(3, 6))).toMatchObject({ type: 'conflict', why: 'the batch is cancelled' });
    expect((await addRows(world, { tenant: 'other', batchId: batch.id, rows: [] })).type).toBe('not_found');
  });

  it('counts rows once that two callers add at the same time', async () => {
    const { world, asked } = setup();
    const batch = await submitted(world, { rows: [], open: true });
    const bad = { id: 'bad' };
    await Promise.all([
      addRows(world, { tenant, batchId: batch.id, rows: [...rows(0, 1_500), bad] }),
      addRows(world, { tenant, batchId: batch.id, rows: [...rows(900, 2_000), bad] }),
    ]);
    const head = await headOf(world, batch);
    expect([rowsOf(head), head.rejected]).toEqual([2_000, 1]);
    await closeBatch(world, tenant, batch.id);
    await runUntilIdle(world, { maxMessages: 10_000 });
    expect(inputs(asked)).toEqual(inputsOf(0, 2_000));
  }, 60_000);

  it('keeps what came first of a row, whatever a slower caller of the same id writes late', async () => {
    const { world, asked } = setup();
    const batch = await submitted(world, { rows: [], open: true });
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const slow: TestWorld = {
      ...world,
      store: {
        ...world.store,
        putRows: async (...given) => {
          await gate;
          await world.store.putRows(...given);
        },
      },
    };
    const late = addRows(slow, { tenant, batchId: batch.id, rows: [row(1, 'ticket late')] });
    await addRows(world, { tenant, batchId: batch.id, rows: [row(1, 'ticket early')] });
    go();
    expect(await late).toMatchObject({ type: 'accepted', batch: { chunks: [1] } });
    await runUntilIdle(world);
    expect(inputs(asked)).toEqual(['ticket early']);
  });

  it.each(['close', 'look of the reconciler', 'other rows'])(
    'takes in rows whose adder died before the head could list them, by the next %s',
    async (how) => {
      const { world, batch, asked } = await openBatch();
      const dying = dyingAt(world, 2, 'after');
      void addRows(dying.world, { tenant, batchId: batch.id, rows: rows(2, 5) });
      await dying.died;
      expect(rowsOf(await headOf(world, batch))).toBe(2);
      if (how === 'close') await closeBatch(world, tenant, batch.id);
      else if (how === 'other rows') await addRows(world, { tenant, batchId: batch.id, rows: rows(0, 6) });
      await runFor(world, 20);
      expect(inputs(asked)).toEqual(inputsOf(0, how === 'other rows' ? 6 : 5));
    },
  );

  it('takes them in with its next turn while it runs', async () => {
    const { world, asked } = setup();
    const batch = await submitted(world, { rows: rows(0, 2), open: true });
    const dying = dyingAt(world, 2, 'after');
    void addRows(dying.world, { tenant, batchId: batch.id, rows: rows(2, 5) });
    await dying.died;
    await runUntilIdle(world);
    expect(inputs(asked)).toEqual(inputsOf(0, 5));
  });

  it('is closed once when its closer dies at any write and comes again', async () => {
    let made = await openBatch();
    const close = (world: TestWorld) => closeBatch(world, tenant, made.batch.id);
    const writes = await dieEverywhere(
      async () => {
        made = await openBatch();
        await addRows(made.world, { tenant, batchId: made.batch.id, rows: rows(2, 4) });
        return made.world;
      },
      close,
      async (world, where) => {
        expect((await close(world)).type, where).toBe('accepted');
        await world.clock.advance(120_000);
        await reconcile(world);
        await runUntilIdle(world);
        expect(await headOf(world, made.batch), where).toMatchObject({
          status: 'done',
          counts: { succeeded: 4 },
        });
      },
    );
    expect(writes).toBe(2);
  });

  it('says its bounds when rows would pass them, and takes none of those', async () => {
    const { world, batch } = await openBatch();
    const add = (some: readonly unknown[]) => addRows(world, { tenant, batchId: batch.id, rows: some });
    const head = await headOf(world, batch);
    const listed = {
      ...head,
      version: head.version + 1,
      chunks: Array.from({ length: MAX_CHUNKS }, () => 0),
    };
    await world.store.commitBatch({ ...listed, chunks: [2, 99_990] });
    expect(await add(rows(2, 11))).toEqual({
      type: 'conflict',
      why: 'a batch has 100000 rows at most, these would make 100001',
    });
    await world.store.commitBatch({ ...listed, version: head.version + 2 });
    expect(await add(rows(2, 3))).toMatchObject({
      why: 'rows can be added to a batch 5000 times at most: add more at once',
    });
  });
});

describe('a pause', () => {
  it('admits nothing from the next turn on, lets open jobs end, and rests until somebody resumes', async () => {
    const { world, asked } = setup();
    const batch = await submitted(world, { rows: rows(0, 20), concurrency: 3 });
    const [first] = world.queue.receive(1, VISIBILITY_MS);
    if (first !== undefined) await deliver(world, first);
    expect(await headOf(world, batch)).toMatchObject({ cursor: 3 });
    expect(await pauseBatch(world, tenant, batch.id)).toMatchObject({ batch: { status: 'paused' } });
    expect(await pauseBatch(world, tenant, batch.id)).toMatchObject({ type: 'accepted' });
    await runUntilIdle(world);
    const paused = await headOf(world, batch);
    expect(paused).toMatchObject({ cursor: 3, open: [], status: 'paused', dueAtMs: 0, stop: undefined });
    await runFor(world, 60);
    expect((await headOf(world, batch)).version).toBe(paused.version);
    await extendBatch(world, { tenant, batchId: batch.id, addMicroUsd: 5 });
    expect(await headOf(world, batch)).toMatchObject({ status: 'paused', dueAtMs: 0 });
    expect(await resumeBatch(world, tenant, batch.id)).toMatchObject({ batch: { status: 'running' } });
    expect(await resumeBatch(world, tenant, batch.id)).toMatchObject({ type: 'accepted' });
    await runUntilIdle(world);
    expect(await headOf(world, batch)).toMatchObject({ status: 'done', counts: { succeeded: 20 } });
    expect(inputs(asked)).toEqual(inputsOf(0, 20));
    expect(await pauseBatch(world, tenant, batch.id)).toMatchObject({ type: 'conflict' });
    expect(await pauseBatch(world, 'other', batch.id)).toMatchObject({ type: 'not_found' });
  });

  it('of a turn that is under way makes that turn look again', async () => {
    const { world } = setup();
    const batch = await submitted(world, { rows: rows(0, 20), concurrency: 3 });
    const meddled: TestWorld = {
      ...world,
      store: {
        ...world.store,
        commitBatch: async (next) => {
          if (next.cursor > 0) await pauseBatch(world, tenant, batch.id);
          return world.store.commitBatch(next);
        },
      },
    };
    const [first] = world.queue.receive(1, VISIBILITY_MS);
    if (first !== undefined) await deliver(meddled, first);
    expect(await headOf(world, batch)).toMatchObject({ cursor: 0, status: 'paused', dueAtMs: 0 });
  });

  it('keeps rows that are added, and a resumed batch runs them', async () => {
    const { world, asked } = setup();
    const batch = await submitted(world, { open: true });
    await runUntilIdle(world);
    await pauseBatch(world, tenant, batch.id);
    await addRows(world, { tenant, batchId: batch.id, rows: rows(3, 6) });
    await closeBatch(world, tenant, batch.id);
    await runFor(world, 20);
    expect(asked).toHaveLength(3);
    await resumeBatch(world, tenant, batch.id);
    await runUntilIdle(world);
    expect(inputs(asked)).toEqual(inputsOf(0, 6));
    expect(await headOf(world, batch)).toMatchObject({ status: 'done' });
  });

  it('by the pool ends with an extension and not with a resume', async () => {
    const { world } = setup();
    const money = { budgetMicroUsd: 19_000, ceilingMicroUsd: 18_900 };
    const batch = await submitted(world, { ...money, rows: rows(0, 30), concurrency: 1 });
    await runUntilIdle(world);
    const why = expect.stringContaining('extend it');
    expect(await resumeBatch(world, tenant, batch.id)).toMatchObject({ type: 'conflict', why });
    await extendBatch(world, { tenant, batchId: batch.id, addMicroUsd: 1_000_000 });
    await runUntilIdle(world);
    expect(await headOf(world, batch)).toMatchObject({ status: 'done', counts: { succeeded: 30 } });
  });
});

describe('an extension of a batch', () => {
  it('raises the pool once under one key, and refuses the key for another sum', async () => {
    const { world } = setup();
    const batch = await submitted(world, { budgetMicroUsd: 1_000_000 });
    const extension = { tenant, batchId: batch.id, addMicroUsd: 7, key: 'k' };
    await extendBatch(world, extension);
    await extendBatch(world, { ...extension, key: 'other' });
    expect(await extendBatch(world, extension)).toMatchObject({ batch: { budget: 1_000_014 } });
    expect(await extendBatch(world, { ...extension, addMicroUsd: 8 })).toEqual({ type: 'key_conflict' });
    for (let n = 0; n < 25; n += 1) await extendBatch(world, { ...extension, key: `k${n}` });
    expect((await headOf(world, batch)).keys).toHaveLength(20);
    expect((await headOf(world, batch)).budget).toBe(1_000_189);
  });

  it('is refused for a batch without a pool', async () => {
    const { world } = setup();
    const batch = await submitted(world);
    const answer = await extendBatch(world, { tenant, batchId: batch.id, addMicroUsd: 7 });
    expect(answer).toMatchObject({ type: 'conflict', why: 'the batch has no budget that could be raised' });
  });
});

describe('a cancel', () => {
  const cancelled = async (world: TestWorld, batch: Batch): Promise<void> => {
    expect((await cancelBatch(world, tenant, batch.id)).type).toBe('accepted');
    await runUntilIdle(world);
    const head = await headOf(world, batch);
    expect(head).toMatchObject({ status: 'cancelled', open: [], dueAtMs: 0, stop: undefined });
    expect(await viewBatch(world, tenant, batch.id)).toMatchObject({
      status: 'cancelled',
      rows: rowsOf(head),
    });
    expect((await cancelBatch(world, tenant, batch.id)).type).toBe('accepted');
    expect((await resumeBatch(world, tenant, batch.id)).type).toBe('conflict');
  };

  it('ends a paused batch at once, an open one that rests, and one that has not begun', async () => {
    const { world } = setup();
    const paused = await submitted(world, { rows: rows(0, 9), concurrency: 1 });
    await pauseBatch(world, tenant, paused.id);
    await cancelled(world, paused);
    const resting = await submitted(world, { open: true });
    await runUntilIdle(world);
    await cancelled(world, resting);
    expect(await headOf(world, resting)).toMatchObject({ counts: { succeeded: 3 }, accepting: false });
    await cancelled(world, await submitted(world));
  });

  it('ends jobs that wait for a person, also of a paused batch', async () => {
    const { world } = setup([toolReply(['issue_refund', { orderId: 'A', amountCents: 1 }])]);
    const batch = await submitted(world, { rows: rows(0, 9), concurrency: 1 });
    for (let n = 0; n < 12; n += 1) {
      await world.clock.advance(Math.max(0, (world.queue.nextVisibleMs() ?? 0) - world.clock.now()));
      for (const message of world.queue.receive(1, VISIBILITY_MS)) await deliver(world, message);
    }
    expect((await viewBatch(world, tenant, batch.id))?.counts.awaiting_approval).toBeGreaterThan(0);
    await pauseBatch(world, tenant, batch.id);
    await cancelled(world, batch);
    expect(await headOf(world, batch)).toMatchObject({ counts: { cancelled: 9 } });
  });
});

describe('batches of one tenant', () => {
  it('share its places equally while they admit, and one alone has them all', async () => {
    const { world } = setup([toolReply(['search_kb', { query: 'a' }]), textReply('Done.')]);
    const shared: TestWorld = { ...world, batchShare: 10 };
    const both = [
      await submitted(shared, { rows: rows(0, 60) }),
      await submitted(shared, { rows: rows(0, 60) }),
    ];
    const other = await submitted(shared, { tenant: 'other', rows: rows(0, 60) });
    const most = new Map<string, number>();
    const watched: TestWorld = {
      ...shared,
      store: {
        ...shared.store,
        commitBatch: (next) => {
          most.set(next.id, Math.max(most.get(next.id) ?? 0, next.open.length));
          return shared.store.commitBatch(next);
        },
      },
    };
    await runUntilIdle(watched, { maxMessages: 5_000 });
    expect(both.map(({ id }) => most.get(id))).toEqual([5, 5]);
    expect(most.get(other.id)).toBe(10);
  });

  it('count each other at most every ten seconds', async () => {
    const { world } = setup();
    let lists = 0;
    const counted: TestWorld = {
      ...world,
      store: {
        ...world.store,
        listOf: (...given) => {
          lists += 1;
          return world.store.listOf(...given);
        },
      },
    };
    await submitted(counted, { rows: rows(0, 200), concurrency: 5 });
    const beganMs = world.clock.now();
    await runUntilIdle(counted, { maxMessages: 5_000 });
    expect(lists).toBeLessThanOrEqual(1 + Math.ceil((world.clock.now() - beganMs) / 10_000));
  });
});

describe('a turn', () => {
  it('follows at once where rows ended and others wait, and only then', async () => {
    const { world } = setup();
    const batch = await submitted(world, { rows: rows(0, 200), concurrency: 10 });
    const beganMs = world.clock.now();
    await runUntilIdle(world, { maxMessages: 2_000 });
    const { turn, counts } = await headOf(world, batch);
    const seconds = (world.clock.now() - beganMs) / 1_000;
    expect(counts.succeeded).toBe(200);
    // Every turn at once has seen rows end, ten together here; every other one has waited for a second.
    expect(turn).toBeLessThanOrEqual(2 + 20 + seconds);
    expect(seconds).toBeLessThanOrEqual(5);
  });

  it('waits its second while the jobs that fill the batch run', async () => {
    const { world } = setup([{ type: 'wait', billed: 'no', retryAfterMs: 600_000, problem: '529' }]);
    const batch = await submitted(world, { rows: rows(0, 30), concurrency: 10 });
    const beganMs = world.clock.now();
    await runUntilIdle(world, { maxMessages: 100 }).catch(() => undefined);
    const { turn } = await headOf(world, batch);
    expect(turn).toBeLessThanOrEqual(3 + (world.clock.now() - beganMs) / 1_000);
  });
});
