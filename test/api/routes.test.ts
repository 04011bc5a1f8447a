import { describe, expect, it } from 'vitest';
import type { Approval } from '../../src/app/approve.ts';
import { RetryableError } from '../../src/core/errors.ts';
import type { Table } from '../../src/ports.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { strictWorld } from '../field/run-case.ts';
import { scriptOf } from '../field/scripts.ts';
import { runUntilIdle } from '../support/drive.ts';
import { callsModel, textReply, toolReply } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';
import { expectProblem, namesOf, post } from './replies.ts';
import { type Send, senders } from './senders.ts';

const limits = { maxSteps: 3 };
const json = { 'content-type': 'application/json' };
const failing = Array.from({ length: 3 }, () => toolReply(['fail_tool', { message: 'no' }]));

function fieldWorld(replies = [toolReply(['search_kb', { query: 'a' }]), textReply('Done.')]): TestWorld {
  return memoryWorld({ agents: fieldAgents(newEffects()), model: callsModel(replies).model });
}

const submitted = async (send: Send, changes: object = {}, tenant = 'default'): Promise<string> => {
  const reply = await post(send, '/jobs', { agent: 'field', input: 'help', ...changes }, {}, tenant);
  expect(reply.status, reply.text).toBe(202);
  return String(reply.json['id']);
};

