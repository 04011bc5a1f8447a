import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { judge } from '../../src/app/approve.ts';
import { cancel } from '../../src/app/cancel.ts';
import { extend } from '../../src/app/extend.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { retry } from '../../src/app/retry.ts';
import { viewSteps } from '../../src/app/views.ts';
import { defineTool } from '../../src/core/agent.ts';
import { poolLeft } from '../../src/core/batch.ts';
import { charged } from '../../src/core/ledger.ts';
import { deliverOne, drive, killOne, type OpenCase, openCase, pairing, TENANT } from '../field/run-case.ts';
import { answer, callTurns, done, inTurns, locked, scriptOf } from '../field/scripts.ts';
import { jobAt, rowsOf, startBatch } from '../support/a-batch.ts';
import { finish, runUntilIdle } from '../support/drive.ts';
import { restingBatch } from '../support/example-run.ts';
import { batchStage, expectMoney, openStage } from '../support/stage.ts';

const search = (query: string) => ['search_kb', { query }] as const;
const refund = ['issue_refund', { orderId: 'A-77', amountCents: 4990 }] as const;
const again = ({ world, jobId }: OpenCase, fromStep?: number) =>
  retry(world, { tenant: TENANT, jobId, ...(fromStep === undefined ? {} : { fromStep }) });

async function headOf({ world, jobId }: OpenCase) {
  const job = await world.store.loadJob(jobId);
  if (job === undefined) throw new Error('the job is gone');
  return job;
}

describe('a retry', () => {
  it('goes on in the step that did not commit: the refund that it had run is not run again', async () => {
    const open = await openCase({ script: inTurns(...callTurns([refund]), locked, done) });
    expect(await drive(open, { approve: true })).toMatchObject({ stop: { reason: 'configuration' } });
    const before = await headOf(open);
    await open.world.clock.advance(3_600_000);
    const nowMs = open.world.clock.now();
    expect(await again(open)).toMatchObject({
      type: 'retried',
      job: {
        ...{
          status: { type: 'queued' },
          turn: before.turn + 1,
          fence: before.fence + 1,
          count: before.count,
        },
        ...{ failures: 0, deadlineMs: nowMs + before.limits.timeoutSeconds * 1000, endedAtMs: 0 },
      },
    });
    expect(await drive(open)).toMatchObject({ status: 'succeeded', steps: 2 });
    expect(open.effects.refunds).toHaveLength(1);
  });

  it('runs no once call again that a dead attempt had run and journalled', async () => {
    const stage = await openStage({ script: inTurns(...callTurns([['pay', { amount: 5 }]]), done) });
    await deliverOne(stage);
    for (let deaths = 0; deaths < 6; deaths += 1) await killOne(stage, 'tools have run');
    await deliverOne(stage);
    expect(await stage.view()).toMatchObject({ status: 'failed', stop: { reason: 'internal' } });
    expect(await again(stage, 2)).toMatchObject({ type: 'conflict' });
    expect(await again(stage)).toMatchObject({ type: 'retried', job: { attempts: 0 } });
    expect(await drive(stage)).toMatchObject({ status: 'succeeded' });
    expect(stage.paid).toHaveLength(1);
    expectMoney(stage);
  });

  it.each([
    ['a text where an answer was due', answer([{ type: 'text', text: 'Well.' }], 'end_turn')],
    [
      'an answer that does not fit',
      answer([{ type: 'tool_use', id: 'a', name: 'return_answer', input: { x: 1 } }], 'tool_use'),
    ],
    ['nothing at all', answer([], 'end_turn')],
  ])('after %s, twice in a row, gives the model its repair turn again', async (_, bad) => {
    const input = { answer: 'yes' };
    const good = answer([{ type: 'tool_use', id: 'b', name: 'return_answer', input }], 'tool_use');
    const open = await openCase({
      script: inTurns(bad, bad, bad, good),
      agent: { output: z.object({ answer: z.string() }) },
    });
    expect(await drive(open)).toMatchObject({ stop: { reason: 'invalid_output' }, steps: 2 });
    await again(open);
    expect(await drive(open)).toMatchObject({ status: 'succeeded', output: { answer: 'yes' }, steps: 4 });
  });

  it('after two cut replies lets the next one be cut once more', async () => {
    const cut = answer([{ type: 'text', text: 'It goes' }], 'max_tokens');
    const open = await openCase({ script: inTurns(cut, cut, cut, done) });
    expect(await drive(open)).toMatchObject({ stop: { reason: 'max_output_tokens' } });
    await again(open);
    expect(await drive(open)).toMatchObject({ status: 'succeeded', steps: 4 });
  });

  it('of a job whose approval expired asks a person again', async () => {
    const ran: string[] = [];
    const tool = defineTool({
      name: 'ask_first',
      description: 'Asks first',
      input: z.object({}),
      approval: { expiresInSeconds: 600, onExpiry: 'stop' },
      run: (_, { idempotencyKey }) => void ran.push(idempotencyKey),
    });
    const open = await openCase({ script: scriptOf([['ask_first', {}]]), agent: { tools: [tool] } });
    await drive(open);
    await open.world.clock.advance(900_000);
    await reconcile(open.world);
    expect(await open.view()).toMatchObject({ stop: { reason: 'approval_expired' } });
    await again(open);
    const expiresAt = new Date(open.world.clock.now() + 600_000).toISOString();
    expect(await open.view()).toMatchObject({
      status: 'awaiting_approval',
      approvals: [{ status: 'pending', expiresAt }],
    });
    expect(await drive(open, { approve: true })).toMatchObject({ status: 'succeeded' });
    expect(ran).toHaveLength(1);
  });

  it('of a job that a limit stopped is stopped by it again, unasked', async () => {
    const open = await openCase({
      script: scriptOf([search('a')]),
      submission: { limits: { maxSteps: 1 } },
    });
    await drive(open);
    expect(await again(open)).toMatchObject({ type: 'retried' });
    expect(await drive(open)).toMatchObject({ status: 'stopped', stop: { reason: 'max_steps' }, steps: 1 });
    expect(open.strict.calls()).toHaveLength(1);
  });
});

