import { describe, expect, it } from 'vitest';
import type { Notifier } from '../../src/ports.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { deliver, runUntilIdle, VISIBILITY_MS } from '../support/drive.ts';
import { callsModel, textReply } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';
import { expectProblem, namesOf, post } from './replies.ts';
import { type ApiReply, type Send, senders } from './senders.ts';

const done = textReply('Done.');
const fieldWorld = (options: { readonly notifier?: Notifier } = {}): TestWorld =>
  memoryWorld({ agents: fieldAgents(newEffects()), model: callsModel([done]).model, ...options });

const row = (id: string | number, input: unknown = `ticket ${id}`) => ({ id: `r${id}`, input });
const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => row(from + n));

async function made(send: Send, changes: object = {}, headers = {}): Promise<string> {
  const reply = await post(send, '/batches', { agent: 'field', rows: rows(0, 3), ...changes }, headers);
  expect(reply.status, reply.text).toBe(202);
  return String(reply.json['id']);
}

const upload = (send: Send, path: string, type: string, text: string): Promise<ApiReply> =>
  send({ method: 'POST', path, text, headers: { 'content-type': type } });

const linesOf = (reply: ApiReply): readonly Record<string, unknown>[] =>
  reply.text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe.each(senders)('a batch %s', (_, open) => {
  it('is answered 202 with its place, runs, and gives its results', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const wrong = [
      { id: 'big', input: 'x'.repeat(262_145) },
      { input: 'no id' },
      7,
      { id: 'r1', input: 'again' },
    ];
    const reply = await post(send, '/batches', {
      ...{
        agent: 'field',
        rows: [...rows(0, 3), ...wrong, { id: 'o', input: { b: 1, a: 2 }, metadata: { m: 1 } }],
      },
      ...{ limits: { maxSteps: 2, maxCostUsd: 0.1 }, budgetUsd: 1 },
    });
    expect(reply.status).toBe(202);
    expect(reply.headers['location']).toBe(`/batches/${reply.json['id']}`);
    expect(reply.json).toMatchObject({
      ...{ status: 'running', rows: 7, counts: { queued: 4, rejected: 3 } },
      cost: { budgetUsd: 1, spentUsd: 0, forecastUsd: null },
      rejectedRows: [
        { id: 'big', reason: 'input: 262145 bytes, the most is 262144' },
        { id: null, reason: expect.stringMatching(/^row 5: id:/) },
        { id: null, reason: expect.stringMatching(/^row 6: a row must be an object/) },
      ],
    });
    await runUntilIdle(world);
    const path = String(reply.headers['location']);
    const read = await send({ path });
    expect(read.json).toMatchObject({ status: 'done', counts: { succeeded: 4, rejected: 3, queued: 0 } });
    const results = await send({ path: `${path}/results` });
    expect(results.headers['content-type']).toBe('application/x-ndjson');
    expect(results.headers['x-treadle-cursor']).toBeUndefined();
    expect(linesOf(results)).toMatchObject([
      { id: 'r0', line: null, status: 'succeeded', text: 'Done.', duplicateOf: null, error: null },
      ...[{ id: 'r1' }, { id: 'r2' }, { id: 'o', metadata: { m: 1 } }],
    ]);
    const job = await send({ path: `/jobs/${linesOf(results)[0]?.['jobId']}` });
    expect(job.json).toMatchObject({ batchId: reply.json['id'], limits: { maxSteps: 2, maxCostUsd: 0.1 } });
  });

  it('gives its results page by page, as lines and as CSV, while rows are still open', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const id = await made(send, { rows: rows(0, 5) });
    expect((await send({ path: `/batches/${id}/results` })).text).toBe('');
    await runUntilIdle(world);
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const page = await send({ path: `/batches/${id}/results?limit=2${cursor && `&cursor=${cursor}`}` });
      seen.push(...linesOf(page).map((line) => line['id']));
      cursor = page.headers['x-treadle-cursor'] ?? '';
      expect(seen.length).toBeLessThan(7);
    } while (cursor !== '');
    expect(seen).toEqual(['r0', 'r1', 'r2', 'r3', 'r4']);
    const csv = await send({ path: `/batches/${id}/results?format=csv&limit=1` });
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(csv.text).toMatch(/^id,line,jobId,status,[^\n]*\nr0,,job_[^\n]*\n$/);
    expect(csv.headers['x-treadle-cursor']).toMatch(/^[0-9a-z.]+$/);
  });

  it.each([
    ['format', 'format=xml'],
    ['limit', 'limit=201'],
    ['cursor', 'cursor=..'],
    ['cursor', 'cursor=UPPER'],
    ['colour', 'colour=red'],
  ])('refuses results with a wrong %s: %s', async (name, query) => {
    const send = await open(fieldWorld());
    const reply = await send({ path: `/batches/${await made(send)}/results?${query}` });
    expectProblem(reply, 400);
    expect(namesOf(reply)).toEqual([name]);
  });

  it('answers with fewer results than asked for where they would make a long answer', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const id = await made(send, { rows: [], open: true });
    const metadata = { m: 'x'.repeat(60_000) };
    for (let n = 0; n < 80; n += 40) {
      const some = rows(n, n + 40).map((one) => ({ ...one, metadata }));
      expect((await post(send, `/batches/${id}/rows`, { rows: some })).status).toBe(202);
    }
    await post(send, `/batches/${id}/close`);
    await runUntilIdle(world);
    const first = await send({ path: `/batches/${id}/results?limit=200` });
    expect(first.text.length).toBeLessThan(4_000_000);
    const cursor = first.headers['x-treadle-cursor'];
    const second = await send({ path: `/batches/${id}/results?limit=200&cursor=${cursor}` });
    expect([...linesOf(first), ...linesOf(second)].map((line) => line['id'])).toEqual(
      rows(0, 80).map((one) => one.id),
    );
  });

  it('takes files of tickets and of rows, with the rest as query parameters', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const query = 'agent=field&maxSteps=2&maxCostUsd=0.25&budgetUsd=0.5&open=true';
    const csv = 'id,subject,body\n7,Hello,Where is it?\n8,,\n9,"broken\n';
    const reply = await upload(send, `/batches?${query}`, 'text/csv; charset=utf-8', csv);
    expect(reply.status, reply.text).toBe(202);
    expect(reply.json).toMatchObject({
      ...{ status: 'open', rows: 3, counts: { queued: 2, rejected: 1 }, cost: { budgetUsd: 0.5 } },
      rejectedRows: [{ id: null, reason: 'line 4: a quote is never closed' }],
    });
    const path = `/batches/${reply.json['id']}`;
    const lines = '{"id":"a","input":"help"}\n{"id":"7","input":"the same row"}\n';
    const more = await upload(send, `${path}/rows`, 'application/x-ndjson', lines);
    expect([more.status, more.json['rows']]).toEqual([202, 4]);
    await post(send, `${path}/close`);
    await runUntilIdle(world);
    const results = linesOf(await send({ path: `${path}/results` }));
    expect(results).toMatchObject([
      { id: '7', line: 2, steps: 1, status: 'succeeded' },
      { id: '8', line: 3, steps: 0, needsReview: true, cost: { spentUsd: 0 } },
      { id: 'a', line: 1, steps: 1 },
    ]);
    const job = await send({ path: `/jobs/${results[0]?.['jobId']}` });
    expect(job.json).toMatchObject({ limits: { maxSteps: 2, maxCostUsd: 0.25 } });
  });

  it.each([
    ['agent', '', 'id,body\n1,x\n'],
    ['agent', 'agent=nobody', 'id,body\n1,x\n'],
    ['maxSteps', 'agent=field&maxSteps=51', 'id,body\n1,x\n'],
    ['maxSteps', 'agent=field&maxSteps=0', 'id,body\n1,x\n'],
    ['maxSteps', 'agent=field&maxSteps=1.5', 'id,body\n1,x\n'],
    ['maxCostUsd', 'agent=field&maxCostUsd=3', 'id,body\n1,x\n'],
    ['maxCostUsd', 'agent=field&maxCostUsd=-1', 'id,body\n1,x\n'],
    ['maxCostUsd', 'agent=field&maxCostUsd=1e-3', 'id,body\n1,x\n'],
    ['budgetUsd', 'agent=field&budgetUsd=0.0000001', 'id,body\n1,x\n'],
    ['open', 'agent=field&open=yes', 'id,body\n1,x\n'],
    ['webhook', 'agent=field&webhook=https://example.com/', 'id,body\n1,x\n'],
    ['rows', 'agent=field&rows=1', 'id,body\n1,x\n'],
    ['body', 'agent=field', ''],
    ['body', 'agent=field', 'id,body\n'],
    ['body', 'agent=field', 'id,"body\n'],
    ['body', 'agent=field', '\u0001\u0002\u0003\u0004\u0005\u0006'],
  ])('refuses a file by the name of what is wrong: %s in ?%s with %j', async (name, query, text) => {
    const world = fieldWorld();
    const send = await open(world);
    const reply = await upload(send, `/batches?${query}`, 'text/csv', text);
    expectProblem(reply, 400);
    expect(namesOf(reply)).toEqual([name]);
    expect(world.table.all()).toEqual([]);
  });

  it.each([
    ['agent', { agent: 'nobody' }],
    ['agent', { agent: undefined }],
    ['rows', { rows: 'text' }],
    ['rows', { rows: undefined }],
    ['limits.maxSteps', { limits: { maxSteps: 51 } }],
    ['limits.maxCostUsd', { limits: { maxCostUsd: 2.1 } }],
    ['budgetUsd', { budgetUsd: 0 }],
    ['open', { open: 'true' }],
    ['webhook', { webhook: 'https://example.com/' }],
    ['colour', { colour: 'red' }],
  ])('refuses a wrong %s', async (name, wrong) => {
    const world = fieldWorld();
    const send = await open(world);
    const reply = await post(send, '/batches', { agent: 'field', rows: rows(0, 1), ...wrong });
    expectProblem(reply, 400);
    expect(namesOf(reply)).toEqual([name]);
    expect(world.table.all()).toEqual([]);
  });

  it('refuses query parameters beside a JSON body', async () => {
    const send = await open(fieldWorld());
    const reply = await post(send, '/batches?agent=field&maxSteps=2', { agent: 'field', rows: [] });
    expectProblem(reply, 400);
    expect(namesOf(reply)).toEqual(['agent', 'maxSteps']);
  });

  it('answers more than 5,000 rows or 5 MB in one call with 413 that says how to send them', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const many = { agent: 'field', rows: Array.from({ length: 5_001 }, () => 1) };
    const csv = `id,body\n${Array.from({ length: 5_001 }, (_, n) => `${n},x\n`).join('')}`;
    const large = { agent: 'field', rows: [{ id: 'a', input: 'x'.repeat(5_000_000) }] };
    const id = await made(send, { open: true });
    const before = world.table.all();
    for (const reply of [
      await post(send, '/batches', many),
      await post(send, '/batches', large),
      await upload(send, '/batches?agent=field', 'text/csv', csv),
      await post(send, `/batches/${id}/rows`, { rows: many.rows }),
      await upload(send, `/batches/${id}/rows`, 'text/csv', csv),
    ]) {
      expectProblem(reply, 413);
      expect(reply.json['detail']).toContain('/rows');
    }
    expect(world.table.all()).toEqual(before);
    const most = await post(send, '/batches', { ...many, rows: rows(0, 5_000) });
    expect([most.status, most.json['rows']]).toEqual([202, 5_000]);
  });

  it('is one batch under one key, and another body under it is 422', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const key = { 'Idempotency-Key': 'monday' };
    const body = { agent: 'field', rows: [{ id: 'a', input: { x: 1, y: 2 } }, 'wrong'], budgetUsd: 1 };
    const first = await post(send, '/batches', body, key);
    const again = await post(
      send,
      '/batches',
      { ...body, rows: [{ input: { y: 2, x: 1 }, id: 'a' }, 'wrong'] },
      key,
    );
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.json).toEqual(first.json);
    expectProblem(await post(send, '/batches', { ...body, budgetUsd: 2 }, key), 422);
    const other = await post(send, '/batches', body, key, 'a');
    expect(other.json['id']).not.toBe(first.json['id']);
    for (const wrong of ['', 'k'.repeat(256), 'k\u00e9']) {
      const reply = await post(send, '/batches', body, { 'Idempotency-Key': wrong });
      expectProblem(reply, 400);
      expect(namesOf(reply)).toEqual(['Idempotency-Key']);
    }
    expect(world.table.all().filter(({ sk }) => sk === 'BATCH')).toHaveLength(2);
  });

  it('is paused, resumed and cancelled, each as often as one likes', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const id = await made(send);
    const change = (name: string) => post(send, `/batches/${id}/${name}`);
    for (const [name, status] of [
      ['pause', 'paused'],
      ['resume', 'running'],
      ['cancel', 'cancelled'],
    ] as const) {
      for (let times = 0; times < 2; times += 1) {
        const reply = await change(name);
        expect([name, reply.status, reply.json['status']]).toEqual([name, 202, status]);
      }
    }
    for (const name of ['pause', 'resume', 'close']) expectProblem(await change(name), 409);
    expectProblem(await post(send, `/batches/${id}/extend`, { addUsd: 1 }), 409);
    expectProblem(await post(send, `/batches/${id}/rows`, { rows: rows(5, 6) }), 409);
    const results = await send({ path: `/batches/${id}/results` });
    expect(linesOf(results).every((line) => line['status'] === 'cancelled')).toBe(true);
    expect((await send({ path: `/batches/${id}` })).json).toMatchObject({ counts: { cancelled: 3 } });
  });

  it('takes rows while it is open, each once, and ends when it is closed', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const id = await made(send, { rows: [], open: true });
    const add = (from: number, to: number) => post(send, `/batches/${id}/rows`, { rows: rows(from, to) });
    for (let times = 0; times < 2; times += 1) expect((await add(0, 2)).json).toMatchObject({ rows: 2 });
    await runUntilIdle(world);
    expect((await send({ path: `/batches/${id}` })).json).toMatchObject({ status: 'open' });
    expect((await add(1, 4)).json).toMatchObject({ status: 'open', rows: 4, rejectedRows: [] });
    for (let times = 0; times < 2; times += 1) {
      expect((await post(send, `/batches/${id}/close`)).json).toMatchObject({ status: 'running' });
    }
    expectProblem(await add(4, 5), 409);
    await runUntilIdle(world);
    expect((await send({ path: `/batches/${id}` })).json).toMatchObject({
      ...{ status: 'done', counts: { succeeded: 4 } },
      finishedAt: expect.any(String),
    });
  });

  it('whose pool is exhausted pauses, says so, and goes on when it is extended once', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const id = await made(send, { budgetUsd: 0.000001 });
    await runUntilIdle(world);
    expect((await send({ path: `/batches/${id}` })).json).toMatchObject({
      ...{ status: 'paused', counts: { queued: 3 } },
      stop: { reason: 'pool_exhausted', resumable: true },
    });
    expectProblem(await post(send, `/batches/${id}/resume`), 409);
    const key = { 'Idempotency-Key': 'more' };
    for (let times = 0; times < 2; times += 1) {
      const reply = await post(send, `/batches/${id}/extend`, { addUsd: 9.5 }, key);
      expect([reply.status, reply.json['cost']]).toMatchObject([202, { budgetUsd: 9.500001 }]);
    }
    expectProblem(await post(send, `/batches/${id}/extend`, { addUsd: 1 }, key), 422);
    for (const wrong of [{}, { addUsd: -1 }, { addUsd: '1' }, { addUsd: 1, addSteps: 1 }]) {
      expectProblem(await post(send, `/batches/${id}/extend`, wrong), 400);
    }
    await runUntilIdle(world);
    expect((await send({ path: `/batches/${id}` })).json).toMatchObject({ status: 'done', stop: null });
  });

  it('is listed, the newest first, page by page', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      ids.unshift(await made(send, { rows: rows(0, n) }));
      await world.clock.advance(1_000);
    }
    const seen: unknown[] = [];
    for (let cursor: unknown = ''; cursor !== null; ) {
      const page = await send({ path: `/batches?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}` });
      expect(page.status).toBe(200);
      seen.push(...(page.json['items'] as { id: string }[]).map((one) => one.id));
      cursor = page.json['cursor'];
      expect(seen.length).toBeLessThan(7);
    }
    expect(seen).toEqual(ids);
    for (const query of ['limit=0', 'cursor=nonsense', 'cursor=e30', 'status=open']) {
      expectProblem(await send({ path: `/batches?${query}` }), 400);
    }
  });

  it('hands its webhook on, and refuses one where no secret is set', async () => {
    const notifier = { events: undefined, webhook: { post: async () => ({ type: 'told' }) as const } };
    const world = fieldWorld({ notifier });
    const send = await open(world);
    const id = await made(send, { webhook: 'https://example.com/hook' });
    expect(await world.store.loadBatch(id)).toMatchObject({ webhook: 'https://example.com/hook' });
    for (const message of world.queue.receive(1, VISIBILITY_MS)) await deliver(world, message);
  });
});
