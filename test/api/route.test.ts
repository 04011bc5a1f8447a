import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { webhookUrlProblem } from '../../src/adapters/webhook.ts';
import { json, tooManyRequests } from '../../src/api/answer.ts';
import { createApi } from '../../src/api/app.ts';
import { openApiDocument } from '../../src/api/openapi.ts';
import { listQuery, pageOf, readCursor, writeCursor } from '../../src/api/paging.ts';
import { parseJson } from '../../src/api/parse-json.ts';
import { defineRoute } from '../../src/api/route.ts';
import { routes } from '../../src/api/routes.ts';
import { apiFiles } from '../../src/api-files.ts';
import { identifyLocally } from '../../src/local/api-server.ts';
import { worldGiven } from './given.ts';

/** A route of a test's own, with everything that a route can have. */
const route = defineRoute({
  method: 'POST',
  path: '/things/{id}/rows',
  operationId: 'addRows',
  tag: 'Batches',
  summary: 'Rows as JSON or as a file',
  permission: 'submit',
  params: z.object({ id: z.string().regex(/^[a-z]+$/) }),
  query: listQuery.extend({ open: z.enum(['yes', 'no']).optional() }),
  headers: z.object({ 'X-Note': z.string().max(3).optional() }),
  body: {
    ...{ schema: z.strictObject({ rows: z.array(z.int()) }), maxBytes: 100 },
    ...{ fileTypes: ['text/csv'], tooLarge: 'send fewer rows' },
  },
  answers: { 202: { description: 'Taken', schema: z.object({ rows: z.int() }) } },
  problems: [429],
  examples: [],
  handle: async (_, { params, query, headers, body }) =>
    body.rows.length > 3
      ? tooManyRequests('enough for today', 60)
      : json(202, { params, query, headers, body }),
  handleFile: async (_, { file }) => json(202, { type: file.contentType, bytes: file.bytes.length }),
});

async function post(path: string, type: string, body: string | Uint8Array<ArrayBuffer>, headers = {}) {
  const api = createApi({
    files: apiFiles,
    world: await worldGiven('nothing'),
    identify: identifyLocally,
    routes: [route],
  });
  const response = await api.request(path, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, json: await response.json() };
}

describe('a route of the table', () => {
  it('hands its handler what its schemas made of the request', async () => {
    const reply = await post('/things/a/rows?limit=7&open=yes', 'application/json', '{"rows":[1]}', {
      'x-note': 'hi',
    });
    expect(reply).toMatchObject({
      status: 202,
      json: {
        params: { id: 'a' },
        query: { limit: 7, open: 'yes' },
        headers: { 'X-Note': 'hi' },
        body: { rows: [1] },
      },
    });
  });

  it('hands on a file as bytes, whatever its charset', async () => {
    const bytes = new Uint8Array([0xff, 0xfe, 0x61, 0x00]);
    expect(await post('/things/a/rows', 'text/csv; charset=utf-16', bytes)).toMatchObject({
      status: 202,
      json: { type: 'text/csv', bytes: 4 },
    });
  });

  it.each([
    ['/things/A/rows', {}, 404, 'there is no such thing'],
    ['/things/a/rows?open=perhaps', {}, 400, 'open: expected one of "yes"|"no"'],
    ['/things/a/rows?shut=no', {}, 400, 'shut: is not known here'],
    ['/things/a/rows', { 'x-note': 'long' }, 400, 'X-Note: Too big: expected string to have <=3 characters'],
  ])('refuses %s with %j', async (path, headers, status, detail) => {
    expect(await post(path, 'application/json', '{"rows":[]}', headers)).toMatchObject({
      status,
      json: { detail },
    });
  });

  it('says what to do with a body that is too large', async () => {
    expect(await post('/things/a/rows', 'text/csv', 'x'.repeat(101))).toMatchObject({
      status: 413,
      json: { detail: 'the body is over 100 bytes; send fewer rows' },
    });
  });

  it('answers 429 with when to come back', async () => {
    const reply = await post('/things/a/rows', 'application/json', '{"rows":[1,2,3,4]}');
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, '60']);
  });

  it('is in the document with its types and its problems', () => {
    const document = JSON.parse(JSON.stringify(openApiDocument([...routes, route])));
    const operation = document.paths['/things/{id}/rows'].post;
    expect(Object.keys(operation.requestBody.content)).toEqual(['application/json', 'text/csv']);
    expect(Object.keys(operation.responses)).toEqual([
      '202',
      '400',
      '403',
      '404',
      '413',
      '415',
      '429',
      '503',
    ]);
    expect(operation.parameters.map(({ name }: { name: string }) => name)).toEqual([
      ...['id', 'limit', 'cursor', 'open', 'X-Note'],
    ]);
  });
});

