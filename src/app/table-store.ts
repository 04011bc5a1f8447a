import { type Batch, fromBatchRecord, toBatchRecord } from '../core/batch.ts';
import { BATCHES_OF, readRow } from '../core/batch-format.ts';
import { fromHeadRecord, JOBS_OF, toHeadRecord } from '../core/head-format.ts';
import type { Job } from '../core/job.ts';
import { emptyItem, type MessageItem, readJobInfo, readMessageItem } from '../core/message-item.ts';
import { shardOf } from '../core/table.ts';
import type { IndexKey, Item, Key, Table } from '../ports.ts';
import { itemKey, joinParts, splitItem } from './item-parts.ts';
import { letters } from './letter-store.ts';
import { NOTE, noteKey, notices } from './notice-store.ts';
import type { CallKey, CallRecord, Due, Listed, Store, StoredItems } from './store.ts';
import { tenants } from './tenant-store.ts';

const headKey = (jobId: string): Key => ({ pk: `JOB#${jobId}`, sk: 'JOB' });
const batchKey = (batchId: string): Key => ({ pk: `BATCH#${batchId}`, sk: 'BATCH' });
/** What the sort key of a call's record begins with. */
const CALL = 'CALL#';
const callKey = (key: CallKey): Key => ({ pk: `JOB#${key.jobId}`, sk: `CALL#${key.born}.${key.place}` });
const keyOf = ({ pk, sk }: Item): Key => ({ pk: String(pk), sk: String(sk) });
const askKey = (key: CallKey, letter: string): Key => ({
  pk: `JOB#${key.jobId}`,
  sk: `ASK#${key.born}.${key.place}.${letter}`,
});
const chunkKey = (batchId: string, n: number): Key => ({
  pk: `BATCH#${batchId}`,
  sk: `CHUNK#${String(n).padStart(6, '0')}`,
});

/** Where a head stands in the index of what is open: undefined for neither. */
type Open = { readonly of: string; readonly since: number } | undefined;

/**
 * A record, which is changed, with what a head has beside it: its places in the indexes that it is in now, and when it may
 * be removed. Not spread: a copy of forty members with seven more takes a hundred times longer.
 */
function headItem(
  key: Key,
  id: string,
  record: Readonly<Record<string, unknown>>,
  open: Open,
  ex: number | undefined,
): Item & Key {
  const { pk, sk } = key;
  const due = Boolean(record['du']);
  return Object.assign(record, {
    ...{ pk, sk, ex },
    du: due ? record['du'] : undefined,
    ds: due ? shardOf(id) : undefined,
    ot: open?.of,
    oc: open?.since,
  });
}

function jobItem(job: Job, retentionMs: number): Item & Key {
  const since = job.status.type === 'awaiting_approval' ? job.pending?.sinceMs : undefined;
  const open = since === undefined ? undefined : { of: `${WAITING_OF}${job.tenant}`, since };
  const ex = job.endedAtMs === 0 ? undefined : seconds(job.endedAtMs + retentionMs);
  return headItem(headKey(job.id), job.id, toHeadRecord(job), open, ex);
}

function batchItem(batch: Batch, retentionMs: number): Item & Key {
  const live = batch.endedAtMs === 0;
  const open = live ? { of: `${BATCHES_OF}${batch.tenant}`, since: batch.createdAtMs } : undefined;
  const ex = live ? undefined : seconds(batch.endedAtMs + retentionMs);
  return headItem(batchKey(batch.id), batch.id, toBatchRecord(batch), open, ex);
}

const WAITING_OF = 'W#';
const DAY_MS = 86_400_000;
/** No job is carried on this long after it was made; what belongs to it is removed after that and its retention. */
export const MAX_JOB_DAYS = 365;

const seconds = (ms: number): number => Math.ceil(ms / 1000);

/** How long records are kept. */
export interface Keeping {
  readonly now: () => number;
  /** How long an ended job or batch is kept. @default 90 */
  readonly retentionDays?: number;
}

