import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { createApi } from '../src/api/app.ts';
import { sampleBatch, sampleBatchId } from '../src/api/batch-samples.ts';
import type { Given } from '../src/api/route.ts';
import { sampleBody, sampleCallId, sampleJobId, sampleLetterId } from '../src/api/samples.ts';
import { apiFiles } from '../src/api-files.ts';
import { ApiError, type Client, createClient } from '../src/client.ts';
import { identifyLocally, startApiServer } from '../src/local/api-server.ts';
import { worldGiven } from './api/given.ts';

/** A client of a local server. */
async function clientGiven(given: Given, headers = {}): Promise<Client> {
  const api = createApi({ world: await worldGiven(given), identify: identifyLocally, files: apiFiles });
  const server = await startApiServer({ api, port: 0 });
  afterAll(server.close);
  return createClient({ endpoint: `${server.url}/`, headers });
}

const id = sampleJobId;
const csv = { type: 'text/csv', body: 'id,body\n7,Where is my parcel?\n8,\n' } as const;
const rows = [{ id: 'x', input: 'Where is it?' }];

/** Each function: what stands before, how it is called, what it gives. */
const calls: readonly (readonly [
  keyof Client,
  Given,
  (client: Client) => Promise<unknown>,
  object | string,
])[] = [
  [
    'submit',
    'nothing',
    (c) => c.submit(sampleBody, { idempotencyKey: 'ticket-1001' }),
    { id, status: 'queued' },
  ],
  ['job', 'succeeded', (c) => c.job(id), { id, status: 'succeeded', steps: 2 }],
  ['jobs', 'stopped', (c) => c.jobs({ status: 'stopped', stop: 'max_steps', limit: 1 }), { items: [{ id }] }],
  ['steps', 'succeeded', (c) => c.steps(id, { limit: 1 }), { items: [{ step: 1 }] }],
  ['messages', 'succeeded', (c) => c.messages(id), { items: [{ role: 'user' }, {}, {}, {}], cursor: null }],
  ['cancel', 'queued', (c) => c.cancel(id), { status: 'cancelled' }],
  [
    'decide',
    'awaiting_approval',
    (c) => c.decide(id, sampleCallId, { decision: 'approve' }),
    { approvals: [{ status: 'approved' }] },
  ],
  ['extend', 'stopped', (c) => c.extend(id, { addSteps: 3, addUsd: 0.01 }), { limits: { maxSteps: 4 } }],
  ['retry', 'stopped', (c) => c.retry(id, { fromStep: 1 }), { id }],
  [
    'followUp',
    'succeeded',
    (c) => c.followUp(id, 'And in German.', { idempotencyKey: 'k' }),
    { status: 'queued' },
  ],
  ['deleteJob', 'succeeded', (c) => c.deleteJob(id), 'nothing'],
  [
    'submitBatch',
    'nothing',
    (c) => c.submitBatch({ ...sampleBatch, rows: [7] }),
    { rows: 1, rejectedRows: [{ id: null }] },
  ],
  ['addRows', 'batch_open', (c) => c.addRows(sampleBatchId, rows), { rows: 3, rejectedRows: [] }],
  [
    'submitFile',
    'nothing',
    (c) => c.submitFile(csv, { agent: 'triage', maxSteps: 3, budgetUsd: 0.5, open: true }),
    { status: 'open', rows: 2, cost: { budgetUsd: 0.5 } },
  ],
  ['addFile', 'batch_open', (c) => c.addFile(sampleBatchId, csv), { rows: 4 }],
  ['closeBatch', 'batch_open', (c) => c.closeBatch(sampleBatchId), { status: 'running' }],
  ['batch', 'batch_done', (c) => c.batch(sampleBatchId), { status: 'done', counts: { succeeded: 2 } }],
  ['batches', 'batch_done', (c) => c.batches({ limit: 1 }), { items: [{ id: sampleBatchId }] }],
  ['pauseBatch', 'batch_open', (c) => c.pauseBatch(sampleBatchId), { status: 'paused' }],
  ['resumeBatch', 'batch_paused', (c) => c.resumeBatch(sampleBatchId), { status: 'running' }],
  ['cancelBatch', 'batch_paused', (c) => c.cancelBatch(sampleBatchId), { status: 'cancelled' }],
  [
    'extendBatch',
    'batch_paused',
    (c) => c.extendBatch(sampleBatchId, 0.25, { idempotencyKey: 'k' }),
    { cost: { budgetUsd: 0.75 } },
  ],
  ['results', 'batch_done', (c) => c.results(sampleBatchId), { items: [{ id: '1001' }, { id: '1002' }] }],
  [
    'resultsCsv',
    'batch_done',
    (c) => c.resultsCsv(sampleBatchId, { limit: 1 }),
    { csv: expect.stringMatching(/^id,.*\n1001,/), cursor: expect.any(String) },
  ],
  ['approvals', 'awaiting_approval', (c) => c.approvals(), { items: [{ jobId: id, callId: sampleCallId }] }],
  ['agents', 'nothing', (c) => c.agents(), { items: [{ name: 'triage' }] }],
  ['costs', 'counted', (c) => c.costs('agent', { limit: 1 }), { items: [{ key: 'triage', jobs: 1 }] }],
  ['health', 'dead_letter', (c) => c.health(), { ok: true, deadLetters: 1 }],
  ['deadLetters', 'dead_letter', (c) => c.deadLetters(), { items: [{ id: sampleLetterId }] }],
  [
    'redrive',
    'dead_letter',
    (c) => c.redrive(sampleLetterId),
    { id: sampleLetterId, redrivenAt: expect.any(String) },
  ],
  ['stopAll', 'nothing', (c) => c.stopAll(), { stopped: true, scope: 'tenant' }],
  ['startAll', 'nothing', (c) => c.startAll('all'), { stopped: false, scope: 'all' }],
  ['openApi', 'nothing', (c) => c.openApi(), { openapi: '3.1.0' }],
];