describe.each(senders)('a job %s', (_, open) => {
  it('is answered 202 with its place, and can be read there', async () => {
    const send = await open(fieldWorld());
    const reply = await post(send, '/jobs', { agent: 'field', input: { b: 1, a: ['x'] }, limits });
    expect(reply.status).toBe(202);
    expect(reply.headers).toMatchObject({
      location: `/jobs/${reply.json['id']}`,
      'content-type': 'application/json',
      'cache-control': 'no-store',
    });
    const read = await send({ path: String(reply.headers['location']) });
    expect(read.status).toBe(200);
    expect(read.json).toEqual(reply.json);
    expect(read.json).toMatchObject({ status: 'queued', input: '{"a":["x"],"b":1}', limits });
  });

  it('H-H5: the same key and body are one job, in any order of keys; another body is 422', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const key = { 'Idempotency-Key': 'K' };
    const bodyA = { agent: 'field', input: { one: 1, two: 2 }, metadata: { x: 1, y: 2 }, limits };
    const reordered = { limits, metadata: { y: 2, x: 1 }, input: { two: 2, one: 1 }, agent: 'field' };
    const first = await post(send, '/jobs', bodyA, key);
    expect(first.status).toBe(202);
    expectProblem(await post(send, '/jobs', { ...bodyA, input: 'B' }, key), 422);
    const again = await post(send, '/jobs', reordered, key);
    expect([again.status, again.json['id']]).toEqual([200, first.json['id']]);
    expect(again.headers['location']).toBe(`/jobs/${first.json['id']}`);
    const other = await post(send, '/jobs', bodyA, key, 'a');
    expect(other.status).toBe(202);
    expect(other.json['id']).not.toBe(first.json['id']);
  });

  it('H-H5: the same key twice at once is one job', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const body = { agent: 'field', input: 'once' };
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => post(send, '/jobs', body, { 'Idempotency-Key': 'twice' })),
    );
    expect(new Set(replies.map(({ json }) => json['id'])).size).toBe(1);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 202]);
    expect(world.table.all().filter(({ sk }) => sk === 'JOB')).toHaveLength(1);
    await runUntilIdle(world);
    expect((await send({ path: `/jobs/${replies[0]?.json['id']}` })).json).toMatchObject({ steps: 2 });
  });

  it.each([
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['of 2,000 characters', 'k'.repeat(2_000)],
    ['with a blank inside', 'a b'],
    ['that is not ASCII', 'k\u00e9'],
  ])('H-H5: refuses a key %s', async (_name, key) => {
    const send = await open(fieldWorld());
    const reply = await post(send, '/jobs', { agent: 'field', input: 'x' }, { 'Idempotency-Key': key });
    expectProblem(reply, 400);
    expect(namesOf(reply)).toEqual(['Idempotency-Key']);
  });

  it('takes a key of 255 visible characters', async () => {
    const send = await open(fieldWorld());
    const key = { 'Idempotency-Key': '!~'.padEnd(255, 'k') };
    expect((await post(send, '/jobs', { agent: 'field', input: 'x' }, key)).status).toBe(202);
  });

  it('H-H2: the same key while a call waits leaves one approval, and asks no model', async () => {
    const { world, strict } = strictWorld({ script: 'gate_and_free' });
    const send = await open(world);
    const body = { agent: 'field', input: 'refund please' };
    const first = await post(send, '/jobs', body, { 'Idempotency-Key': 'gate' });
    await runUntilIdle(world);
    for (let again = 0; again < 3; again += 1) {
      const reply = await post(send, '/jobs', body, { 'Idempotency-Key': 'gate' });
      expect(reply.status).toBe(200);
      expect(reply.json['id']).toBe(first.json['id']);
      expect(reply.json['approvals']).toMatchObject([{ status: 'pending', tool: 'issue_refund' }]);
      await runUntilIdle(world);
    }
    expect(strict.calls()).toHaveLength(1);
  });

  it.each([
    ['limits.maxSteps', { maxSteps: 51 }],
    ['limits.maxSteps', { maxSteps: 0 }],
    ['limits.maxSteps', { maxSteps: -1 }],
    ['limits.maxSteps', { maxSteps: 1.5 }],
    ['limits.maxSteps', { maxSteps: '5' }],
    ['limits.maxSteps', { maxSteps: null }],
    ['limits.maxCostUsd', { maxCostUsd: 2.000001 }],
    ['limits.maxCostUsd', { maxCostUsd: 0 }],
    ['limits.maxCostUsd', { maxCostUsd: -0.01 }],
    ['limits.maxCostUsd', { maxCostUsd: 0.0000001 }],
    ['limits.maxTokens', { maxTokens: 10_000_001 }],
    ['limits.maxConsecutiveFailures', { maxConsecutiveFailures: 4 }],
    ['limits.timeoutSeconds', { timeoutSeconds: 86_401 }],
    ['limits.maxStep', { maxStep: 5 }],
  ])('refuses %s of %j by its name', async (name, wrong) => {
    const world = fieldWorld();
    const send = await open(world);
    const reply = await post(send, '/jobs', { agent: 'field', input: 'x', limits: wrong });
    expectProblem(reply, 400);
    expect(namesOf(reply)).toEqual([name]);
    expect(world.table.all()).toEqual([]);
  });

  it("takes the agent's own limits, and dollars to the micro-dollar", async () => {
    const send = await open(fieldWorld());
    const exact = { maxSteps: 50, maxCostUsd: 1.999999, maxConsecutiveFailures: 3, timeoutSeconds: 86_400 };
    const reply = await post(send, '/jobs', { agent: 'field', input: 'x', limits: exact });
    expect(reply.json).toMatchObject({ limits: exact, cost: { ceilingUsd: 1.999999 } });
  });

  it.each([
    ['agent', { agent: 'nobody' }],
    ['agent', { agent: 'n'.repeat(100) }],
    ['agent', { agent: 7 }],
    ['input', { input: 7 }],
    ['input', { input: ['a'] }],
    ['input', { input: null }],
    ['metadata', { metadata: 'text' }],
    ['webhook', { webhook: 'https://example.com/hook' }],
    ['webhook', { webhook: 'http://example.com/hook' }],
    ['colour', { colour: 'red' }],
  ])('refuses a wrong %s', async (name, wrong) => {
    const send = await open(fieldWorld());
    const reply = await post(send, '/jobs', { agent: 'field', input: 'x', ...wrong });
    expectProblem(reply, 400);
    expect(namesOf(reply)).toEqual([name]);
  });

  it('says which agents there are, and which body it wants', async () => {
    const send = await open(fieldWorld());
    const unknown = await post(send, '/jobs', { agent: 'nobody', input: 'x' });
    expect(unknown.json['detail']).toBe('unknown agent; the agents are: field, field_triage');
    expect(unknown.json['type']).toBe('urn:treadle:unknown_agent');
    const large = await post(send, '/jobs', {
      agent: 'field',
      input: 'x',
      metadata: { m: 'x'.repeat(66_000) },
    });
    expectProblem(large, 400);
    expect(large.json['type']).toBe('urn:treadle:invalid_metadata');
  });

  it('H-Q5: 900 KB of text are 413, and messages stay under 4 KB whatever was accepted', async () => {
    const world = fieldWorld();
    const send = await open(world);
    expectProblem(await post(send, '/jobs', { agent: 'field', input: 'x'.repeat(900_000) }), 413);
    expectProblem(await post(send, '/jobs', { agent: 'field', input: 'x'.repeat(1_100_000) }), 413);
    expectProblem(await post(send, '/jobs', { agent: 'field', input: 'ก'.repeat(87_382) }), 413);
    expect(world.table.all()).toEqual([]);
    expect((await post(send, '/jobs', { agent: 'field', input: 'x'.repeat(262_144) })).status).toBe(202);
    for (let job = 0; job < 10; job += 1) await submitted(send, { input: `${job}`.repeat(200_000) });
    for (const { body } of world.queue.messages()) expect(body.length).toBeLessThan(4_096);
    expect(world.queue.messages()).toHaveLength(11);
  });

  it('lists its steps and messages page by page', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const id = await submitted(send);
    await runUntilIdle(world);
    const seen: unknown[] = [];
    for (let cursor: unknown = '', pages = 0; cursor !== null; pages += 1) {
      expect(pages).toBeLessThan(3);
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await send({ path: `/jobs/${id}/steps?limit=1${query}` });
      seen.push(...(page.json['items'] as unknown[]));
      cursor = page.json['cursor'];
    }
    expect(seen).toMatchObject([
      { step: 1, calls: [{ name: 'search_kb' }] },
      { step: 2, text: 'Done.' },
    ]);
    const messages = await send({ path: `/jobs/${id}/messages` });
    expect(messages.json).toMatchObject({ cursor: null });
    expect((messages.json['items'] as { role: string }[]).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it.each([
    ['limit', 'limit=0'],
    ['limit', 'limit=201'],
    ['limit', 'limit=1e2'],
    ['limit', 'limit='],
    ['limit', 'limit=5&limit=6'],
    ['cursor', 'cursor=nonsense'],
    ['cursor', 'cursor='],
    ['colour', 'colour=red'],
    ['__proto__', '__proto__=x'],
  ])('refuses a list with a wrong %s: %s', async (name, query) => {
    const send = await open(fieldWorld());
    const id = await submitted(send);
    const reply = await send({ path: `/jobs/${id}/steps?${query}` });
    expectProblem(reply, 400);
    expect(namesOf(reply)).toEqual([name]);
  });

  it('is cancelled once and for all, and cannot be once it has ended otherwise', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const id = await submitted(send);
    for (let times = 0; times < 2; times += 1) {
      const reply = await send({ method: 'POST', path: `/jobs/${id}/cancel` });
      expect([reply.status, reply.json['status']]).toEqual([202, 'cancelled']);
    }
    const ended = await submitted(send);
    await runUntilIdle(world);
    expectProblem(await send({ method: 'POST', path: `/jobs/${ended}/cancel` }), 409);
    expectProblem(await send({ method: 'POST', path: '/jobs/job_none/cancel' }), 404);
  });

  it('is extended when a limit stopped it, and only then', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const id = await submitted(send, { limits: { maxSteps: 1, maxCostUsd: 0.5 } });
    expectProblem(await post(send, `/jobs/${id}/extend`, { addSteps: 2 }), 409);
    expectProblem(await post(send, `/jobs/${id}/extend`, {}), 409);
    await runUntilIdle(world);
    expectProblem(await post(send, `/jobs/${id}/extend`, {}), 400);
    expectProblem(await send({ method: 'POST', path: `/jobs/${id}/extend` }), 400);
    for (const wrong of [
      { addSteps: 0 },
      { addSteps: -1 },
      { addSteps: 0.5 },
      { addUsd: 0 },
      { addTokens: 1e13 },
    ]) {
      const reply = await post(send, `/jobs/${id}/extend`, wrong);
      expectProblem(reply, 400);
      expect(namesOf(reply)).toEqual(Object.keys(wrong));
    }
    const reply = await post(send, `/jobs/${id}/extend`, { addSteps: 2, addUsd: 0.25, addTokens: 5 });
    expect(reply.status).toBe(202);
    expect(reply.json).toMatchObject({ status: 'queued', limits: { maxSteps: 3, maxCostUsd: 0.75 } });
    await runUntilIdle(world);
    expect((await send({ path: `/jobs/${id}` })).json).toMatchObject({ status: 'succeeded', steps: 2 });
    expectProblem(await post(send, `/jobs/${id}/extend`, { addSteps: 2 }), 409);
    expectProblem(await post(send, '/jobs/job_none/extend', { addSteps: 2 }), 404);
  });

  it.each(['an empty object', 'no body'])('is extended with %s after failures in a row', async (what) => {
    const world = fieldWorld([...failing, textReply('I give up.'), textReply('Done.')]);
    const send = await open(world);
    const id = await submitted(send, { limits: { maxConsecutiveFailures: 1 } });
    await runUntilIdle(world);
    expect((await send({ path: `/jobs/${id}` })).json).toMatchObject({
      stop: { reason: 'consecutive_failures', resumable: true },
    });
    const request = { method: 'POST', path: `/jobs/${id}/extend` };
    const reply = await send(what === 'no body' ? request : { ...request, body: {} });
    expect([reply.status, reply.json['status']]).toEqual([202, 'queued']);
  });

  it('H-H1: approved twice at once and again after its end, every answer is 200 and there is one refund', async () => {
    const { world, effects, strict } = strictWorld({ script: 'gate_and_free' });
    const send = await open(world);
    const id = await submitted(send);
    await runUntilIdle(world);
    const [waiting] = (await send({ path: `/jobs/${id}` })).json['approvals'] as Approval[];
    const path = `/jobs/${id}/approvals/${waiting?.callId}`;
    const approve = { decision: 'approve', inputHash: waiting?.inputHash };
    expectProblem(await post(send, path, { decision: 'approve', inputHash: 'other' }), 409);
    const both = await Promise.all([post(send, path, approve), post(send, path, approve)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    await runUntilIdle(world);
    expect((await send({ path: `/jobs/${id}` })).json).toMatchObject({ status: 'succeeded', steps: 2 });
    const late = await post(send, path, { decision: 'approve' });
    expect([late.status, late.json['status']]).toEqual([200, 'succeeded']);
    expectProblem(await post(send, path, { decision: 'deny' }), 409);
    expect(effects.refunds).toHaveLength(1);
    expect(effects.runs.get('search_kb')).toBe(1);
    expect(strict.calls()).toHaveLength(2);
    expectProblem(await post(send, `/jobs/${id}/approvals/call_9_9`, { decision: 'deny' }), 404);
    expectProblem(await post(send, `/jobs/${id}/approvals/toolu_1`, { decision: 'deny' }), 404);
    expectProblem(await post(send, path, { decision: 'maybe' }), 400);
  });

  it('H-H3: denied, the free call of the same turn has run once and the run goes on', async () => {
    const { world, effects } = strictWorld({ script: 'gate_and_free' });
    const send = await open(world);
    const id = await submitted(send);
    await runUntilIdle(world);
    const reply = await post(send, `/jobs/${id}/approvals/call_1_1`, {
      decision: 'deny',
      reason: 'too \u0000 much',
    });
    expect(reply.status).toBe(200);
    await runUntilIdle(world);
    expect((await send({ path: `/jobs/${id}` })).json).toMatchObject({
      status: 'succeeded',
      needsReview: false,
    });
    expect(effects.refunds).toEqual([]);
    expect(effects.runs.get('search_kb')).toBe(1);
  });

  it('H-H3: a decision past its time is 409', async () => {
    const { world } = strictWorld({ script: scriptOf([['issue_refund', { orderId: 'A', amountCents: 1 }]]) });
    const send = await open(world);
    const id = await submitted(send);
    await runUntilIdle(world);
    await world.clock.advance(73 * 3_600_000);
    expectProblem(await post(send, `/jobs/${id}/approvals/call_1_0`, { decision: 'approve' }), 409);
  });

  it('is not there for another tenant, whatever is tried, and nothing of it changes', async () => {
    const { world } = strictWorld({ script: 'gate_and_free' });
    const send = await open(world);
    const id = await submitted(send, {}, 'b');
    await runUntilIdle(world);
    const before = world.table.all();
    const tries: readonly (readonly [string, string, unknown])[] = [
      ['GET', `/jobs/${id}`, undefined],
      ['GET', `/jobs/${id}/steps`, undefined],
      ['GET', `/jobs/${id}/messages`, undefined],
      ['POST', `/jobs/${id}/cancel`, undefined],
      ['POST', `/jobs/${id}/extend`, {}],
      ['POST', `/jobs/${id}/extend`, { addSteps: 1 }],
      ['POST', `/jobs/${id}/approvals/call_1_1`, { decision: 'approve' }],
    ];
    for (const [method, path, body] of tries) {
      const reply = await send({ method, path, tenant: 'a', ...(body === undefined ? {} : { body }) });
      expectProblem(reply, 404);
      const none = await send({
        ...{ method, path: path.replace(id, 'job_none'), tenant: 'a' },
        ...(body === undefined ? {} : { body }),
      });
      expect(none.json).toEqual(reply.json);
    }
    expect(world.table.all()).toEqual(before);
    const stopped = await submitted(send, { limits: { maxSteps: 1 } }, 'b');
    await runUntilIdle(world);
    expect((await send({ path: `/jobs/${stopped}`, tenant: 'b' })).json['status']).toBe('stopped');
    expectProblem(await post(send, `/jobs/${stopped}/extend`, {}, {}, 'a'), 404);
  });
});

