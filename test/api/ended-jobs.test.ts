import { describe, expect, it } from 'vitest';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { strictWorld } from '../field/run-case.ts';
import { runUntilIdle } from '../support/drive.ts';
import { callsModel, textReply, toolReply } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';
import { expectProblem, namesOf, post } from './replies.ts';
import { type ApiReply, type Send, senders } from './senders.ts';

const replies = [toolReply(['search_kb', { query: 'a' }]), textReply('Done.')];
const fieldWorld = (outcomes = replies): TestWorld =>
  memoryWorld({ agents: fieldAgents(newEffects()), model: callsModel(outcomes).model });

/** A job that has ended: by its limit of one step, or by itself. */
async function ended(world: TestWorld, send: Send, changes: object = {}): Promise<string> {
  const reply = await post(send, '/jobs', { agent: 'field', input: 'help', ...changes });
  await runUntilIdle(world);
  return `/jobs/${reply.json['id']}`;
}
const one = { limits: { maxSteps: 1 } };

describe.each(senders)('a job that has ended %s', (_, open) => {
  it('is tried again when something stopped it, and only then', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const path = await ended(world, send, one);
    for (const body of [undefined, {}, { fromStep: 1 }]) {
      const reply = await post(send, `${path}/retry`, body);
      expect([reply.status, reply.json['id']]).toEqual([202, path.slice('/jobs/'.length)]);
      await runUntilIdle(world);
    }
    for (const fromStep of [0, -1, 1.5, '1', null]) {
      const reply = await post(send, `${path}/retry`, { fromStep });
      expectProblem(reply, 400);
      expect(namesOf(reply)).toEqual(['fromStep']);
    }
    expectProblem(await post(send, `${path}/retry`, { fromStep: 99 }), 409);
    expectProblem(await post(send, `${await ended(world, send)}/retry`), 409);
    expectProblem(await post(send, '/jobs/job_none/retry'), 404);
  });

  it('is not tried again from a step whose `once` call took effect', async () => {
    const { world, effects } = strictWorld({ script: 'gate_and_free' });
    const send = await open(world);
    const path = await ended(world, send);
    await post(send, `${path}/approvals/call_1_1`, { decision: 'approve' });
    await runUntilIdle(world);
    expect((await send({ path })).json['status']).toBe('succeeded');
    expect(effects.refunds).toHaveLength(1);
    await post(send, `${path}/messages`, { content: 'Once more.' });
    await post(send, `${path}/cancel`);
    expectProblem(await post(send, `${path}/retry`, { fromStep: 1 }), 409);
    expect(effects.refunds).toHaveLength(1);
  });

  it('goes on after one more message, once for one key', async () => {
    const world = fieldWorld([textReply('First.'), textReply('Second.')]);
    const send = await open(world);
    const path = await ended(world, send);
    const key = { 'Idempotency-Key': 'more' };
    const said = { content: 'And now in German.' };
    const first = await post(send, `${path}/messages`, said, key);
    expect([first.status, first.json['status']]).toEqual([202, 'queued']);
    await runUntilIdle(world);
    const again = await post(send, `${path}/messages`, said, key);
    expect([again.status, again.json]).toMatchObject([202, { status: 'succeeded', text: 'Second.' }]);
    expectProblem(await post(send, `${path}/messages`, { content: 'Something else.' }, key), 422);
    const messages = (await send({ path: `${path}/messages` })).json['items'] as { role: string }[];
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it.each([
    ['content', 400, {}],
    ['content', 400, { content: '' }],
    ['content', 400, { content: 7 }],
    ['role', 400, { content: 'x', role: 'system' }],
    ['', 413, { content: '\u0e01'.repeat(87_382) }],
    ['', 413, { content: 'x'.repeat(1_100_000) }],
  ])('refuses a message with a wrong %s by %i', async (name, status, body) => {
    const world = fieldWorld();
    const send = await open(world);
    const path = await ended(world, send);
    const before = world.table.all();
    const reply = await post(send, `${path}/messages`, body);
    expectProblem(reply, status);
    if (name !== '') expect(namesOf(reply)).toEqual([name]);
    expect(world.table.all()).toEqual(before);
  });

  it('takes a message of 256 KiB, an empty-looking one too, and none while it runs', async () => {
    const world = fieldWorld([textReply('Done.')]);
    const send = await open(world);
    const path = await ended(world, send);
    expect((await post(send, `${path}/messages`, { content: 'x'.repeat(262_144) })).status).toBe(202);
    expectProblem(await post(send, `${path}/messages`, { content: 'too early' }), 409);
    await runUntilIdle(world);
    expect((await post(send, `${path}/messages`, { content: ' \u0000 ' })).status).toBe(202);
    expectProblem(await post(send, `${path}/messages`, { content: 'x' }, { 'Idempotency-Key': '' }), 400);
    expectProblem(await post(send, '/jobs/job_none/messages', { content: 'x' }), 404);
  });

  it('is deleted as often as one likes; its content is gone, its cost and its key stay', async () => {
    const world = fieldWorld();
    const send = await open(world);
    const body = { agent: 'field', input: 'my secret', metadata: { m: 'my secret' } };
    const key = { 'Idempotency-Key': 'k' };
    const made = await post(send, '/jobs', body, key);
    const path = `/jobs/${made.json['id']}`;
    const remove = (): Promise<ApiReply> => send({ method: 'DELETE', path });
    expectProblem(await remove(), 409);
    await runUntilIdle(world);
    const { cost, stop } = (await send({ path })).json;
    for (let times = 0; times < 2; times += 1) {
      const reply = await remove();
      expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([204, '', undefined]);
    }
    const left = await send({ path });
    expect(left.json).toMatchObject({ cost, stop, input: '', output: null, text: null, metadata: {} });
    expect((await send({ path: `${path}/messages` })).json['items']).toEqual([]);
    expect((await send({ path: `${path}/steps` })).json['items']).toEqual([]);
    expect(JSON.stringify(world.table.all())).not.toContain('my secret');
    expect((await post(send, '/jobs', body, key)).status).toBe(200);
    for (const name of ['retry', 'extend'])
      expectProblem(
        await post(send, `${path}/${name}`, { ...(name === 'extend' ? { addSteps: 1 } : {}) }),
        409,
      );
    expectProblem(await post(send, `${path}/messages`, { content: 'x' }), 409);
    expectProblem(await send({ method: 'DELETE', path: '/jobs/job_none' }), 404);
  });
});