/** Every record of the system in one table: keys, formats and conditions stand here and nowhere else. */
export function createStore(table: Table, { now, retentionDays = 90 }: Keeping): Store {
  const retentionMs = retentionDays * DAY_MS;
  const expires = (): number => seconds(now() + retentionMs + MAX_JOB_DAYS * DAY_MS);
  // Not spread: an object spread of this many members is twenty times slower, and a simulated world makes many stores.
  return Object.assign(
    jobs(table, retentionMs),
    items(table, expires),
    purge(table),
    journal(table, expires),
    batches(table, retentionMs, expires),
    lists(table),
    notices(table),
    rest(table),
    tenants(table),
    letters(table),
  );
}

type Part<Name extends keyof Store> = Pick<Store, Name>;

const idIn = (pk: string): string => pk.slice(pk.indexOf('#') + 1);

function dueOf({ pk, sk, at }: IndexKey): Due {
  const id = idIn(pk);
  if (sk.startsWith(NOTE)) return { kind: 'notice', id, note: sk.slice(NOTE.length), at };
  return { kind: sk === 'JOB' ? 'job' : 'batch', id, at };
}

function placeOf(due: Due): IndexKey {
  switch (due.kind) {
    case 'job':
      return { ...headKey(due.id), at: due.at };
    case 'batch':
      return { ...batchKey(due.id), at: due.at };
    case 'notice':
      return { ...noteKey(due.id, due.note), at: due.at };
    default:
      return due satisfies never;
  }
}

const partitions: Readonly<Record<Listed, readonly [index: 'list' | 'open', prefix: string]>> = {
  jobs: ['list', JOBS_OF],
  batches: ['list', BATCHES_OF],
  waiting: ['open', WAITING_OF],
  live_batches: ['open', BATCHES_OF],
};

function lists(table: Table): Part<'listOf'> {
  return {
    listOf: async (what, tenant, { after, limit }) => {
      const [index, prefix] = partitions[what];
      const keyOf = what === 'jobs' || what === 'waiting' ? headKey : batchKey;
      const keys = await table.listIndex(index, `${prefix}${tenant}`, {
        limit,
        newestFirst: index === 'list',
        ...(after === undefined ? {} : { after: { ...keyOf(after.id), at: after.at } }),
      });
      return keys.map(({ pk, at }) => ({ id: idIn(pk), at }));
    },
  };
}

function purge(table: Table): Part<'purgeJob'> {
  return {
    purgeJob: async (jobId) => {
      const input = itemKey(jobId, 1);
      const stored = await table.query(input.pk, '', '~', true);
      const info = infoOf(
        stored.find((item) => item['sk'] === input.sk),
        jobId,
      );
      if (info !== undefined) {
        const { output: _, webhook: __, ...kept } = info;
        const ex = stored.find((item) => item['sk'] === input.sk)?.['ex'];
        const bare = { ...emptyItem(0, 0), nonce: 'input', ...input, ex };
        await table.put({ ...bare, info: JSON.stringify({ ...kept, metadata: '{}' }) });
      }
      // Without its records a sleeper would begin a call of a `once` tool that was begun, or done, before.
      const calls = stored.filter(({ sk }) => String(sk).startsWith(CALL));
      await table.putMany(calls.map((call) => ({ ...call, ...keyOf(call), state: 'unknown', text: '' })));
      const rest = stored.map(keyOf);
      // Notices hold no content, and who deletes a job has not told everybody else of its end.
      const kept = (sk: string): boolean =>
        sk === 'JOB' || sk === input.sk || sk.startsWith(NOTE) || sk.startsWith(CALL);
      await table.removeMany(rest.filter(({ sk }) => !kept(sk)));
    },
  };
}

function jobs(table: Table, retentionMs: number): Part<'loadJob' | 'loadJobs' | 'createJob' | 'commitJob'> {
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
      const put = await table.put(jobItem(job, retentionMs), { type: 'absent' });
      return put === 'put' ? 'created' : 'exists';
    },
    commitJob: async (job) => {
      const condition = { type: 'equals', values: { ve: job.version - 1 } } as const;
      const put = await table.put(jobItem(job, retentionMs), condition);
      return put === 'put' ? 'committed' : 'refused';
    },
  };
}