describe.each(senders)('the API %s', (_, open) => {
  it('lists its agents', async () => {
    const send = await open(fieldWorld());
    const { status, json } = await send({ path: '/agents' });
    expect(status).toBe(200);
    expect(json).toMatchObject({ cursor: null });
    expect(json['items']).toMatchObject([
      { name: 'field', model: 'scripted-1', limits: { maxSteps: 50, maxCostUsd: 2 } },
      { name: 'field_triage' },
    ]);
    const id = await submitted(send);
    const [agent] = json['items'] as { version: string }[];
    expect((await send({ path: `/jobs/${id}` })).json['agentVersion']).toBe(agent?.version);
  });

  it.each([
    ['GET', '/nothing'],
    ['GET', '/jobs/'],
    ['POST', '/'],
    ['GET', '/jobs/a/b/c'],
    ['GET', `/jobs/${'x'.repeat(41)}`],
    ['GET', '/jobs/%00'],
    ['GET', '/jobs/%2e%2e'],
  ])('answers %s %s with 404', async (method, path) => {
    const send = await open(fieldWorld());
    expectProblem(await send({ method, path }), 404);
  });

  it.each([
    ['PUT', '/jobs', 'POST, GET, HEAD'],
    ['DELETE', '/agents', 'GET, HEAD'],
    ['GET', '/jobs/x/cancel', 'POST'],
    ['OPTIONS', '/jobs/x', 'GET, HEAD, DELETE'],
  ])('answers %s %s with 405 and what it allows', async (method, path, allow) => {
    const send = await open(fieldWorld());
    const reply = await send({ method, path });
    expectProblem(reply, 405);
    expect(reply.headers['allow']).toBe(allow);
  });

  it('answers HEAD like GET, without a body', async () => {
    const send = await open(fieldWorld());
    const reply = await send({ method: 'HEAD', path: '/agents' });
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([200, '', 'application/json']);
  });

  const deep = `${'['.repeat(101)}${']'.repeat(101)}`;
  it.each([
    ['a broken body', 400, { text: '{"agent":' }],
    ['no body', 415, {}],
    ['an empty body', 400, { text: '', headers: { 'content-type': 'application/json' } }],
    ['a list', 400, { text: '[]' }],
    ['a body that is null', 400, { text: 'null' }],
    [
      'a form',
      415,
      { text: 'agent=field', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
    ['text', 415, { text: '{}', headers: { 'content-type': 'text/plain' } }],
    ['another charset', 415, { text: '{}', headers: { 'content-type': 'application/json; charset=utf-16' } }],
    ['a compressed body', 415, { text: '{}', headers: { 'content-encoding': 'gzip' } }],
    ['bytes that are not UTF-8', 400, { bytes: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]) }],
    ['a body nested too deep', 400, { text: `{"agent":"field","input":{"a":${deep}}}` }],
    ['a body nested far too deep', 400, { text: '['.repeat(500_000) }],
    ['the name __proto__', 400, { text: '{"agent":"field","input":{"__proto__":{"x":1}}}' }],
    ['the name __proto__ in escapes', 400, { text: '{"agent":"field","input":{"\\u005f_proto__":1}}' }],
    ['a NUL byte', 400, { text: '{"agent":"field",\u0000"input":"x"}' }],
    ['a BOM alone', 400, { text: '\ufeff' }],
  ])('answers %s with %i', async (_name, status, request) => {
    const send = await open(fieldWorld());
    // A request without any body has no type either.
    const headers = 'text' in request || 'bytes' in request ? {} : { 'content-type': '' };
    const reply = await send({ method: 'POST', path: '/jobs', headers, ...request });
    expectProblem(reply, status);
  });

  it.each([
    [
      'body: is not UTF-8',
      { bytes: new Uint8Array([...Buffer.from('{"agent":"field","input":"'), 0xff, 0x22, 0x7d]) },
    ],
    ['body: is not JSON', { text: '{"agent":"field","input":"x",}' }],
    ['body: is nested deeper than 100 levels', { text: `{"agent":"field","input":{"a":${deep}}}` }],
  ])('says why: %s', async (detail, request) => {
    const send = await open(fieldWorld());
    const reply = await send({ method: 'POST', path: '/jobs', headers: json, ...request });
    expectProblem(reply, 400);
    expect(reply.json['detail']).toBe(detail);
  });

  it('takes JSON with a BOM, and in a type with its charset', async () => {
    const send = await open(fieldWorld());
    const headers = { 'content-type': 'Application/JSON; charset="UTF-8"' };
    const text = '\ufeff{"agent":"field","input":"x"}';
    expect((await send({ method: 'POST', path: '/jobs', headers, text })).status).toBe(202);
  });

  it('makes safe what cannot be kept: unpaired surrogates, NULs, numbers beyond what is exact', async () => {
    const send = await open(fieldWorld());
    const text =
      '{"agent":"field","input":"a\\ud800b\\u0000c","metadata":{"k\\udc00":"\\ud83d","n":12345678901234567890}}';
    const reply = await send({ method: 'POST', path: '/jobs', text });
    expect(reply.status).toBe(202);
    expect(reply.json).toMatchObject({
      input: 'a\ufffdbc',
      metadata: { 'k\ufffd': '\ufffd', n: '12345678901234567890' },
    });
    const object = await send({
      ...{ method: 'POST', path: '/jobs' },
      text: '{"agent":"field","input":{"id":98765432109876543210,"big":1e999,"at":1.5}}',
    });
    expect(object.json['input']).toBe('{"at":1.5,"big":"1e999","id":"98765432109876543210"}');
  });

  it('answers 503 when the table does not, and says that one may try again', async () => {
    const wrap = (table: Table): Table => ({
      ...table,
      get: async () => {
        throw new RetryableError('aws_request', 'reading JOB#secret: ThrottlingException');
      },
    });
    const world = memoryWorld({ agents: fieldAgents(newEffects()), model: callsModel([]).model, wrap });
    const send = await open(world);
    const reply = await send({ path: '/jobs/job_1' });
    expectProblem(reply, 503);
    expect(reply.headers['retry-after']).toBe('1');
    expect(reply.text).not.toContain('secret');
  });

  it('answers 500 to a fault of its own without a word of it', async () => {
    const world = fieldWorld();
    const broken: TestWorld = {
      ...world,
      store: {
        ...world.store,
        loadJob: async () => {
          throw new Error('canary in an error');
        },
      },
    };
    const send = await open(broken);
    const reply = await send({ path: '/jobs/job_1' });
    expectProblem(reply, 500);
    expect(reply.text + JSON.stringify(world.lines)).not.toContain('canary');
  });

  it('H-S2: logs one line per request, with nothing that the caller wrote', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const headers = { authorization: 'Bearer canary', 'x-other': 'canary' };
    const body = { agent: 'field', input: 'card canary', metadata: { canary: 'canary' } };
    await post(send, '/jobs', body, { ...headers, 'Idempotency-Key': 'canary' });
    await post(send, '/jobs', { ...body, canary: 1, agent: 'canary' }, headers);
    await send({ path: '/jobs/canary?canary=canary', headers });
    await send({ path: '/canary/canary', headers });
    const logged = world.lines.filter(({ message }) => message === 'request').map(({ fields }) => fields);
    expect(logged).toEqual([
      { method: 'POST', route: '/jobs', status: 202, ms: 0, tenant: 'default' },
      { method: 'POST', route: '/jobs', status: 400, ms: 0, tenant: 'default' },
      { method: 'GET', route: '/jobs/{id}', status: 400, ms: 0, tenant: 'default' },
      { method: 'GET', route: 'none', status: 404, ms: 0, tenant: 'default' },
    ]);
    expect(JSON.stringify(world.lines)).not.toContain('canary');
  });

  it('echoes no long input', async () => {
    const send = await open(fieldWorld());
    const long = 'z'.repeat(50_000);
    const reply = await post(send, '/jobs', { agent: long, [long]: 1, input: 'x', limits: { [long]: 1 } });
    expectProblem(reply, 400);
    expect(reply.text.length).toBeLessThan(2_000);
  });
});
