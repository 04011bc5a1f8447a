import { describe, expect, it } from 'vitest';
import { createApi } from '../../src/api/app.ts';
import type { Permission } from '../../src/api/identity.ts';
import { writeCursor } from '../../src/api/paging.ts';
import { sampleLetterId } from '../../src/api/samples.ts';
import { apiFiles } from '../../src/api-files.ts';
import { takeDeadLetter } from '../../src/app/dead-letter.ts';
import { RetryableError } from '../../src/core/errors.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { runFor, runUntilIdle } from '../support/drive.ts';
import { callsModel, textReply } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';
import { worldGiven } from './given.ts';
import { expectProblem, namesOf, post } from './replies.ts';
import { overHttp, senders } from './senders.ts';

const fieldWorld = (): TestWorld =>
  memoryWorld({ agents: fieldAgents(newEffects()), model: callsModel([textReply('Done.')]).model });
const wanted = { agent: 'field', input: 'help' };

describe.each(senders)('the operations %s', (_, open) => {
  it('sum up what ended jobs have cost, by tenant, agent, day and batch', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const batch = await post(send, '/batches', { agent: 'field', rows: [{ id: 'a', input: 'x' }] });
    await post(send, '/jobs', wanted);
    await post(send, '/jobs', { ...wanted, agent: 'field_triage', limits: { maxSteps: 1 } });
    await post(send, '/jobs', wanted, {}, 'a');
    await runFor(world, 5);
    const by = async (name: string, query = '') => (await send({ path: `/costs?by=${name}${query}` })).json;
    expect(await by('tenant')).toMatchObject({
      items: [{ key: 'default', jobs: 3, steps: 3 }],
      cursor: null,
    });
    expect(await by('day')).toMatchObject({ items: [{ key: expect.stringMatching(/^2\d{3}-/), jobs: 3 }] });
    expect(await by('batch')).toMatchObject({ items: [{ key: batch.json['id'], jobs: 1 }] });
    const first = await by('agent', '&limit=1');
    expect(first['items']).toMatchObject([{ key: 'field', jobs: 2, unsettledUsd: 0 }]);
    const second = await by('agent', `&limit=1&cursor=${first['cursor']}`);
    expect(second).toMatchObject({ items: [{ key: 'field_triage', jobs: 1 }], cursor: null });
  });

  it('say what has ended and is in no sum yet, as long as there is any', async () => {
    const world = fieldWorld();
    const send = await open(world);
    await post(send, '/jobs', wanted);
    const id = String((await post(send, '/jobs', wanted)).json['id']);
    await runUntilIdle(world);
    const { spentUsd } = (await send({ path: `/jobs/${id}` })).json['cost'] as { spentUsd: number };
    const early = (await send({ path: '/costs?by=agent' })).json;
    expect(early).toEqual({ items: [], cursor: null, uncounted: { jobs: 2, spentUsd: 2 * spentUsd } });
    await runFor(world, 5);
    expect(Object.keys((await send({ path: '/costs?by=agent' })).json)).toEqual(['items', 'cursor']);
  });

  it.each([
    ['by', ''],
    ['by', 'by=colour'],
    ['limit', 'by=day&limit=0'],
    ['cursor', `by=day&cursor=${writeCursor('field')}`],
    ['cursor', `by=batch&cursor=${writeCursor('field')}`],
    ['cursor', `by=agent&cursor=${writeCursor(7)}`],
    ['since', 'by=day&since=yesterday'],
  ])('refuse costs with a wrong %s: %s', async (name, query) => {
    const send = await open(fieldWorld());
    const reply = await send({ path: `/costs?${query}` });
    expectProblem(reply, 400);
    expect(namesOf(reply)).toEqual([name]);
  });

  it('list dead letters and send them again', async () => {
    const world = await worldGiven('dead_letter');
    const send = await open(world);
    expect((await send({ path: '/health' })).json).toMatchObject({ deadLetters: 1 });
    const sent = world.queue.messages().length;
    const reply = await post(send, `/dead-letters/${sampleLetterId}/redrive`);
    expect(reply.status).toBe(202);
    expect(world.queue.messages()).toHaveLength(sent + 1);
    const { items } = (await send({ path: '/dead-letters' })).json as { items: object[] };
    expect(items).toEqual([reply.json]);
    expect((await send({ path: '/health' })).json).toMatchObject({ deadLetters: 0 });
    expectProblem(await post(send, '/dead-letters/none/redrive'), 404);
    expectProblem(await send({ path: '/dead-letters?cursor=nonsense' }), 400);
    expectProblem(await post(send, `/dead-letters/${sampleLetterId}/redrive`, undefined, {}, 'a'), 404);
  });

  it('page through dead letters, the newest first', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const { json } = await post(send, '/jobs', wanted);
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.unshift(`letter-${n}`);
      await takeDeadLetter(world, `letter-${n}`, JSON.stringify({ v: 1, jobId: json['id'], turn: 1 }));
      await world.clock.advance(1);
    }
    const first = (await send({ path: '/dead-letters?limit=2' })).json;
    const second = (await send({ path: `/dead-letters?limit=2&cursor=${first['cursor']}` })).json;
    const items = [...(first['items'] as { id: string }[]), ...(second['items'] as { id: string }[])];
    expect(items.map(({ id }) => id)).toEqual(ids);
  });

  it('stop one tenant and let it go on, as often as one likes', async () => {
    const world = fieldWorld();
    const send = await open(world);
    for (const body of [undefined, {}, { scope: 'tenant' }]) {
      const reply = await post(send, '/control/stop', body);
      expect([reply.status, reply.json]).toEqual([200, { stopped: true, scope: 'tenant' }]);
    }
    const made = await post(send, '/jobs', wanted);
    const other = await post(send, '/jobs', wanted, {}, 'a');
    await runUntilIdle(world);
    const statusOf = async (id: unknown, tenant: string) =>
      (await send({ path: `/jobs/${id}`, tenant })).json['status'];
    expect(await statusOf(made.json['id'], 'default')).toBe('queued');
    expect(await statusOf(other.json['id'], 'a')).toBe('succeeded');
    expect((await send({ path: '/health' })).json).toMatchObject({ stopped: true });
    for (let times = 0; times < 2; times += 1) {
      const reply = await post(send, '/control/start', {});
      expect([reply.status, reply.json]).toEqual([200, { stopped: false, scope: 'tenant' }]);
    }
    await runFor(world, 5);
    expect(await statusOf(made.json['id'], 'default')).toBe('succeeded');
  });

  it.each([
    ['scope', { scope: 'everybody' }],
    ['tenant', { tenant: 'b' }],
  ])('refuse to stop with a wrong %s', async (name, body) => {
    const world = fieldWorld();
    const send = await open(world);
    const reply = await post(send, '/control/stop', body);
    expectProblem(reply, 400);
    expect(namesOf(reply)).toEqual([name]);
    expect(world.table.all()).toEqual([]);
  });
});