it('hands a webhook on where a secret is set', async () => {
  const plain = await worldGiven('nothing');
  const notifier = { events: undefined, webhook: { post: async () => ({ type: 'told' }) as const } };
  const world = { ...plain, notifier };
  const options = { files: apiFiles, identify: identifyLocally, webhookProblem: webhookUrlProblem };
  const post = (to: typeof world | typeof plain, webhook: string) => {
    const body = JSON.stringify({ agent: 'triage', input: 'x', webhook });
    const headers = { 'content-type': 'application/json' };
    return createApi({ ...options, world: to }).request('/jobs', { method: 'POST', headers, body });
  };
  const ask = async (webhook: string): Promise<number> => (await post(world, webhook)).status;
  const taken = await post(world, 'https://example.com/hook');
  expect(taken.status).toBe(202);
  const { id } = (await taken.json()) as { readonly id: string };
  expect(await world.store.readInfo(id)).toMatchObject({ webhook: 'https://example.com/hook' });
  expect(await ask('https://169.254.169.254/latest')).toBe(400);
  expect(await (await post(plain, 'https://example.com/hook')).json()).toMatchObject({
    detail: 'webhook: no webhook secret is set',
  });
  expect(await ask('http://example.com/hook')).toBe(400);
  expect(await ask('javascript:alert(1)')).toBe(400);
  expect(await ask(`https://example.com/${'x'.repeat(2_048)}`)).toBe(400);
});

describe('a page', () => {
  const all = Array.from({ length: 5 }, (_, at) => at);
  it('ends at the limit, and the cursor goes on there until nothing is left', () => {
    const first = pageOf(all, { limit: 3 });
    expect(first?.items).toEqual([0, 1, 2]);
    expect(pageOf(all, { limit: 3, cursor: first?.cursor ?? '' })).toEqual({ items: [3, 4], cursor: null });
    expect(pageOf(all, { limit: 5 })?.cursor).toBeNull();
    expect(pageOf(all, { limit: 5, cursor: writeCursor(-1) })).toBeUndefined();
  });

  it('is shorter where its items are long, but never empty', () => {
    const long = ['a', 'b', 'c'].map((letter) => letter.repeat(2_500_000));
    expect(pageOf(long, { limit: 3 })?.items).toHaveLength(1);
    expect(pageOf(['x'.repeat(5_000_000), 'y'], { limit: 2 })?.items).toHaveLength(1);
  });

  it('has a cursor that is URL-safe and holds any data', () => {
    const place = { t: 'ก~>?\u0000', n: [1, null] };
    const cursor = writeCursor(place);
    expect(cursor).toMatch(/^[\w-]+$/);
    expect(readCursor(z.unknown(), cursor)).toEqual(place);
    expect(readCursor(z.string(), cursor)).toBeUndefined();
    expect(readCursor(z.unknown(), '%%')).toBeUndefined();
  });
});

describe('JSON of a request', () => {
  it.each([
    ['[9007199254740991,9007199254740992]', [9007199254740991, '9007199254740992']],
    ['[-9007199254740993,0.1,1e5,-0,1E400]', ['-9007199254740993', 0.1, 1e5, -0, '1E400']],
    ['{"12345678901234567890":"98765432109876543210"}', { '12345678901234567890': '98765432109876543210' }],
    ['"a \\" 12345678901234567890"', 'a " 12345678901234567890'],
    ['"\\ud83d\\ude00 \\ud83d"', '\u{1f600} \ufffd'],
  ])('reads %s without loss', (text, value) => {
    expect(parseJson(text)).toEqual({ type: 'json', value });
  });

  it.each([
    '01234567890123456789',
    '12345678901234567890x',
    '-',
    '1.',
    '[12345678901234567890',
    'NaN',
    '',
    '"',
  ])('refuses %s', (text) => {
    expect(parseJson(text)).toEqual({ type: 'refused', why: 'is not JSON' });
  });

  it('takes 100 levels and refuses 101', () => {
    const nested = (levels: number) => parseJson('['.repeat(levels) + ']'.repeat(levels)).type;
    expect([nested(100), nested(101)]).toEqual(['json', 'refused']);
  });
});
