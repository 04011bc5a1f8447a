import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../src/client.ts';
import { namesOf } from '../../api/replies.ts';
import { inputFor } from './model.ts';
import type { Stage } from './suite.ts';
import { batchIn, type Request } from './visitor.ts';

const rowOf = (id: string) => ({ id, input: inputFor('answers') });
const isDone = ({ status }: Batch): boolean => status === 'done';
const ofBatch = ({ id }: Batch): Request => ({ params: { id } });

const csv = `id,subject,description\n1,${inputFor('answers')},Broken.\n2,,\n`;
const lines = `${JSON.stringify(rowOf('1'))}\n{"id":"2","input":7}\n${JSON.stringify(rowOf('3'))}\n`;

const forms: readonly (readonly [string, Request, object, readonly object[]])[] = [
  [
    'JSON',
    { body: { agent: 'triage', rows: [rowOf('1'), rowOf('1'), { id: '2' }], budgetUsd: 1 } },
    { succeeded: 1, rejected: 1 },
    [{ id: '2' }],
  ],
  [
    'CSV',
    {
      query: { agent: 'triage', maxSteps: '4', budgetUsd: '1' },
      file: { type: 'text/csv', text: csv },
    },
    { succeeded: 2, rejected: 0 },
    [],
  ],
  [
    'NDJSON',
    { query: { agent: 'triage' }, file: { type: 'application/x-ndjson', text: lines } },
    { succeeded: 2, rejected: 1 },
    [{ id: '2', reason: expect.stringContaining('line 2') }],
  ],
];

