import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoTable } from '../../src/adapters/dynamodb.ts';
import type { Due, Store } from '../../src/app/store.ts';
import { createStore } from '../../src/app/table-store.ts';
import type { DeadLetter } from '../../src/core/dead-letter.ts';
import { shardOf } from '../../src/core/table.ts';
import { emptyTenant, entryOf, evolveTenant } from '../../src/core/tenant.ts';
import type { Total, TotalKey } from '../../src/core/totals.ts';
import { ensureTable, localAwsClients, type StandIns, startStandIns } from '../../src/local/stand-ins.ts';
import { createMemoryTable } from '../../src/testing/memory-table.ts';
import { aJob, NOW } from '../support/a-job.ts';

const keeping = { now: () => NOW };
let standIns: StandIns;
let dynamo: Store;
beforeAll(async () => {
  standIns = await startStandIns();
  const { dynamodb } = localAwsClients(standIns);
  await ensureTable(dynamodb, 'store');
  dynamo = createStore(createDynamoTable({ client: dynamodb, tableName: 'store' }), keeping);
});
afterAll(() => standIns.close());
const memory = createStore(createMemoryTable(), keeping);

describe.each([
  ['in memory', () => memory],
  ['on DynamoDB', () => dynamo],
] as const)('the store %s', (_, store) => {
  it('puts a tenant’s record only over the version before, and reads it back', async () => {
    expect(await store().loadTenant('t1')).toEqual(emptyTenant('t1'));
    const job = aJob({ endedAtMs: NOW, batchId: 'batch_1' });
    const { entry } = entryOf(job, emptyTenant('t1'));
    const first = evolveTenant(emptyTenant('t1'), { type: 'took', key: 'k', amount: 5, day: 20_833 });
    const second = evolveTenant(first, { type: 'page_begun', entries: [entry], givenBack: 0 });
    expect(await store().commitTenant(second)).toBe('refused');
    expect(await store().commitTenant(first)).toBe('committed');
    expect(await store().commitTenant(first)).toBe('refused');
    expect(await store().commitTenant(second)).toBe('committed');
    expect(await store().loadTenant('t1')).toEqual(second);
  });

  it('says in one read whether a tenant or everything is stopped', async () => {
    expect(await store().readStopped('t2')).toBe(false);
    await store().commitTenant(evolveTenant(emptyTenant('t2'), { type: 'switched', stopped: true }));
    expect([await store().readStopped('t2'), await store().readStopped('t3')]).toEqual([true, false]);
    const control = await store().loadControl();
    expect(control).toMatchObject({ version: 0, stopped: false });
    expect(await store().commitControl({ ...control, version: 1, stopped: true })).toBe('committed');
    expect(await store().commitControl({ ...control, version: 1, stopped: false })).toBe('refused');
    expect(await store().readStopped('t3')).toBe(true);
  });

  it('puts a total only over the page that was read', async () => {
    const key: TotalKey = { type: 'day', day: '2026-11-30', agent: 'triage' };
    const total = (page: number): Total => ({ page, jobs: page, steps: 2, settled: 3, unsettled: -1 });
    expect(await store().readTotal('t1', key)).toBeUndefined();
    expect(await store().putTotal('t1', key, total(3), 0)).toBe('put');
    expect(await store().putTotal('t1', key, total(3), 0)).toBe('refused');
    expect(await store().putTotal('t1', key, total(4), 2)).toBe('refused');
    expect(await store().putTotal('t1', key, total(5), 3)).toBe('put');
    expect(await store().readTotal('t1', key)).toEqual(total(5));
    const batch: TotalKey = { type: 'batch', batchId: 'batch_1' };
    await store().putTotal('t1', batch, total(1), 0);
    expect(await store().listDayTotals('t1')).toEqual([{ key, total: total(5) }]);
    expect(await store().listDayTotals('t')).toEqual([]);
    expect([...(await store().readBatchTotals('t1', ['batch_1', 'batch_2']))]).toEqual([
      ['batch_1', total(1)],
    ]);
    expect([...(await store().readBatchTotals('t1', []))]).toEqual([]);
  });

  it('keeps the first of a dead letter, and lists an owner’s, newest first', async () => {
    const letter = (id: string, atMs: number, tenant = 't1'): DeadLetter => ({
      ...{ id, tenant, body: `body of ${id}`, reason: 'received too often', atMs, redrivenAtMs: 0 },
    });
    for (const [at, id] of ['d1', 'd2', 'd3'].entries()) await store().putDeadLetter(letter(id, NOW + at));
    await store().putDeadLetter(letter('d4', NOW, ''));
    await store().markRedriven('d2', NOW + 9);
    await store().putDeadLetter({ ...letter('d2', NOW + 50), body: 'another' });
    const page = await store().listDeadLetters('t1', { limit: 2 });
    expect(page).toEqual([
      { id: 'd3', at: NOW + 2 },
      { id: 'd2', at: NOW + 1 },
    ]);
    const [, after] = page;
    const rest = await store().listDeadLetters('t1', { limit: 2, ...(after === undefined ? {} : { after }) });
    expect(rest).toEqual([{ id: 'd1', at: NOW }]);
    // A place of one owner's list is a place in another's too.
    const place = { id: 'd2', at: NOW + 1 };
    expect(await store().listDeadLetters('', { limit: 2, after: place })).toEqual([{ id: 'd4', at: NOW }]);
    expect(await store().readDeadLetters(['d2', 'none'])).toEqual([
      { ...letter('d2', NOW + 1), redrivenAtMs: NOW + 9 },
    ]);
    expect(await store().readDeadLetters([])).toEqual([]);
    expect(await store().readDeadLetter('none')).toBeUndefined();
  });

  it('lists what is due of a shard page by page, jobs and batches alike', async () => {
    const shard = shardOf('job_0');
    const ids = Array.from({ length: 200 }, (__, n) => `job_${n}`).filter((id) => shardOf(id) === shard);
    for (const [at, id] of ids.entries())
      await store().createJob(aJob({ id, dueAtMs: NOW + Math.floor(at / 3) }));
    const seen: string[] = [];
    for (let after: Due | undefined, pages = 0; pages < 50; pages += 1) {
      const page: readonly Due[] = await store().listDue(shard, NOW + 99, 4, after);
      seen.push(...page.map(({ id }) => id));
      after = page.at(-1);
      if (page.length < 4) break;
    }
    expect(seen).toHaveLength(ids.length);
    expect(new Set(seen)).toEqual(new Set(ids));
  });
});
