import { describe, expect, it } from 'vitest';
import { takeDeadLetter } from '../../src/app/dead-letter.ts';
import { handleRecord } from '../../src/app/handle.ts';
import { countDeadLetters, type LetterScope, listDeadLetters, redrive } from '../../src/app/letters.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { submit } from '../../src/app/submit.ts';
import type { Job } from '../../src/core/job.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { startBatch } from '../support/a-batch.ts';
import { deliver, deliveryOf, handleOne, runFor, VISIBILITY_MS } from '../support/drive.ts';
import { loaded } from '../support/ended-jobs.ts';
import { callsModel, textReply, toolReply } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const TENANT = 'default';
const own: LetterScope = { tenant: TENANT, unowned: false };
const all: LetterScope = { tenant: TENANT, unowned: true };

function setup(): TestWorld {
  const { model } = callsModel([toolReply(['search_kb', { query: 'a' }]), textReply('Done.')]);
  return memoryWorld({ agents: fieldAgents(newEffects()), model });
}

async function submitted(world: TestWorld, tenant = TENANT): Promise<Job> {
  const result = await submit(world, { tenant, agent: 'field', input: 'help' });
  if (!('job' in result)) throw new Error(result.type);
  return result.job;
}

const bodyOf = (job: Job, turn = job.turn): string => JSON.stringify({ v: 1, jobId: job.id, turn });
const ids = async (world: TestWorld, scope: LetterScope): Promise<readonly string[]> =>
  (await listDeadLetters(world, scope, { limit: 50 })).items.map(({ id }) => id);

describe('a message that was given up', () => {
  it('belongs to the tenant of its job or batch, and to nobody when it names none', async () => {
    const world = setup();
    const batch = await startBatch(world);
    await takeDeadLetter(world, 'd1', bodyOf(await submitted(world)));
    await takeDeadLetter(world, 'd2', bodyOf(await submitted(world, 'other')));
    await takeDeadLetter(world, 'd3', JSON.stringify({ v: 1, batchId: batch.id, turn: 1 }));
    await takeDeadLetter(world, 'd4', JSON.stringify({ v: 1, jobId: 'job_none', turn: 1 }));
    const message = { id: 'd5', body: 'junk', group: '', sentMs: 0, visibleMs: 0, receives: 1 };
    await handleRecord(world, 'junk', deliveryOf(world, message));
    expect(new Set(await ids(world, own))).toEqual(new Set(['d1', 'd3']));
    expect(await ids(world, { tenant: 'other', unowned: false })).toEqual(['d2']);
    expect(new Set(await ids(world, all))).toEqual(new Set(['d1', 'd3', 'd4', 'd5']));
  });

  it('is listed newest first, page by page, and for 14 days', async () => {
    const world = setup();
    const job = await submitted(world);
    for (let n = 0; n < 5; n += 1) {
      await takeDeadLetter(world, `d${n}`, n % 2 === 0 ? bodyOf(job) : 'junk');
      await world.clock.advance(1_000);
    }
    const pages: (readonly string[])[] = [];
    for (let after: { id: string; at: number } | undefined, left = 5; left > 0; left -= 1) {
      const page = await listDeadLetters(world, all, { limit: 2, ...(after === undefined ? {} : { after }) });
      pages.push(page.items.map(({ id }) => id));
      if (page.next === undefined) break;
      after = page.next;
    }
    expect(pages.flat()).toEqual(['d4', 'd3', 'd2', 'd1', 'd0']);
    await world.clock.advance(14 * 86_400_000 - 3_000);
    expect(await ids(world, all)).toEqual(['d4', 'd3']);
  });

  it('taken twice is one letter, and stays sent again', async () => {
    const world = setup();
    const body = bodyOf(await submitted(world));
    await takeDeadLetter(world, 'd1', body);
    await redrive(world, own, 'd1');
    await takeDeadLetter(world, 'd1', body);
    expect((await listDeadLetters(world, own, { limit: 9 })).items).toMatchObject([
      { id: 'd1', redrivenAtMs: world.clock.now() },
    ]);
  });

  it('is sent again as it was, and no longer counted', async () => {
    const world = setup();
    const job = await submitted(world);
    world.queue.clear();
    await takeDeadLetter(world, 'd1', bodyOf(job));
    expect(await countDeadLetters(world, own)).toBe(1);
    expect(await redrive(world, own, 'd1')).toMatchObject({ id: 'd1', redrivenAtMs: world.clock.now() });
    expect(world.queue.messages()).toMatchObject([{ body: bodyOf(job), group: TENANT }]);
    expect(await countDeadLetters(world, own)).toBe(0);
    // Asked for again, it has been sent already.
    expect(await redrive(world, own, 'd1')).toMatchObject({ id: 'd1' });
    expect(world.queue.messages()).toHaveLength(1);
  });

  it('is another tenant’s or nobody’s secret: it can neither be listed nor sent again', async () => {
    const world = setup();
    await takeDeadLetter(world, 'd1', bodyOf(await submitted(world, 'other')));
    await takeDeadLetter(world, 'd2', 'junk');
    world.queue.clear();
    expect(await ids(world, own)).toEqual([]);
    for (const id of ['d1', 'd2', 'none']) expect(await redrive(world, own, id)).toBeUndefined();
    expect(await redrive(world, all, 'd1')).toBeUndefined();
    expect(world.queue.messages()).toEqual([]);
    expect(await redrive(world, all, 'd2')).toMatchObject({ id: 'd2' });
  });
});

describe('what a message that was given up names', () => {
  it('is due at once: a batch', async () => {
    const world = setup();
    const batch = await startBatch(world);
    world.queue.clear();
    await takeDeadLetter(world, 'd1', JSON.stringify({ v: 1, batchId: batch.id, turn: batch.turn }));
    expect((await world.store.loadBatch(batch.id))?.dueAtMs).toBe(world.clock.now());
    await reconcile(world);
    expect(world.queue.messages()).toHaveLength(1);
    await runFor(world, 10);
    expect((await world.store.loadBatch(batch.id))?.status).toBe('done');
  });

  it('is due at once: the job whose follow-up the message had not sent', async () => {
    const world = setup();
    await submitted(world);
    const [message] = world.queue.receive(1, VISIBILITY_MS);
    if (message === undefined) throw new Error('no message');
    await deliver(
      { ...world, queue: { ...world.queue, send: () => Promise.reject(new Error('down')) } },
      message,
    );
    world.queue.clear();
    const { jobId } = JSON.parse(message.body);
    expect(await loaded(world, jobId)).toMatchObject({ turn: 2, from: message.id, claimed: false });
    await takeDeadLetter(world, message.id, message.body);
    expect((await loaded(world, jobId)).dueAtMs).toBe(world.clock.now());
    await reconcile(world);
    expect(world.queue.messages()).toHaveLength(1);
  });

  it('is left alone when its follow-up has been taken, or another message raised the turn', async () => {
    const world = setup();
    const job = await submitted(world);
    const [message] = world.queue.receive(1, VISIBILITY_MS);
    if (message === undefined) throw new Error('no message');
    await handleOne(world, message);
    const before = await loaded(world, job.id);
    await takeDeadLetter(world, 'another', message.body);
    expect(await loaded(world, job.id)).toEqual(before);
    await world.store.commitJob({ ...before, version: before.version + 1, claimed: true });
    await takeDeadLetter(world, message.id, message.body);
    expect((await loaded(world, job.id)).dueAtMs).toBe(before.dueAtMs);
  });
});