describe('a retry from a step', () => {
  const failed = () =>
    openCase({
      script: inTurns(
        ...callTurns([search('a')], [search('b')], [search('c')]),
        locked,
        ...callTurns([search('d')]),
        done,
      ),
    });

  it.each([
    ['on a warm worker', false],
    ['on cold workers', true],
  ])('cuts the transcript back and goes on from there %s; counts and money stand', async (_, cold) => {
    const open = await failed();
    expect(await drive(open, { cold })).toMatchObject({ status: 'failed', steps: 3 });
    const spent = charged((await headOf(open)).ledger);
    expect(await again(open, 2)).toMatchObject({ type: 'retried', job: { steps: 3, count: 2 } });
    expect(charged((await headOf(open)).ledger)).toBe(spent);
    const view = await drive(open, { cold });
    expect(view).toMatchObject({ status: 'succeeded', steps: 5 });
    expect(view.cost).toMatchObject({ spentUsd: open.strict.billedMicroUsd() / 1e6, reservedUsd: 0 });
    const asked = (await viewSteps(open.world, TENANT, open.jobId))?.flatMap(({ calls }) => calls);
    expect(asked?.map(({ input }) => input)).toEqual([{ query: 'a' }, { query: 'd' }]);
    const last = open.requests().at(-1);
    if (last === undefined) throw new Error('nothing was asked');
    expect(pairing(last).calls).toEqual(pairing(last).results);
    expect(last.messages).toHaveLength(5);
  });

  it('1 begins with the input alone, and holds no less than the prompt can take', async () => {
    const open = await failed();
    const first = await headOf(open);
    await drive(open);
    expect(await again(open, 1)).toMatchObject({
      job: {
        ...{ count: 1, textAt: 0, pending: undefined, observed: false, lastReply: 'ok' },
        ...{ promptBound: first.promptBound, transcriptHash: first.transcriptHash },
      },
    });
    expect(await drive(open)).toMatchObject({ status: 'succeeded', steps: 5 });
    expect(open.requests().at(-2)?.messages).toHaveLength(1);
  });

  it('has the head that stood at the start of every step', async () => {
    const heads = new Map<number, object>();
    for (const step of [1, 2, 3, 4]) {
      const stage = await openStage({
        script: inTurns(
          ...callTurns([search('a')], [search('b')]),
          answer([{ type: 'text', text: 'cut' }], 'max_tokens'),
          locked,
          done,
        ),
      });
      const start = await headOf(stage);
      await drive(stage);
      const books = [start, ...stage.books.map(({ head }) => head)];
      const before = books.findLast((head) => head.status.type === 'queued' && head.steps === step - 1);
      if (before === undefined) throw new Error('no such head');
      const { count, transcriptHash, promptBound, textAt, lastReply, observed } = before;
      const result = await again(stage, step);
      expect(result).toMatchObject({
        job: { count, transcriptHash, promptBound, textAt, lastReply, observed },
      });
      if (result.type !== 'retried') throw new Error(result.type);
      const { item, born, states } = before.pending ?? {};
      expect(result.job.pending ?? {}).toMatchObject(
        before.pending === undefined ? {} : { item, born, states },
      );
      heads.set(step, result.job);
    }
    expect(heads.size).toBe(4);
  });

  it('is refused in and before the step that ran a once call, and made after it', async () => {
    const open = await openCase({ script: inTurns(...callTurns([refund], [search('b')]), locked, done) });
    await drive(open, { approve: true });
    for (const step of [1, 2]) {
      expect(await again(open, step)).toMatchObject({
        type: 'conflict',
        why: expect.stringContaining('once'),
      });
    }
    for (const step of [0, 4, 1.5]) {
      expect(await again(open, step)).toMatchObject({
        type: 'conflict',
        why: expect.stringContaining('1 to 3'),
      });
    }
    expect(await again(open, 3)).toMatchObject({ type: 'retried' });
    expect(await drive(open)).toMatchObject({ status: 'succeeded', steps: 3 });
    expect(open.effects.refunds).toHaveLength(1);
    expect(open.effects.runs.get('search_kb')).toBe(2);
  });

  it('keeps what a person had decided', async () => {
    const open = await openCase({ script: inTurns(...callTurns([refund], [search('b')]), locked, done) });
    const { world, jobId } = open;
    await drive(open);
    const [approval] = (await open.view()).approvals;
    const callId = String(approval?.['callId']);
    await judge(world, { tenant: TENANT, jobId, callId, decision: 'deny', reason: 'no receipt' });
    expect(await drive(open)).toMatchObject({ status: 'failed' });
    expect(await again(open, 2)).toMatchObject({
      job: { status: { type: 'queued' }, pending: { states: 'D' } },
    });
    expect(await judge(world, { tenant: TENANT, jobId, callId, decision: 'deny' })).toMatchObject({
      type: 'decided',
    });
    expect(await drive(open)).toMatchObject({ status: 'succeeded' });
    expect(JSON.stringify(open.requests().at(-1))).toContain('no receipt');
    expect(open.effects.refunds).toEqual([]);
  });

  it('never adopts a reply that it has taken back, when its first attempt dies', async () => {
    const open = await failed();
    await drive(open);
    await again(open, 2);
    const stale = await open.world.store.readItem(open.jobId, 3);
    expect(stale).toMatchObject({ stop: 'tool_use' });
    const before = open.strict.calls().length;
    await killOne(open, 'tools have run');
    await deliverOne(open, open.world.restarted());
    expect(open.strict.calls()).toHaveLength(before + 1);
    expect(await open.world.store.readItem(open.jobId, 3)).not.toEqual(stale);
    expect(await drive(open)).toMatchObject({
      status: 'succeeded',
      steps: 5,
      cost: { unsettledUsd: expect.any(Number) },
    });
  });

  it('takes back items that were stored in parts', async () => {
    const open = await openCase({
      script: inTurns(...callTurns([search('a')], [search('b')]), locked, ...callTurns([search('d')]), done),
      agent: {
        maxResultBytes: 500_000,
        search: ({ query }) => query.repeat(400_000),
        limits: { maxCostUsd: 100 },
      },
    });
    expect(await drive(open)).toMatchObject({ status: 'failed' });
    expect(await again(open, 2)).toMatchObject({ type: 'retried' });
    expect(await drive(open, { cold: true })).toMatchObject({ status: 'succeeded', steps: 4 });
  });
});