describe('permissions', () => {
  const asking = (world: TestWorld, ...permissions: readonly Permission[]) => {
    const identity = { tenant: 'default', who: 'me', permissions: new Set(permissions) };
    const api = createApi({ world, files: apiFiles, identify: () => ({ type: 'identity', identity }) });
    return async (path: string, body?: object) => {
      const reply = await api.request(path, {
        method: body === undefined ? 'GET' : 'POST',
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      return { status: reply.status, json: (await reply.json()) as Record<string, unknown> };
    };
  };

  it('everything is stopped only with the permission for all', async () => {
    const world = fieldWorld();
    const own = asking(world, 'read', 'control');
    expect(await own('/control/stop', { scope: 'all' })).toMatchObject({
      ...{ status: 403, json: { detail: 'scope all needs the permission control_all' } },
    });
    expect((await own('/health')).json).toMatchObject({ stopped: false });
    const all = asking(world, 'read', 'control', 'control_all');
    expect((await all('/control/stop', { scope: 'all' })).json).toEqual({ stopped: true, scope: 'all' });
    expect((await own('/health')).json).toMatchObject({ ok: false, stopped: true });
    expect((await own('/control/start', { scope: 'all' })).status).toBe(403);
    expect((await all('/control/start', { scope: 'all' })).json).toEqual({ stopped: false, scope: 'all' });
  });

  it('letters of nobody are seen and sent again only with the permission for all', async () => {
    const world = fieldWorld();
    await takeDeadLetter(world, 'letter-1', 'nonsense');
    const own = asking(world, 'read', 'control');
    const all = asking(world, 'read', 'control', 'control_all');
    expect((await own('/dead-letters')).json).toEqual({ items: [], cursor: null });
    expect((await own('/dead-letters/letter-1/redrive', {})).status).toBe(404);
    expect((await all('/dead-letters')).json).toMatchObject({
      items: [{ id: 'letter-1', body: 'nonsense' }],
    });
    expect((await all('/dead-letters/letter-1/redrive', {})).status).toBe(202);
  });
});

it('a day pool that is spent answers 429 with when it is whole again, and batches wait', async () => {
  const agents = fieldAgents(newEffects());
  const model = callsModel([textReply('Done.')]).model;
  const world = memoryWorld({ agents, model, dailyMicroUsd: 10_000 });
  const send = await overHttp(world);
  const limits = { maxCostUsd: 0.01 };
  expect((await post(send, '/jobs', { ...wanted, limits })).status).toBe(202);
  const reply = await post(send, '/jobs', { ...wanted, limits });
  expectProblem(reply, 429);
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
  expect((await post(send, '/jobs', { ...wanted, limits }, {}, 'a')).status).toBe(202);
  const rows = [{ id: 'a', input: 'x' }];
  const batch = await post(send, '/batches', { agent: 'field', rows, limits });
  expect([batch.status, batch.json['counts']]).toMatchObject([202, { queued: 1 }]);
});

it('a redrive that the queue does not take is 503, and the letter stays as it was', async () => {
  const world = await worldGiven('dead_letter');
  const sendBody = async (): Promise<void> => {
    throw new RetryableError('aws_request', 'no');
  };
  const send = await overHttp({ ...world, queue: { ...world.queue, sendBody } });
  expectProblem(await post(send, `/dead-letters/${sampleLetterId}/redrive`), 503);
  expect((await send({ path: '/dead-letters' })).json).toMatchObject({ items: [{ redrivenAt: null }] });
});
