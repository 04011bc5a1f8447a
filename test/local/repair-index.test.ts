import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { expect, it } from 'vitest';
import { createDynamoTable } from '../../src/adapters/dynamodb.ts';
import { createStore } from '../../src/app/table-store.ts';
import { shardOf } from '../../src/core/table.ts';
import { repairIndex } from '../../src/local/repair-index.ts';
import { ensureTable, localAwsClients, startStandIns } from '../../src/local/stand-ins.ts';
import { aJob, NOW } from '../support/a-job.ts';

async function open(dataDir: string) {
  const standIns = await startStandIns({ dataDir });
  const { dynamodb } = localAwsClients(standIns);
  await ensureTable(dynamodb, 'treadle');
  return {
    standIns,
    dynamodb,
    store: createStore(createDynamoTable({ client: dynamodb, tableName: 'treadle' }), { now: Date.now }),
  };
}

/** What a kill between an item and its index entry leaves behind. */
async function dropIndexEntries(folder: string): Promise<number> {
  const level = new ClassicLevel(folder);
  const keys = (await level.keys().all()).filter((key) => key.includes('due') && key.includes('index'));
  await level.batch(keys.map((key) => ({ type: 'del', key })));
  await level.close();
  return keys.length;
}

it('lists a live job again whose index entry a kill had lost', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'treadle-repair-'));
  const job = aJob({ dueAtMs: NOW });
  const first = await open(dataDir);
  await first.store.createJob(job);
  await first.standIns.close();
  expect(await dropIndexEntries(join(dataDir, 'dynamodb'))).toBeGreaterThan(0);
  const second = await open(dataDir);
  const listed = () => second.store.listDue(shardOf(job.id), NOW, 10);
  expect(await listed()).toEqual([]);
  expect(await repairIndex(second.dynamodb, 'treadle')).toBe(1);
  expect(await listed()).toEqual([{ kind: 'job', id: job.id, at: job.dueAtMs }]);
  expect(await second.store.loadJob(job.id)).toEqual(job);
  await second.standIns.close();
});