describe('who may retry', () => {
  it('a job that has not failed or stopped, is another’s or too old is not retried', async () => {
    const open = await openCase({ script: inTurns(locked, done) });
    expect(await again(open)).toMatchObject({ type: 'conflict', why: expect.stringContaining('not ended') });
    await drive(open);
    const { world, jobId } = open;
    expect(await retry(world, { tenant: 'other', jobId })).toEqual({ type: 'not_found' });
    await again(open);
    expect(await drive(open)).toMatchObject({ status: 'succeeded' });
    expect(await again(open)).toMatchObject({ type: 'conflict', why: expect.stringContaining('succeeded') });
    const other = await openCase({ script: inTurns(done) });
    await cancel(other.world, TENANT, other.jobId);
    expect(await again(other)).toMatchObject({ type: 'conflict', why: expect.stringContaining('cancelled') });
  });

  it('of a retry and an extension at once one goes through', async () => {
    const open = await openCase({
      script: scriptOf([search('a')], [search('b')]),
      submission: { limits: { maxSteps: 1 } },
    });
    const { world, jobId } = open;
    await drive(open);
    const both = Promise.all([extend(world, { tenant: TENANT, jobId, addSteps: 5 }), again(open)]);
    const results = await finish(world, both);
    expect(results.map(({ type }) => type).sort()).toContain('conflict');
    expect(results.filter(({ type }) => type === 'conflict')).toHaveLength(1);
    const extended = results[0]?.type === 'extended';
    expect((await headOf(open)).limits.maxSteps).toBe(extended ? 6 : 1);
    expect(await drive(open)).toMatchObject({ steps: extended ? 3 : 1 });
  });

  it('a batch’s job asks the pool first, which then holds its ceiling again', async () => {
    const { world } = batchStage({ script: inTurns(locked, done) });
    const batch = await startBatch(world, { rows: rowsOf(1), budget: 100_000 });
    const { state, jobs } = await restingBatch(world, batch.id);
    expect(state.batch).toMatchObject({ status: 'done', counts: { failed: 1 } });
    const [job] = jobs;
    if (job === undefined) throw new Error('no job');
    await world.store.commitBatch({ ...state.batch, budget: 99_999, version: state.batch.version + 1 });
    expect(await retry(world, { tenant: TENANT, jobId: job.id })).toMatchObject({
      type: 'conflict',
      why: 'the batch has $0.099999 left, the job needs $0.1',
    });
    await world.store.commitBatch({ ...state.batch, version: state.batch.version + 2 });
    expect(await retry(world, { tenant: TENANT, jobId: job.id })).toMatchObject({ type: 'retried' });
    const held = await world.store.loadBatch(batch.id);
    expect(held && poolLeft(held)).toBe(0);
    await runUntilIdle(world);
    const after = await restingBatch(world, batch.id);
    expect(after.state.batch).toMatchObject({
      status: 'done',
      open: [],
      counts: { succeeded: 1, failed: 0 },
    });
    expect((await jobAt(world, after.state.batch, 0))?.status.type).toBe('succeeded');
  });
});
