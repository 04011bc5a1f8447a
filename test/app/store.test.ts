import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoTable } from '../../src/adapters/dynamodb.ts';
import type { Place, Store } from '../../src/app/store.ts';
import { createStore } from '../../src/app/table-store.ts';
import type { Batch } from '../../src/core/batch.ts';
import { dueShards, shardOf } from '../../src/core/table.ts';
import { ensureTable, localAwsClients, type StandIns, startStandIns } from '../../src/local/stand-ins.ts';
import { createMemoryTable } from '../../src/testing/memory-table.ts';
import { aJob, anItem, NOW } from '../support/a-job.ts';

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

const info = { v: 1, agentVersion: 'a', metadata: '{}', bodyHash: 'b' } as const;
const memory = createStore(createMemoryTable(), keeping);

describe.each([
  ['in memory', () => memory],
  ['on DynamoDB', () => dynamo],
] as const)('the store %s', (name, store) => {
  const id = (what: string): string => `job_${what}_${name === 'in memory' ? 'm' : 'd'}`;

  it('creates a head once and commits only over the version before', async () => {
    const job = aJob({ id: id('head') });
    expect(await store().createJob(job)).toBe('created');
    expect(await store().createJob(job)).toBe('exists');
    const next = { ...job, version: 2, turn: 2 };
    expect(await store().commitJob(next)).toBe('committed');
    expect(await store().commitJob(next)).toBe('refused');
    expect(await store().loadJob(job.id)).toEqual(next);
    expect(await store().loadJob('job_none')).toBeUndefined();
  });

  it('lets one of many writers of the same version win', async () => {
    const job = aJob({ id: id('race') });
    await store().createJob(job);
    const commits = Array.from({ length: 10 }, (_, n) =>
      store().commitJob({ ...job, version: 2, by: `w${n}` }),
    );
    expect((await Promise.all(commits)).filter((result) => result === 'committed')).toHaveLength(1);
  });

  it('puts an item if it is absent or holds a lower fence', async () => {
    const put = (fence: number, nonce: string) => store().putItem(id('fence'), 2, anItem({ fence, nonce }));
    expect(await put(2, 'a')).toBe('put');
    expect(await put(2, 'b')).toBe('refused');
    expect(await put(1, 'c')).toBe('refused');
    expect(await put(3, 'd')).toBe('put');
    expect(await store().readItem(id('fence'), 2)).toMatchObject({ fence: 3, nonce: 'd' });
  });

  it('stamps an item only if it still holds the fence and nonce that were read', async () => {
    const job = id('stamp');
    await store().putItem(job, 2, anItem({ fence: 1, nonce: 'a' }));
    const stamped = anItem({ fence: 5, nonce: 'a' });
    expect(await store().putItem(job, 2, stamped, { fence: 2, nonce: 'a' })).toBe('refused');
    expect(await store().putItem(job, 2, stamped, { fence: 1, nonce: 'a' })).toBe('put');
  });

  it('keeps the input of the first caller, whoever asks again', async () => {
    const job = id('input');
    expect(await store().putInput(job, anItem({ user: '"a"' }), info)).toBe('created');
    expect(await store().putInput(job, anItem({ user: '"b"' }), { ...info, bodyHash: 'c' })).toBe('exists');
    expect(await store().readInfo(job)).toEqual(info);
    expect((await store().readItem(job, 1))?.user).toBe('"a"');
  });

  it('splits what is over the size of an item by UTF-8 bytes, and reads it back whole', async () => {
    const job = id('split');
    const thai = `${'ก'.repeat(400_000)}😀`;
    await store().putInput(job, anItem({ user: JSON.stringify(thai) }), info);
    await store().putItem(
      job,
      2,
      anItem({ user: JSON.stringify(thai), reply: JSON.stringify([thai]), fence: 1 }),
    );
    await store().putItem(job, 2, anItem({ user: JSON.stringify('newer'), fence: 2, born: 2, nonce: 'n' }));
    await store().putItem(job, 3, anItem({ reply: JSON.stringify([thai]), fence: 3 }));
    const { items, info: read } = await store().readTranscript(job, 3, true);
    expect(items.map((item) => item.user ?? item.reply)).toEqual([
      JSON.stringify(thai),
      '"newer"',
      JSON.stringify([thai]),
    ]);
    expect(read).toEqual(info);
    expect(items[1]?.reply).toBeUndefined();
  });

  it('reads all pages of a long transcript in order', async () => {
    const job = id('pages');
    await store().putInput(job, anItem({ user: '"task"' }), info);
    for (let at = 2; at <= 61; at += 1) {
      await store().putItem(job, at, anItem({ user: JSON.stringify(`${at}${'x'.repeat(30_000)}`) }));
    }
    const { items } = await store().readTranscript(job, 61, true);
    expect(items.slice(1).map((item) => Number.parseInt(item.user?.slice(1) ?? '', 10))).toEqual(
      Array.from({ length: 60 }, (_, n) => n + 2),
    );
    expect((await store().readTranscript(job, 50, true)).items).toHaveLength(50);
  });

  it('reads single items of several jobs, those in parts too, and leaves out what is not there', async () => {
    const [one, two] = [id('some1'), id('some2')];
    const user = JSON.stringify('ก'.repeat(200_000));
    await store().putInput(one, anItem({ user }), info);
    await store().putItem(one, 2, anItem({ reply: 'second' }));
    await store().putItem(two, 3, anItem({ user, reply: 'third' }));
    const wanted = new Map([
      [one, [1, 2, 2, 9]],
      [two, [1, 3]],
      [id('none'), [1]],
    ]);
    const found = await store().readItems(wanted);
    expect([...found.keys()].sort()).toEqual([one, two].sort());
    expect(found.get(one)).toMatchObject({ info });
    expect(found.get(two)?.info).toBeUndefined();
    expect([...(found.get(one)?.items.keys() ?? [])].sort()).toEqual([1, 2]);
    expect(found.get(one)?.items.get(1)).toMatchObject({ user });
    expect(found.get(two)?.items.get(3)).toMatchObject({ user, reply: 'third' });
    expect(await store().readItems(new Map())).toEqual(new Map());
  });

  it('lists the calls of a job that have a record', async () => {
    const jobId = id('calls');
    expect(await store().listCalls(jobId)).toEqual([]);
    for (const [born, place] of [
      [12, 0],
      [3, 10],
    ] as const)
      await store().putIntent({ jobId, born, place }, 'o');
    await store().closeIntent({ jobId, born: 3, place: 10 }, 'o', {
      state: 'done',
      text: '',
      isError: false,
    });
    const calls = [
      { jobId, born: 12, place: 0 },
      { jobId, born: 3, place: 10 },
    ];
    expect(await store().listCalls(jobId)).toEqual(expect.arrayContaining(calls));
    expect(await store().listCalls(jobId)).toHaveLength(2);
  });

  it('strips a row of what its owner wrote, and makes none that is not there', async () => {
    const batchId = `batch_${id('strip')}`;
    const row = {
      v: 1,
      key: 'k',
      id: 'r',
      line: 2,
      input: 'canary',
      metadata: '{"a":1}',
      output: '"canary"',
    } as const;
    await store().putRows(
      batchId,
      new Map([
        ['k.one', row],
        ['k.two', { ...row, input: 'other canary' }],
        ['kx.one', { ...row, key: 'kx' }],
      ]),
    );
    await store().stripRow(batchId, 'k');
    await store().stripRow(batchId, 'none');
    const { output: _, ...kept } = row;
    const rows = await store().readRows(batchId, ['k.one', 'k.two', 'kx.one', 'none']);
    for (const name of ['k.one', 'k.two'])
      expect(rows.get(name)).toEqual({ ...kept, input: '', metadata: '{}' });
    expect(rows.get('kx.one')?.input).toBe('canary');
    expect(rows.has('none')).toBe(false);
  });

  it('takes an intent once, and closes it once', async () => {
    const key = { jobId: id('call'), born: 3, place: 1 };
    expect(await store().putIntent(key, 'a')).toBe('put');
    expect(await store().putIntent(key, 'b')).toBe('exists');
    const done = { state: 'done', text: 'ok', isError: false } as const;
    expect(await store().closeIntent(key, 'b', done)).toBe('refused');
    expect(await store().closeIntent(key, 'a', done)).toBe('closed');
    expect(await store().closeIntent(key, undefined, { ...done, state: 'unknown' })).toBe('refused');
    expect(await store().readCall(key)).toEqual({ ...done, owner: 'a' });
    expect(await store().closeIntent({ ...key, place: 9 }, 'a', done)).toBe('refused');
  });

  it('lists what is due, and nothing once it is due no more', async () => {
    const job = aJob({ id: id('due'), dueAtMs: NOW + 5 });
    await store().createJob(job);
    const shard = shardOf(job.id);
    expect(dueShards).toContain(shard);
    const listed = async (until: number) => (await store().listDue(shard, until, 100)).map((due) => due.id);
    expect(await listed(NOW + 4)).not.toContain(job.id);
    expect(await listed(NOW + 5)).toContain(job.id);
    await store().commitJob({ ...job, version: 2, dueAtMs: 0 });
    expect(await listed(NOW + 5)).not.toContain(job.id);
  });

  it('lists a tenant’s jobs newest first, page by page, and nobody else’s', async () => {
    const tenant = id('lister');
    const times = [NOW, NOW + 2, NOW + 1, NOW + 1];
    for (const [n, createdAtMs] of times.entries())
      await store().createJob(aJob({ id: id(`list${n}`), tenant, createdAtMs }));
    await store().createJob(aJob({ id: id('stranger'), tenant: `${tenant}_2`, createdAtMs: NOW }));
    const pages: string[][] = [];
    let after: Place | undefined;
    do {
      const page = await store().listOf('jobs', tenant, { limit: 2, ...(after && { after }) });
      pages.push(page.map((place) => place.id));
      after = page.length < 2 ? undefined : page.at(-1);
    } while (after !== undefined);
    expect(pages[0]?.[0]).toBe(id('list1'));
    expect(pages.flat().toSorted()).toEqual(times.map((_, n) => id(`list${n}`)));
    expect(pages.flat().at(-1)).toBe(id('list0'));
  });

  it('lists the jobs that wait for a person, oldest first, as long as they wait', async () => {
    const tenant = id('asker');
    const pending = { item: 2, born: 1, states: 'W', expiresAtMs: NOW, decidedAtMs: 0 };
    const waiting = (name: string, sinceMs: number) =>
      aJob({
        id: id(name),
        tenant,
        status: { type: 'awaiting_approval' },
        pending: { ...pending, sinceMs },
      });
    await store().createJob(waiting('late', NOW + 9));
    await store().createJob(waiting('early', NOW + 1));
    const listed = async () =>
      (await store().listOf('waiting', tenant, { limit: 9 })).map((place) => place.id);
    expect(await listed()).toEqual([id('early'), id('late')]);
    await store().commitJob({ ...waiting('early', NOW + 1), version: 2, status: { type: 'queued' } });
    expect(await listed()).toEqual([id('late')]);
  });

  it('purges a job to its head and the record of its key, as often as it is asked to', async () => {
    const jobId = id('purged');
    const job = aJob({ id: jobId });
    await store().createJob(job);
    const secret = { ...info, metadata: '{"name":"canary"}', rowId: 'r1' };
    await store().putInput(jobId, anItem({ user: '"canary"'.repeat(60_000) }), secret);
    await store().putItem(jobId, 2, anItem({ reply: '"canary"' }));
    const call = { jobId, born: 1, place: 0 };
    await store().putIntent(call, 'owner');
    await store().closeIntent(call, 'owner', { state: 'done', text: 'canary', isError: false });
    await store().putAsk({ jobId, born: 1, place: 0 }, 'A', { reason: 'canary', who: 'x', atMs: NOW });
    for (let times = 0; times < 2; times += 1) {
      await store().purgeJob(jobId);
      const { info: kept, items } = await store().readTranscript(jobId, 9, true);
      expect(items).toHaveLength(1);
      expect(JSON.stringify(items) + JSON.stringify(kept)).not.toContain('canary');
      expect(kept).toMatchObject({ bodyHash: 'b', agentVersion: 'a', rowId: 'r1', metadata: '{}' });
    }
    // That it was begun stays: otherwise a sleeper could begin it again.
    expect(await store().readCall(call)).toMatchObject({ state: 'unknown', text: '' });
    expect(await store().putIntent(call, 'sleeper')).toBe('exists');
    expect(await store().readAsk({ jobId, born: 1, place: 0 }, 'A')).toBeUndefined();
    expect(await store().loadJob(jobId)).toEqual(job);
    expect(await store().putInput(jobId, anItem(), info)).toBe('exists');
  });

  it('keeps batches, rows, chunks and outcomes', async () => {
    const batch: Batch = {
      ...{
        id: `batch_${id('b')}`,
        tenant: 't',
        agent: 'a',
        agentVersion: 'v',
        status: 'running',
        stop: undefined,
      },
      ...{
        turn: 1,
        version: 1,
        by: '',
        apiBy: '',
        from: '',
        notBeforeMs: 0,
        dueAtMs: NOW,
        nudges: 0,
        idle: 0,
      },
      ...{ chunks: [2], cursor: 1, open: [{ ordinal: 0, ceiling: 5, grant: 0 }], budget: 10, spent: 1 },
      ...{
        counts: { succeeded: 0, stopped: 0, failed: 0, cancelled: 0 },
        concurrency: 2,
        cancelRequested: false,
      },
      limits: { maxSteps: 1, maxTokens: 2, maxConsecutiveFailures: 3, timeoutSeconds: 4 },
      ...{ ceiling: 5, createdAtMs: NOW, updatedAtMs: NOW, endedAtMs: 0 },
      ...{ accepting: true, rejected: 2, webhook: 'https://a.example/', bodyHash: 'h', keys: [['k', 'b']] },
    };
    expect(await store().createBatch(batch)).toBe('created');
    const paused: Batch = {
      ...batch,
      version: 2,
      status: 'paused',
      dueAtMs: 0,
      stop: { reason: 'pool_exhausted', detail: 'x' },
    };
    expect(await store().commitBatch(paused)).toBe('committed');
    expect(await store().loadBatch(batch.id)).toEqual(paused);
    const rows = Array.from(
      { length: 30 },
      (_, n) => ({ v: 1, key: `k${n}`, id: `r${n}`, line: n, input: 'x', metadata: '{}' }) as const,
    );
    expect(await store().loadBatches([batch.id, 'batch_none'])).toEqual(new Map([[batch.id, paused]]));
    await store().putRows(batch.id, new Map(rows.map((row) => [`${row.key}.x`, row])));
    expect(await store().readRows(batch.id, ['k7.x', 'k7.y'])).toEqual(new Map([['k7.x', rows[7]]]));
    const chunk = { names: ['k1.x', 'k2.x'], refused: ['k3'] };
    expect(await store().putChunk(batch.id, 1, chunk)).toBe('put');
    expect(await store().putChunk(batch.id, 1, { names: ['k4.x'], refused: [] })).toBe('exists');
    expect(await store().putChunk(batch.id, 2, { names: [], refused: [] })).toBe('put');
    expect(await store().readChunks(batch.id, [1, 2, 3])).toEqual(
      new Map([
        [1, chunk],
        [2, { names: [], refused: [] }],
      ]),
    );
    expect(await store().putBatchKey(batch.id, 'one')).toBe('one');
    expect(await store().putBatchKey(batch.id, 'two')).toBe('one');
  });
});