describe('the client', () => {
  it.each(calls)('%s gives what the API answers, beside %s', async (name, given, call, expected) => {
    const client = await clientGiven(given);
    const alone = Object.fromEntries(Object.entries(client).filter(([other]) => other === name)) as Client;
    const got = (await call(alone)) ?? 'nothing';
    if (typeof expected === 'string') expect(got).toBe(expected);
    else expect(got).toMatchObject(expected);
  });

  it('has no function that is not called here', () => {
    const names = Object.keys(createClient({ endpoint: 'http://localhost' }));
    expect(calls.map(([name]) => name).sort()).toEqual(names.sort());
  });

  it('reads results page by page', async () => {
    const client = await clientGiven('batch_done');
    const first = await client.results(sampleBatchId, { limit: 1 });
    expect(first).toMatchObject({ items: [{ id: '1001', status: 'succeeded' }], cursor: expect.any(String) });
    const second = await client.results(sampleBatchId, { limit: 1, cursor: first.cursor ?? '' });
    expect(second.items).toMatchObject([{ id: '1002' }]);
  });

  it('sends its own headers with every request', async () => {
    const client = await clientGiven('succeeded', { 'x-treadle-tenant': 'a' });
    expect(await client.jobs()).toEqual({ items: [], cursor: null });
    expect((await client.submit(sampleBody)).tenant).toBe('a');
  });

  it('keeps an id together, whatever it holds', async () => {
    const client = await clientGiven('succeeded');
    for (const odd of ['../agents', 'a/b', 'a?b', 'a#b', '%2e', '']) {
      await expect(client.job(odd)).rejects.toMatchObject({ status: 404 });
    }
  });
});

describe('an answer that is no success', () => {
  it.each([
    [400, 'nothing', (c: Client) => c.submit({ ...sampleBody, limits: { maxSteps: 99 } }), 'limits.maxSteps'],
    [404, 'nothing', (c: Client) => c.job('job_none'), 'there is no such job'],
    [409, 'queued', (c: Client) => c.deleteJob(id), 'the job has not ended: queued'],
  ] as const)('rejects with %i and the problem', async (status, given, call, words) => {
    const error: unknown = await call(await clientGiven(given)).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ name: 'ApiError', status, message: expect.stringContaining(words) });
    expect(error).toMatchObject({ problem: { status, type: expect.stringMatching(/^urn:treadle:/) } });
  });

  it.each([
    ['a page of a stranger', '<html>'],
    ['null', 'null'],
    ['a number', '5'],
    ['nothing that is known', '{}'],
    ['a list that is none', '{"items":null}'],
    ['a list of nothing', '{"items":[null]}'],
    ['an id that is none', '{"id":"job_1\\u001b[2J; rm","items":[{"id":"a b"}]}'],
    ['a switch that is neither on nor off', '{"stopped":"yes"}'],
  ])('rejects %s, whatever was asked for and with whatever success', async (_, body) => {
    const fetch = async () => new Response(body, { headers: { 'content-type': 'text/html' } });
    const client = createClient({ endpoint: 'http://localhost', fetch });
    for (const [name, , call] of calls) {
      const refused = { status: 200, message: 'the answer is none of this API' };
      await expect(call(client), name).rejects.toMatchObject(refused);
    }
  });

  it('never takes the wrong way of the kill switch for what was asked', async () => {
    const fetch = async () => Response.json({ stopped: false, scope: 'tenant' });
    const client = createClient({ endpoint: 'http://localhost', fetch });
    await expect(client.stopAll()).rejects.toMatchObject({ status: 200 });
    expect(await client.startAll()).toMatchObject({ stopped: false });
  });

  it('keeps of a problem only what is of its kind', async () => {
    const body = { type: 7, title: 'No', detail: { a: 1 }, errors: 'x', status: 400 };
    const fetch = async () => Response.json(body, { status: 400 });
    const client = createClient({ endpoint: 'http://localhost', fetch });
    await expect(client.health()).rejects.toMatchObject({
      message: 'No',
      problem: { title: 'No', status: 400 },
    });
  });

  it('asks nobody for an id that would name another route', async () => {
    const fetch = async () => Promise.reject(new Error('asked'));
    const client = createClient({ endpoint: 'http://localhost/', fetch });
    for (const odd of ['', '.', '..']) {
      await expect(client.results(odd)).rejects.toMatchObject({ status: 404 });
      await expect(client.deleteJob(odd)).rejects.toMatchObject({ status: 404 });
    }
  });

  it('rejects with the status alone where a stranger answered', async () => {
    const html = async () => new Response('<html>', { status: 502 });
    const client = createClient({ endpoint: 'http://localhost', fetch: html });
    await expect(client.health()).rejects.toMatchObject({
      ...{ status: 502, problem: {}, message: 'the server answered 502' },
    });
  });
});

it('bundles for a browser from itself alone, under 10 KB', async () => {
  const { outputFiles, metafile } = await build({
    ...{ entryPoints: ['src/client.ts'], bundle: true, minify: true, write: false, metafile: true },
    ...{ platform: 'browser', format: 'esm', logLevel: 'silent' },
  });
  expect(Object.keys(metafile.inputs)).toEqual(['src/client.ts']);
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  expect(outputFiles[0]?.contents.length).toBeLessThan(10_000);
});
