import { expect, it } from 'vitest';
import { addRows, closeBatch } from '../../src/app/add-rows.ts';
import { submitBatch } from '../../src/app/batches.ts';
import { rowsOf } from '../../src/core/batch.ts';
import { runUntilIdle } from '../support/drive.ts';
import { dieEverywhere } from '../support/dying.ts';
import { headOf, inputs, inputsOf, openBatch, rows, setup, tenant } from '../support/field-batch.ts';
import type { TestWorld } from '../support/world.ts';

it('loses and doubles nothing of a batch when its caller dies at any write and comes again', async () => {
  const wanted = {
    tenant,
    agent: 'field',
    rows: rows(0, 1_005),
    open: false,
    key: 'k',
    concurrency: 2_000,
  };
  let asked: ReturnType<typeof setup>['asked'] = [];
  const writes = await dieEverywhere(
    async () => {
      const made = setup();
      asked = made.asked;
      return { ...made.world, batchShare: 2_000 };
    },
    (world) => submitBatch(world, wanted),
    async (world, where) => {
      if (world.table.all().some(({ sk }) => sk === 'KEY')) {
        const other = await submitBatch(world, { ...wanted, rows: rows(3, 5) });
        expect(other.type, where).toBe('key_conflict');
      }
      const again = await submitBatch(world, wanted);
      if (again.type === 'key_conflict') throw new Error(`${where}: the key conflicts with itself`);
      expect(rowsOf(again.batch), where).toBe(1_005);
      if (!where.startsWith('after')) return;
      await runUntilIdle(world, { maxMessages: 3_000 });
      expect(inputs(asked), where).toEqual(inputsOf(0, 1_005));
    },
  );
  expect(writes).toBe(8);
});

it('loses and doubles nothing of an open batch when an adder dies at any write and comes again', async () => {
  let made = await openBatch();
  const add = (world: TestWorld) =>
    addRows(world, { tenant, batchId: made.batch.id, rows: [...rows(1, 1_100), { id: 'bad' }] });
  const writes = await dieEverywhere(
    async () => {
      made = await openBatch();
      return { ...made.world, batchShare: 2_000 };
    },
    add,
    async (world, where) => {
      expect((await add(world)).type, where).toBe('accepted');
      const head = await headOf(world, made.batch);
      expect([rowsOf(head), head.rejected], where).toEqual([1_100, 1]);
      if (!where.startsWith('after')) return;
      await closeBatch(world, tenant, head.id);
      await runUntilIdle(world, { maxMessages: 5_000 });
      expect(inputs(made.asked), where).toEqual(inputsOf(0, 1_100));
      expect(await headOf(world, head), where).toMatchObject({
        status: 'done',
        counts: { succeeded: 1_100 },
      });
    },
  );
  expect(writes).toBe(6);
});
