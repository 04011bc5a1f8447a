import { describe, expect, it } from 'vitest';
import { cancel } from '../../src/app/cancel.ts';
import { type ApprovalItem, type JobFilter, listApprovals, listJobs } from '../../src/app/lists.ts';
import type { Place } from '../../src/app/store.ts';
import { submit } from '../../src/app/submit.ts';
import { type JobView, viewJob } from '../../src/app/views.ts';
import type { Model, Table } from '../../src/ports.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { TENANT } from '../field/run-case.ts';
import { startBatch } from '../support/a-batch.ts';
import { handleOne, runUntilIdle } from '../support/drive.ts';
import { textReply, toolReply } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

/** Answers by what the task says: `ask` needs a person, `long` a second step, all else is done at once. */
const model: Model = {
  ask: async ({ messages }) => {
    const task = JSON.stringify(messages[0]);
    if (messages.length > 1) return textReply('Done.');
    if (task.includes('ask'))
      return toolReply(['issue_refund', { orderId: 'A', amountCents: 1 }], ['search_kb', { query: 'a' }]);
    if (task.includes('twice')) {
      const refund = ['issue_refund', { orderId: 'A', amountCents: 1 }] as const;
      return toolReply(refund, refund);
    }
    return task.includes('long') ? toolReply(['search_kb', { query: 'a' }]) : textReply('Done.');
  },
};

function open(wrap?: (table: Table) => Table): TestWorld {
  return memoryWorld({ agents: fieldAgents(newEffects()), model, ...(wrap === undefined ? {} : { wrap }) });
}

async function job(world: TestWorld, input: string, changes: object = {}): Promise<string> {
  const submitted = await submit(world, { tenant: TENANT, agent: 'field', input, ...changes });
  return 'job' in submitted ? submitted.job.id : '';
}

/** 130 jobs, three at every millisecond: every tenth stopped by its steps, every tenth waits, every tenth of another agent. */
async function many(world: TestWorld): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < 130; n += 1) {
    if (n % 3 === 0) await world.clock.advance(1);
    if (n % 10 === 1) ids.push(await job(world, 'long', { limits: { maxSteps: 1 } }));
    else if (n % 10 === 2) ids.push(await job(world, 'ask', { metadata: { n } }));
    else ids.push(await job(world, `plain ${n}`, { agent: n % 10 === 3 ? 'field_triage' : 'field' }));
  }
  await runUntilIdle(world, { maxMessages: 1_000 });
  return ids;
}

async function pages(world: TestWorld, filter: JobFilter, limit: number) {
  const jobs: JobView[] = [];
  let after: Place | undefined;
  let read = 0;
  for (; read < 500; read += 1) {
    const page = await listJobs(world, TENANT, filter, after === undefined ? { limit } : { limit, after });
    expect(page.jobs.length).toBeLessThanOrEqual(limit);
    jobs.push(...page.jobs);
    after = page.next;
    if (after === undefined) return { jobs, read: read + 1 };
  }
  throw new Error('the list does not end');
}

describe('the list of jobs', () => {
  it('is newest first, page by page, each job once and as it is viewed alone', async () => {
    const world = open();
    const ids = await many(world);
    for (const [limit, reads] of [
      [1, 130],
      [7, 19],
      [65, 2],
      [129, 2],
      [130, 1],
      [200, 1],
    ] as const) {
      const { jobs, read } = await pages(world, {}, limit);
      expect(read).toBe(reads);
      expect(jobs.map(({ id }) => id).sort()).toEqual([...ids].sort());
      const times = jobs.map(({ createdAt }) => createdAt);
      expect(times).toEqual([...times].sort().reverse());
    }
    const { jobs } = await listJobs(world, TENANT, {}, { limit: 25 });
    for (const view of jobs) expect(view).toEqual(await viewJob(world, TENANT, view.id));
  });

  it.each([
    [{ status: 'stopped' }, 13],
    [{ stop: 'max_steps' }, 13],
    [{ stop: 'cancelled' }, 0],
    [{ status: 'awaiting_approval' }, 13],
    [{ agent: 'field_triage' }, 13],
    [{ agent: 'field', status: 'succeeded' }, 91],
    [{ agent: 'field_triage', status: 'stopped' }, 0],
  ] as const)('under %j has %i of 130', async (filter, count) => {
    const world = open();
    await many(world);
    for (const limit of [5, 200]) expect((await pages(world, filter, limit)).jobs).toHaveLength(count);
  });

  it('under a filter looks at a thousand heads at most, and tells where to go on', async () => {
    let heads = 0;
    const world = open((table) => ({
      ...table,
      getMany: (keys) => {
        heads += keys.length;
        return table.getMany(keys);
      },
    }));
    for (let n = 0; n < 1_010; n += 1) await job(world, `plain ${n}`);
    await world.clock.advance(1);
    for (let n = 0; n < 5; n += 1) await job(world, `new ${n}`);
    heads = 0;
    const page = await listJobs(world, TENANT, { status: 'cancelled' }, { limit: 50 });
    expect(page.jobs).toEqual([]);
    expect(page.next).toBeDefined();
    expect(heads).toBe(1_000);
    const rest = await listJobs(
      world,
      TENANT,
      { status: 'queued' },
      { limit: 50, ...(page.next === undefined ? {} : { after: page.next }) },
    );
    expect(rest).toMatchObject({ jobs: { length: 15 }, next: undefined });
  });

  it('holds no other tenant’s jobs, nor one that has outlived its retention', async () => {
    const world = open();
    const old = await job(world, 'old');
    await runUntilIdle(world);
    await world.clock.advance(91 * 86_400_000);
    const fresh = await job(world, 'fresh');
    await job(world, 'other', { tenant: 'other' });
    const { jobs } = await pages(world, {}, 50);
    expect(jobs.map(({ id }) => id)).toEqual([fresh]);
    expect(await viewJob(world, TENANT, old)).toBeUndefined();
  });

  it('of a batch holds its jobs', async () => {
    const world = open();
    await job(world, 'alone');
    const batch = await startBatch(world);
    await runUntilIdle(world);
    const { jobs } = await pages(world, { batch: batch.id }, 2);
    expect(jobs.map(({ batchId }) => batchId)).toEqual(Array.from({ length: 5 }, () => batch.id));
  });
});