function items(
  table: Table,
  expires: () => number,
): Part<'putInput' | 'readInfo' | 'putItem' | 'readItem' | 'readItems' | 'readTranscript'> {
  const putParts = async (parts: readonly (Item & Key)[]): Promise<void> => {
    if (parts.length > 0) await table.putMany(parts.map((part) => ({ ...part, ex: expires() })));
  };
  return {
    putInput: async (jobId, item, info) => {
      const { main, parts } = splitItem(jobId, 1, item);
      await putParts(parts);
      const record = { ...main, info: JSON.stringify(info), ex: expires() };
      const put = await table.put(record, { type: 'absent' });
      return put === 'put' ? 'created' : 'exists';
    },
    readInfo: async (jobId) => infoOf(await table.get(itemKey(jobId, 1)), jobId),
    putItem: async (jobId, at, item, over) => {
      const { main, parts } = splitItem(jobId, at, item);
      await putParts(parts);
      return table.put(
        { ...main, ex: expires() },
        over === undefined
          ? { type: 'absent_or_lower', name: 'fence', value: item.fence }
          : { type: 'equals', values: { fence: over.fence, nonce: over.nonce } },
      );
    },
    readItem: async (jobId, at) => {
      const whole = await wholeItem(table, itemKey(jobId, at));
      return whole.map((record) => readMessageItem(record, `job ${jobId} item ${at}`))[0];
    },
    readItems: (wanted) => readItems(table, wanted),
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

async function readItems(
  table: Table,
  wanted: ReadonlyMap<string, readonly number[]>,
): ReturnType<Store['readItems']> {
  const keys = [...wanted].flatMap(([jobId, places]) => [...new Set(places)].map((at) => itemKey(jobId, at)));
  const stored = keys.length === 0 ? [] : await table.getMany(keys);
  const found = new Map<string, { info: StoredItems['info']; items: Map<number, MessageItem> }>();
  for (const main of stored) {
    const [pk, sk] = [String(main['pk']), String(main['sk'])];
    const whole = main['parts'] === undefined ? main : (await wholeItem(table, { pk, sk }))[0];
    if (whole === undefined) continue;
    const jobId = idIn(pk);
    const at = Number(sk.slice('MSG#'.length));
    const job = found.get(jobId) ?? { info: undefined, items: new Map<number, MessageItem>() };
    found.set(jobId, at === 1 ? { ...job, info: infoOf(main, jobId) } : job);
    job.items.set(at, readMessageItem(whole, `job ${jobId} item ${at}`));
  }
  return found;
}

/** The item with its parts, if they are all there. */
async function wholeItem(table: Table, { pk, sk }: Key): Promise<readonly Item[]> {
  return joinParts(await table.query(pk, sk, `${sk}~`, true));
}

function infoOf(stored: Item | undefined, jobId: string): ReturnType<typeof readJobInfo> | undefined {
  const json = stored?.['info'];
  return typeof json === 'string' ? readJobInfo(JSON.parse(json), `job ${jobId}`) : undefined;
}

function journal(
  table: Table,
  expires: () => number,
): Part<'putIntent' | 'closeIntent' | 'readCall' | 'listCalls' | 'putAsk' | 'readAsk' | 'hasAsks'> {
  return {
    putIntent: async (key, owner) => {
      const intent = {
        ...callKey(key),
        v: 1,
        state: 'intent',
        owner,
        text: '',
        isError: false,
        ex: expires(),
      };
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
    listCalls: async (jobId) => {
      const stored = await table.query(`JOB#${jobId}`, 'CALL#', 'CALL#~', true);
      return stored.map((item) => {
        const [born, place] = String(item['sk']).slice('CALL#'.length).split('.').map(Number);
        return { jobId, born: born ?? 0, place: place ?? 0 };
      });
    },
    hasAsks: async (jobId) => (await table.query(`JOB#${jobId}`, 'ASK#', 'ASK#~', false)).length > 0,
    putAsk: async (key, letter, ask) => {
      await table.put({ ...askKey(key, letter), v: 1, ...ask, ex: expires() }, { type: 'absent' });
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
  | 'loadBatches'
  | 'createBatch'
  | 'commitBatch'
  | 'putBatchKey'
  | 'putRows'
  | 'readRows'
  | 'stripRow'
  | 'putChunk'
  | 'readChunks';

function batches(table: Table, retentionMs: number, expires: () => number): Part<BatchParts> {
  const read = (batchId: string, stored: Item): Batch =>
    fromBatchRecord(batchId, { ...stored, du: stored['du'] ?? 0 });
  return Object.assign(batchRows(table, expires), {
    loadBatch: async (batchId: string) => {
      const stored = await table.get(batchKey(batchId));
      return stored && read(batchId, stored);
    },
    loadBatches: async (batchIds: readonly string[]) => {
      const stored = batchIds.length === 0 ? [] : await table.getMany(batchIds.map(batchKey));
      return new Map(stored.map((item) => [idIn(String(item['pk'])), read(idIn(String(item['pk'])), item)]));
    },
    createBatch: async (batch: Batch) => {
      return (await table.put(batchItem(batch, retentionMs), { type: 'absent' })) === 'put'
        ? ('created' as const)
        : ('exists' as const);
    },
    commitBatch: async (batch: Batch) => {
      const condition = { type: 'equals', values: { version: batch.version - 1 } } as const;
      const put = await table.put(batchItem(batch, retentionMs), condition);
      return put === 'put' ? ('committed' as const) : ('refused' as const);
    },
    putBatchKey: async (batchId: string, bodyHash: string) => {
      const key = { pk: `BATCH#${batchId}`, sk: 'KEY' };
      const put = await table.put({ ...key, v: 1, bodyHash, ex: expires() }, { type: 'absent' });
      return put === 'put' ? bodyHash : String((await table.get(key))?.['bodyHash']);
    },
  });
}

type RowParts = 'putRows' | 'readRows' | 'stripRow' | 'putChunk' | 'readChunks';

function batchRows(table: Table, expires: () => number): Part<RowParts> {
  const rowKey = (batchId: string, name: string): Key => ({ pk: `BATCH#${batchId}`, sk: `ROW#${name}` });
  return {
    putRows: (batchId, rows) =>
      table.putMany([...rows].map(([name, row]) => ({ ...row, ...rowKey(batchId, name), ex: expires() }))),
    readRows: async (batchId, names) => {
      const stored =
        names.length === 0 ? [] : await table.getMany(names.map((name) => rowKey(batchId, name)));
      return new Map(stored.map((item) => [idIn(String(item['sk'])), readRow(item)]));
    },
    stripRow: async (batchId, key) => {
      const { pk, sk } = rowKey(batchId, key);
      // A row that came twice with other content stands under two names.
      for (const { output: _, ...row } of await table.query(pk, sk, `${sk}~`, true)) {
        const bare = { ...row, pk, sk: String(row['sk']), input: '', metadata: '{}' };
        await table.put(bare, { type: 'equals', values: { key } });
      }
    },
    putChunk: async (batchId, n, { names, refused }) => {
      const lists = { keys: names.join(' '), refused: refused.join(' ') || undefined };
      const chunk = { ...chunkKey(batchId, n), v: 1, ...lists, ex: expires() };
      return (await table.put(chunk, { type: 'absent' })) === 'put' ? 'put' : 'exists';
    },
    readChunks: async (batchId, ns) => {
      const stored = ns.length === 0 ? [] : await table.getMany(ns.map((n) => chunkKey(batchId, n)));
      return new Map(
        stored.map((item) => [
          Number(idIn(String(item['sk']))),
          { names: words(item['keys']), refused: words(item['refused']) },
        ]),
      );
    },
  };
}

const words = (list: unknown): readonly string[] =>
  typeof list === 'string' && list !== '' ? list.split(' ') : [];

function rest(table: Table): Part<'putAgent' | 'readAgent' | 'listDue' | 'listDueLast'> {
  return {
    putAgent: async (name, version, json) => {
      await table.put({ pk: `AGENT#${name}`, sk: `V#${version}`, v: 1, json }, { type: 'absent' });
    },
    readAgent: async (name, version) => {
      const stored = await table.get({ pk: `AGENT#${name}`, sk: `V#${version}` });
      return stored && String(stored['json']);
    },
    listDue: async (shard, untilMs, limit, after) => {
      const keys = await table.listIndex('due', shard, {
        to: untilMs,
        limit,
        ...(after === undefined ? {} : { after: placeOf(after) }),
      });
      return keys.map(dueOf);
    },
    listDueLast: async (shard, untilMs, limit) =>
      (await table.listIndex('due', shard, { to: untilMs, limit, newestFirst: true })).map(dueOf),
  };
}