export function batchTests({ visit }: Stage): void {
  describe.concurrent('batches', () => {
    it.each(forms)(
      'take rows as %s, and say which they could not take',
      async (_, request, counts, rejected) => {
        const { ask, batchWhen } = visit('batches');
        const reply = await ask('createBatch', 202, request);
        const { id } = batchIn(reply);
        expect(reply.headers['location']).toBe(`/batches/${id}`);
        expect(reply.json['rejectedRows']).toMatchObject(rejected);
        expect(await batchWhen(id, isDone)).toMatchObject({ counts, cost: { reservedUsd: 0 } });
      },
    );

    it('are made once by the same key, however often and at once it is sent', async () => {
      const { ask } = visit('batches');
      const body = { agent: 'triage', rows: [rowOf('1')] };
      const request = { headers: { 'idempotency-key': 'once' }, body };
      const twice = await Promise.all([1, 2].map(() => ask('createBatch', 202, request)));
      expect(new Set(twice.map((reply) => batchIn(reply).id)).size).toBe(1);
      await ask('createBatch', 422, { ...request, body: { ...body, rows: [rowOf('2')] } });
    });

    it('stay open for rows until they are closed', async () => {
      const { ask, submitBatch, batchWhen } = visit('batches');
      const batch = await submitBatch([rowOf('1')], { open: true });
      expect(batch.status).toBe('open');
      const params = { id: batch.id };
      for (let times = 0; times < 2; times += 1) {
        const added = await ask('addRows', 202, { params, body: { rows: [rowOf('1'), rowOf('2')] } });
        expect(batchIn(added)).toMatchObject({ status: 'open', rows: 2, rejectedRows: [] });
      }
      const file = {
        type: 'application/x-ndjson',
        text: `${JSON.stringify(rowOf('3'))}\n{"id":"4","input":7}\n`,
      };
      const added = await ask('addRows', 202, { params, file });
      expect(added.json).toMatchObject({ rows: 4, counts: { rejected: 1 }, rejectedRows: [{}] });
      for (let times = 0; times < 2; times += 1) await ask('closeBatch', 202, { params });
      await ask('addRows', 409, { params, body: { rows: [rowOf('5')] } });
      expect(await batchWhen(batch.id, isDone)).toMatchObject({ rows: 4, counts: { succeeded: 3 } });
    });

    it('start nothing while they are paused, and everything once they are resumed', async () => {
      const { ask, submitBatch, batchWhen } = visit('batches');
      const batch = await submitBatch([], { open: true });
      for (let times = 0; times < 2; times += 1)
        expect(batchIn(await ask('pauseBatch', 202, ofBatch(batch)))).toMatchObject({ status: 'paused' });
      await ask('addRows', 202, { ...ofBatch(batch), body: { rows: [rowOf('1'), rowOf('2')] } });
      const other = await submitBatch([rowOf('1')]);
      await batchWhen(other.id, isDone);
      expect(batchIn(await ask('closeBatch', 202, ofBatch(batch)))).toMatchObject({ counts: { queued: 2 } });
      for (let times = 0; times < 2; times += 1)
        expect(batchIn(await ask('resumeBatch', 202, ofBatch(batch)))).toMatchObject({ status: 'running' });
      expect(await batchWhen(batch.id, isDone)).toMatchObject({ counts: { succeeded: 2 } });
      for (const change of ['pauseBatch', 'resumeBatch', 'cancelBatch'])
        await ask(change, 409, ofBatch(batch));
    });

    it('are cancelled with their jobs', async () => {
      const { ask, submitBatch, batchWhen } = visit('batches');
      const batch = await submitBatch([rowOf('1'), { id: '2', input: inputFor('pays') }], { open: true });
      await batchWhen(batch.id, ({ counts }) => counts.awaiting_approval === 1 && counts.succeeded === 1);
      for (let times = 0; times < 2; times += 1) await ask('cancelBatch', 202, ofBatch(batch));
      const { counts } = await batchWhen(batch.id, ({ status }) => status === 'cancelled');
      expect(counts).toMatchObject({ succeeded: 1, cancelled: 1 });
      await ask('closeBatch', 409, ofBatch(batch));
      await ask('extendBatch', 409, { ...ofBatch(batch), body: { addUsd: 1 } });
    });

    it('wait for money when their pool is used up, and go on once it is raised', async () => {
      const { ask, submitBatch, batchWhen } = visit('batches');
      const batch = await submitBatch([rowOf('1'), rowOf('2')], { budgetUsd: 0.000_01 });
      const paused = await batchWhen(batch.id, ({ status }) => status === 'paused');
      expect(paused).toMatchObject({ stop: { reason: 'pool_exhausted' }, counts: { queued: 2 } });
      await ask('resumeBatch', 409, ofBatch(batch));
      const request = { ...ofBatch(batch), headers: { 'idempotency-key': 'more' }, body: { addUsd: 0.2 } };
      for (let times = 0; times < 2; times += 1) {
        const extended = batchIn(await ask('extendBatch', 202, request));
        expect(extended.cost.budgetUsd).toBe(0.200_01);
      }
      await ask('extendBatch', 422, { ...request, body: { addUsd: 0.3 } });
      const { counts, cost } = await batchWhen(batch.id, isDone);
      expect(counts.succeeded).toBe(2);
      expect(cost.spentUsd).toBeLessThanOrEqual(0.200_01);
    });

    it('forecast what they will have cost, and when, from the rows that have ended', async () => {
      const { submitBatch, batchWhen } = visit('batches');
      const batch = await submitBatch([rowOf('1'), { id: '2', input: inputFor('pays') }]);
      expect(batch).toMatchObject({ cost: { forecastUsd: null }, forecastFinishedAt: null });
      const { cost, forecastFinishedAt } = await batchWhen(
        batch.id,
        ({ counts }) => counts.succeeded === 1 && counts.awaiting_approval === 1,
      );
      expect(cost.forecastUsd).toBeGreaterThanOrEqual(cost.spentUsd);
      expect(Date.parse(String(forecastFinishedAt))).toBeGreaterThan(Date.parse(batch.createdAt));
    });

    it('refuse what they cannot be made of, and a row alone where only the row is wrong', async () => {
      const { ask, batchWhen } = visit('batches');
      const named = async (changes: object) =>
        namesOf(await ask('createBatch', 400, { body: { agent: 'triage', rows: [], ...changes } }));
      expect(await named({ agent: 'nobody' })).toEqual(['agent']);
      expect(await named({ limits: { maxSteps: 13 } })).toEqual(['limits.maxSteps']);
      expect(await named({ budgetUsd: -1 })).toEqual(['budgetUsd']);
      expect(await named({ webhook: 'https://192.168.0.1/hook' })).toEqual(['webhook']);
      const many = Array.from({ length: 5_001 }, (_, n) => ({ id: `${n}`, input: 'x' }));
      const refused = await ask('createBatch', 413, { body: { agent: 'triage', rows: many } });
      expect(refused.json['detail']).toContain('/rows');
      const rows = [{ id: 'large', input: 'x'.repeat(262_145) }];
      const taken = await ask('createBatch', 202, { body: { agent: 'triage', rows } });
      expect(taken.json).toMatchObject({ rejectedRows: [{ id: 'large' }] });
      await batchWhen(batchIn(taken).id, isDone);
    });
  });
}