it('a job is viewed with as many reads however long it is', async () => {
  const seen: string[] = [];
  const world = memoryWorld({
    agents: fieldAgents(newEffects()),
    model: {
      ask: async ({ messages }) =>
        messages.length > 60 ? textReply('Done.') : toolReply(['search_kb', { query: 'a' }]),
    },
    wrap: (table) => ({
      ...table,
      getMany: (keys) => {
        seen.push(...keys.map(({ sk }) => sk));
        return table.getMany(keys);
      },
      query: (pk, from, to, consistent) => {
        seen.push(`${from} to ${to}`);
        return table.query(pk, from, to, consistent);
      },
    }),
  });
  const id = await job(world, 'many steps');
  await runUntilIdle(world);
  seen.length = 0;
  expect(await viewJob(world, TENANT, id)).toMatchObject({ steps: 31, text: 'Done.', input: 'many steps' });
  // Whether any call was ever decided is one read more, which finds nothing here.
  expect(seen).toEqual(['MSG#000001', 'MSG#000032', 'ASK# to ASK#~']);
});

describe('the list of approvals', () => {
  async function approvals(world: TestWorld, limit: number): Promise<readonly (readonly ApprovalItem[])[]> {
    const read: (readonly ApprovalItem[])[] = [];
    let after: Place | undefined;
    for (let n = 0; n < 50; n += 1) {
      const page = await listApprovals(world, TENANT, after === undefined ? { limit } : { limit, after });
      read.push(page.approvals);
      after = page.next;
      if (after === undefined) return read;
    }
    throw new Error('the list does not end');
  }

  it('is oldest first, with what each job is about, as long as they wait', async () => {
    const world = open();
    const ids: string[] = [];
    for (const n of [1, 2, 3]) {
      ids.push(await job(world, 'ask', { metadata: { n } }));
      await runUntilIdle(world);
      await world.clock.advance(1_000);
    }
    const listed = await approvals(world, 2);
    expect(listed.map((page) => page.map(({ jobId }) => jobId))).toEqual([ids.slice(0, 2), ids.slice(2)]);
    const first = await viewJob(world, TENANT, ids[0] ?? '');
    expect(listed[0]?.[0]).toEqual({
      ...first?.approvals[0],
      ...{ jobId: ids[0], agent: 'field', batchId: null, rowId: null, metadata: { n: 1 } },
    });
    expect(first?.approvals).toHaveLength(1);
    await cancel(world, TENANT, ids[1] ?? '');
    expect((await approvals(world, 50)).flat().map(({ jobId }) => jobId)).toEqual([ids[0], ids[2]]);
    await world.clock.advance(72 * 3_600_000);
    expect((await approvals(world, 50)).flat()).toEqual([]);
  });

  it('names the batch and the row, and keeps the calls of one job together', async () => {
    const world = open();
    const rows = ['a', 'b', 'c'].map((id) => ({ id, line: 2, input: `twice ${id}`, metadata: { id } }));
    const batch = await startBatch(world, { rows, concurrency: 3 });
    await world.clock.advance(1);
    for (let turns = 0; turns < 8; turns += 1) {
      const [message] = world.queue.receive(1, 720_000);
      if (message === undefined) break;
      await handleOne(world, message);
    }
    const listed = await approvals(world, 3);
    expect(listed.map((page) => page.length)).toEqual([2, 2, 2]);
    expect(listed.flat()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ batchId: batch.id, rowId: 'a', metadata: { id: 'a' } }),
      ]),
    );
    expect((await approvals(world, 1)).map((page) => page.length)).toEqual([2, 2, 2]);
  });
});
