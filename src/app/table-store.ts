import { fromBatchRecord, toBatchRecord } from '../core/batch.ts';
import { readRow } from '../core/batch-format.ts';
import { fromHeadRecord, toHeadRecord } from '../core/head-format.ts';
import { readJobInfo, readMessageItem } from '../core/message-item.ts';
import { shardOf } from '../core/table.ts';
import type { Item, Key, Table } from '../ports.ts';
import { itemKey, joinParts, splitItem } from './item-parts.ts';
import type { CallKey, CallRecord, Store } from './store.ts';

const headKey = (jobId: string): Key => ({ pk: `JOB#${jobId}`, sk: 'JOB' });
const batchKey = (batchId: string): Key => ({ pk: `BATCH#${batchId}`, sk: 'BATCH' });
const callKey = (key: CallKey): Key => ({ pk: `JOB#${key.jobId}`, sk: `CALL#${key.born}.${key.place}` });
const askKey = (key: CallKey, letter: string): Key => ({
  pk: `JOB#${key.jobId}`,
  sk: `ASK#${key.born}.${key.place}.${letter}`,
});
const chunkKey = (batchId: string, n: number): Key => ({
  pk: `BATCH#${batchId}`,
  sk: `CHUNK#${String(n).padStart(6, '0')}`,
});

/** A head as an item. A live one is in the due index under its shard; one that is due no more has neither attribute. */
function headItem(key: Key, id: string, record: Readonly<Record<string, unknown>>): Item & Key {
  const { pk, sk } = key;
  const live = Boolean(record['du']);
  return { ...record, pk, sk, du: live ? record['du'] : undefined, ds: live ? shardOf(id) : undefined };
}

/** Every record of the system in one table: keys, formats and conditions stand here and nowhere else. */
export function createStore(table: Table): Store {
  // Not spread: an object spread of this many members is twenty times slower, and a simulated world makes many stores.
  return Object.assign(jobs(table), items(table), journal(table), batches(table), rest(table));
}

type Part<Name extends keyof Store> = Pick<Store, Name>;

function jobs(table: Table): Part<'loadJob' | 'loadJobs' | 'createJob' | 'commitJob'> {
  return {
    loadJob: async (jobId) => {
      const stored = await table.get(headKey(jobId));
      return stored && fromHeadRecord(jobId, stored);
    },
    loadJobs: async (jobIds) => {
      const stored = jobIds.length === 0 ? [] : await table.getMany(jobIds.map(headKey));
      return new Map(
        stored.map((item) => {
          const id = String(item['pk']).slice('JOB#'.length);
          return [id, fromHeadRecord(id, item)];
        }),
      );
    },
    createJob: async (job) => {
      const item = headItem(headKey(job.id), job.id, toHeadRecord(job));
      const put = await table.put(item, { type: 'absent' });
      return put === 'put' ? 'created' : 'exists';
    },
    commitJob: async (job) => {
      const condition = { type: 'equals', values: { ve: job.version - 1 } } as const;
      const put = await table.put(headItem(headKey(job.id), job.id, toHeadRecord(job)), condition);
      return put === 'put' ? 'committed' : 'refused';
    },
  };
}

function items(table: Table): Part<'putInput' | 'readInfo' | 'putItem' | 'readItem' | 'readTranscript'> {
  const putParts = async (parts: readonly (Item & Key)[]): Promise<void> => {
    if (parts.length > 0) await table.putMany(parts);
  };
  return {
    putInput: async (jobId, item, info) => {
      const { main, parts } = splitItem(jobId, 1, item);
      await putParts(parts);
      const put = await table.put({ ...main, info: JSON.stringify(info) }, { type: 'absent' });
      return put === 'put' ? 'created' : 'exists';
    },
    readInfo: async (jobId) => infoOf(await table.get(itemKey(jobId, 1)), jobId),
    putItem: async (jobId, at, item, over) => {
      const { main, parts } = splitItem(jobId, at, item);
      await putParts(parts);
      return table.put(
        main,
        over === undefined
          ? { type: 'absent_or_lower', name: 'fence', value: item.fence }
          : { type: 'equals', values: { fence: over.fence, nonce: over.nonce } },
      );
    },
    readItem: async (jobId, at) => {
      const { sk } = itemKey(jobId, at);
      const stored = await table.query(`JOB#${jobId}`, sk, `${sk}~`, true);
      return joinParts(stored).map((record) => readMessageItem(record, `job ${jobId} item ${at}`))[0];
    },
    readTranscript: async (jobId, count, consistent) => {
      const stored = await table.query(
        `JOB#${jobId}`,
        itemKey(jobId, 1).sk,
        `${itemKey(jobId, count).sk}~`,
        consistent,
      );
      return {
        info: infoOf(stored[0], jobId),
        items: joinParts(stored).map((record) => readMessageItem(record, `job ${jobId}`)),
      };
    },
  };
}

