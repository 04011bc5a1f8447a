import { describe, expect, it } from 'vitest';
import { writeCursor } from '../../src/api/paging.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { strictWorld } from '../field/run-case.ts';
import { runUntilIdle } from '../support/drive.ts';
import { callsModel, textReply } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';
import { expectProblem, namesOf, post } from './replies.ts';
import { type Send, senders } from './senders.ts';

const fieldWorld = (): TestWorld =>
  memoryWorld({ agents: fieldAgents(newEffects()), model: callsModel([textReply('Done.')]).model });

async function submitted(send: Send, changes: object = {}): Promise<string> {
  const reply = await post(send, '/jobs', { agent: 'field', input: 'help', ...changes });
  expect(reply.status, reply.text).toBe(202);
  return String(reply.json['id']);
}

/** All ids of a list, page by page. */
async function idsOf(send: Send, path: string, limit: number, name = 'id'): Promise<readonly unknown[]> {
  const ids: unknown[] = [];
  let cursor: unknown = '';
  for (let pages = 0; cursor !== null; pages += 1) {
    expect(pages).toBeLessThan(40);
    const join = path.includes('?') ? '&' : '?';
    const page = await send({
      path: `${path}${join}limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`,
    });
    expect(page.status, page.text).toBe(200);
    ids.push(...(page.json['items'] as Record<string, unknown>[]).map((item) => item[name]));
    cursor = page.json['cursor'];
  }
  return ids;
}

describe.each(senders)('the list of jobs %s', (_, open) => {
  it('is newest first, page by page, and has the jobs of its tenant as they read alone', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      ids.unshift(await submitted(send, { input: `help ${n}`, metadata: { n } }));
      await world.clock.advance(1);
      await post(send, '/jobs', { agent: 'field', input: 'another' }, {}, 'a');
    }
    expect(await idsOf(send, '/jobs', 2)).toEqual(ids);
    const { items } = (await send({ path: '/jobs' })).json as { items: unknown[] };
    expect(items[0]).toEqual((await send({ path: `/jobs/${ids[0]}` })).json);
  });

  it('is filtered by status, stop, agent and batch', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const batch = await post(send, '/batches', { agent: 'field', rows: [{ id: 'a', input: 'x' }] });
    const cancelled = await submitted(send);
    await post(send, `/jobs/${cancelled}/cancel`);
    await runUntilIdle(world);
    const queued = await submitted(send);
    expect(await idsOf(send, '/jobs?status=queued', 1)).toEqual([queued]);
    expect(await idsOf(send, '/jobs?stop=cancelled', 1)).toEqual([cancelled]);
    expect(await idsOf(send, '/jobs?agent=field&status=cancelled', 1)).toEqual([cancelled]);
    const rows = await idsOf(send, `/jobs?batch=${batch.json['id']}&stop=completed`, 1);
    expect(rows).toHaveLength(1);
    expect((await send({ path: `/jobs/${rows[0]}` })).json['batchId']).toBe(batch.json['id']);
  });

  it.each([
    ['status', 'status=sleeping'],
    ['status', 'status='],
    ['stop', 'stop=tired'],
    ['agent', 'agent='],
    ['agent', 'agent=nobody'],
    ['batch', 'batch=a%20b'],
    ['limit', 'limit=0'],
    ['limit', 'limit=201'],
    ['cursor', 'cursor=nonsense'],
    ['cursor', `cursor=${writeCursor(1)}`],
    ['cursor', `cursor=${writeCursor({ id: 'a#b', at: 1 })}`],
    ['cursor', `cursor=${writeCursor({ id: 'a', at: -1 })}`],
    ['colour', 'colour=red'],
  ])('refuses a wrong %s: %s', async (name, query) => {
    const send = await open(fieldWorld());
    const reply = await send({ path: `/jobs?${query}` });
    expectProblem(reply, 400);
    expect(namesOf(reply)).toEqual([name]);
  });

  it('of a batch is read from its rows, however many other jobs there are', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const rows = Array.from({ length: 7 }, (_, n) => ({ id: `r${n}`, input: `row ${n}` }));
    const batch = await post(send, '/batches', { agent: 'field', rows });
    await runUntilIdle(world);
    const path = `/jobs?batch=${batch.json['id']}`;
    const whole = await send({ path });
    expect(whole.json['cursor']).toBeNull();
    expect((whole.json['items'] as { input: string }[]).map(({ input }) => input)).toEqual(
      rows.map(({ input }) => input).reverse(),
    );
    const ids = (whole.json['items'] as { id: string }[]).map(({ id }) => id);
    expect(await idsOf(send, `${path}&status=succeeded`, 2)).toEqual(ids);
    const { listOf } = world.store;
    const watched = {
      ...world.store,
      listOf: (...asked: Parameters<typeof listOf>) => {
        if (asked[0] === 'jobs') throw new Error('walks along all jobs');
        return listOf(...asked);
      },
    };
    const again = await open({ ...world, store: watched });
    expect((await again({ path })).status).toBe(200);
  });

  it('knows no batch that is not there', async () => {
    const send = await open(fieldWorld());
    expectProblem(await send({ path: '/jobs?batch=batch_none' }), 404);
  });

  it('has fewer jobs on a page where they would make a long answer, and loses none', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const ids: string[] = [];
    for (let n = 0; n < 20; n += 1) {
      ids.unshift(await submitted(send, { input: 'x'.repeat(262_144) }));
      await world.clock.advance(1);
    }
    const first = await send({ path: '/jobs?limit=200' });
    expect(first.text.length).toBeLessThan(4_100_000);
    expect(first.json['cursor']).not.toBeNull();
    expect(await idsOf(send, '/jobs', 200)).toEqual(ids);
  });
});

describe.each(senders)('the list of approvals %s', (_, open) => {
  it('has the calls that wait, the oldest first, with what their jobs are about', async () => {
    const { world } = strictWorld({ script: 'gate_and_free' });
    const send = await open(world);
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.push(await submitted(send, { metadata: { n } }));
      await runUntilIdle(world);
      await world.clock.advance(1_000);
    }
    expect(await idsOf(send, '/approvals', 1, 'jobId')).toEqual(ids);
    const { items } = (await send({ path: '/approvals' })).json as { items: Record<string, unknown>[] };
    expect(items[0]).toMatchObject({
      ...{ tool: 'issue_refund', status: 'pending', agent: 'field', metadata: { n: 0 }, batchId: null },
    });
    await post(send, `/jobs/${ids[0]}/approvals/${items[0]?.['callId']}`, { decision: 'deny' });
    expect(await idsOf(send, '/approvals', 1, 'jobId')).toEqual(ids.slice(1));
    for (const query of ['limit=201', 'cursor=nonsense', 'status=pending']) {
      expectProblem(await send({ path: `/approvals?${query}` }), 400);
    }
  });
});