function infoOf(stored: Item | undefined, jobId: string): ReturnType<typeof readJobInfo> | undefined {
  const json = stored?.['info'];
  return typeof json === 'string' ? readJobInfo(JSON.parse(json), `job ${jobId}`) : undefined;
}

function journal(table: Table): Part<'putIntent' | 'closeIntent' | 'readCall' | 'putAsk' | 'readAsk'> {
  return {
    putIntent: async (key, owner) => {
      const intent = { ...callKey(key), v: 1, state: 'intent', owner, text: '', isError: false };
      return (await table.put(intent, { type: 'absent' })) === 'put' ? 'put' : 'exists';
    },
    closeIntent: async (key, owner, outcome) => {
      const values = { state: 'intent', ...(owner === undefined ? {} : { owner }) };
      const put = await table.update(callKey(key), outcome, { type: 'equals', values });
      return put === 'put' ? 'closed' : 'refused';
    },
    readCall: async (key) => {
      const stored = await table.get(callKey(key));
      if (stored === undefined) return undefined;
      return {
        state: stored['state'] as CallRecord['state'],
        owner: String(stored['owner']),
        text: String(stored['text']),
        isError: stored['isError'] === true,
      };
    },
    putAsk: async (key, letter, ask) => {
      await table.put({ ...askKey(key, letter), v: 1, ...ask }, { type: 'absent' });
    },
    readAsk: async (key, letter) => {
      const stored = await table.get(askKey(key, letter));
      if (stored === undefined) return undefined;
      return { reason: String(stored['reason']), who: String(stored['who']), atMs: Number(stored['atMs']) };
    },
  };
}

type BatchParts =
  | 'loadBatch'
  | 'createBatch'
  | 'commitBatch'
  | 'putRows'
  | 'readRow'
  | 'putChunk'
  | 'readChunk';

function batches(table: Table): Part<BatchParts> {
  const rowKey = (batchId: string, key: string): Key => ({ pk: `BATCH#${batchId}`, sk: `ROW#${key}` });
  return {
    loadBatch: async (batchId) => {
      const stored = await table.get(batchKey(batchId));
      return stored && fromBatchRecord(batchId, { ...stored, du: stored['du'] ?? 0 });
    },
    createBatch: async (batch) => {
      const record = headItem(batchKey(batch.id), batch.id, toBatchRecord(batch));
      return (await table.put(record, { type: 'absent' })) === 'put' ? 'created' : 'exists';
    },
    commitBatch: async (batch) => {
      const record = headItem(batchKey(batch.id), batch.id, toBatchRecord(batch));
      const condition = { type: 'equals', values: { version: batch.version - 1 } } as const;
      return (await table.put(record, condition)) === 'put' ? 'committed' : 'refused';
    },
    putRows: (batchId, rows) => table.putMany(rows.map((row) => ({ ...row, ...rowKey(batchId, row.key) }))),
    readRow: async (batchId, key) => {
      const stored = await table.get(rowKey(batchId, key));
      return stored && readRow(stored);
    },
    putChunk: async (batchId, n, keys) => {
      const chunk = { ...chunkKey(batchId, n), v: 1, keys: keys.join(' ') };
      return (await table.put(chunk, { type: 'absent' })) === 'put' ? 'put' : 'exists';
    },
    readChunk: async (batchId, n) => {
      const stored = await table.get(chunkKey(batchId, n));
      return stored && String(stored['keys']).split(' ');
    },
  };
}

function rest(table: Table): Part<'putAgent' | 'readAgent' | 'listDue' | 'putDeadLetter'> {
  return {
    putAgent: async (name, version, json) => {
      await table.put({ pk: `AGENT#${name}`, sk: `V#${version}`, v: 1, json }, { type: 'absent' });
    },
    readAgent: async (name, version) => {
      const stored = await table.get({ pk: `AGENT#${name}`, sk: `V#${version}` });
      return stored && String(stored['json']);
    },
    listDue: async (shard, untilMs, limit) => {
      const keys = await table.listDue(shard, untilMs, limit);
      return keys.map(({ pk, sk }) => ({
        kind: sk === 'JOB' ? 'job' : 'batch',
        id: pk.slice(pk.indexOf('#') + 1),
      }));
    },
    putDeadLetter: async (letter) => {
      await table.put({ pk: 'DEAD', sk: letter.id, v: 1, ...letter });
    },
  };
}
