import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { judge } from '../../src/app/approve.ts';
import { cancel } from '../../src/app/cancel.ts';
import { followUp } from '../../src/app/follow-up.ts';
import { retry } from '../../src/app/retry.ts';
import { submit } from '../../src/app/submit.ts';
import { viewJob } from '../../src/app/views.ts';
import { poolLeft } from '../../src/core/batch.ts';
import { deliverOne, drive, killOne, type OpenCase, openCase, resultsOf, TENANT } from '../field/run-case.ts';
import { answer, callTurns, done, inTurns, locked, scriptOf } from '../field/scripts.ts';
import { rowsOf, startBatch } from '../support/a-batch.ts';
import { finish, runUntilIdle } from '../support/drive.ts';
import { restingBatch } from '../support/example-run.ts';
import { itemPut, requestOn } from '../support/held-table.ts';
import { batchStage, expectMoney, openStage } from '../support/stage.ts';

const search = (query: string) => ['search_kb', { query }] as const;
const refund = ['issue_refund', { orderId: 'A-77', amountCents: 4990 }] as const;
const say = (text: string, stop = 'end_turn') => answer([{ type: 'text', text }], stop);

const tell = ({ world, jobId }: Pick<OpenCase, 'world' | 'jobId'>, content: string, key?: string) =>
  followUp(world, { tenant: TENANT, jobId, content, ...(key === undefined ? {} : { key }) });

const words = (open: OpenCase) =>
  open
    .requests()
    .at(-1)
    ?.messages.map(({ role, content }) => [role, content.map((block) => block.type)]);

describe('a follow-up', () => {
  it('of a job that succeeded goes on with the same history', async () => {
    const open = await openCase({ script: inTurns(...callTurns([search('a')]), say('Sent.'), say('Yes.')) });
    await drive(open);
    await open.world.clock.advance(3_600_000);
    const result = await tell(open, 'Are you sure?');
    const nowMs = open.world.clock.now();
    expect(result).toMatchObject({
      type: 'accepted',
      job: { status: { type: 'queued' }, observed: true, endedAtMs: 0, deadlineMs: nowMs + 86_400_000 },
    });
    expect(await drive(open, { cold: true })).toMatchObject({ status: 'succeeded', text: 'Yes.', steps: 3 });
    expect(words(open)).toEqual([
      ['user', ['text']],
      ['assistant', ['tool_use']],
      ['user', ['tool_result']],
      ['assistant', ['text']],
      ['user', ['text']],
    ]);
    expect(await open.messages()).toHaveLength(6);
    // The bound that was held covered the prompt: nothing was dearer than its reserve.
    expect(await open.view()).toMatchObject({ needsReview: false, cost: { unsettledUsd: 0 } });
  });

  it('takes an answer as accepted before its own words, and gets the next one', async () => {
    const input = (text: string) => ({ answer: text });
    const open = await openCase({
      script: scriptOf([['return_answer', input('one')]], [['return_answer', input('two')]]),
      agent: { output: z.object({ answer: z.string() }) },
    });
    expect(await drive(open)).toMatchObject({ output: input('one') });
    await tell(open, 'Another one.');
    expect((await open.view()).output).toBeNull();
    expect(await drive(open)).toMatchObject({ status: 'succeeded', output: input('two') });
    expect(resultsOf(open.requests().at(-1))).toMatchObject([{ content: 'accepted' }]);
    expect(words(open)?.at(-1)).toEqual(['user', ['tool_result', 'text']]);
  });

  it('says of calls that nobody decided that they were not run, and nobody can decide them any more', async () => {
    const open = await openCase({ script: scriptOf([refund, search('a')]) });
    const { world, jobId } = open;
    await drive(open);
    const callId = String((await open.view()).approvals[0]?.['callId']);
    await cancel(world, TENANT, jobId);
    expect(await tell(open, 'Leave it.')).toMatchObject({
      type: 'accepted',
      job: { cancelRequested: false },
    });
    expect(await judge(world, { tenant: TENANT, jobId, callId, decision: 'approve' })).toMatchObject({
      type: 'conflict',
    });
    expect(await drive(open)).toMatchObject({ status: 'succeeded' });
    const notRun = { is_error: true, content: expect.stringContaining('not run') };
    expect(resultsOf(open.requests().at(-1))).toMatchObject([notRun, notRun]);
    expect(open.effects.refunds).toEqual([]);
    expect(open.effects.runs.size).toBe(0);
  });

  it('keeps the result of a once call that a dead attempt had run', async () => {
    const stage = await openStage({ script: scriptOf([['pay', { amount: 5 }], search('a')]) });
    await deliverOne(stage);
    for (let deaths = 0; deaths < 6; deaths += 1) await killOne(stage, 'tools have run');
    await deliverOne(stage);
    expect(await stage.view()).toMatchObject({ stop: { reason: 'internal' } });
    await tell(stage, 'What now?');
    expect(await drive(stage)).toMatchObject({ status: 'succeeded' });
    expect(resultsOf(stage.requests().at(-1))).toMatchObject([
      { content: 'paid' },
      { is_error: true, content: expect.stringContaining('not run') },
    ]);
    expect(stage.paid).toHaveLength(1);
    expectMoney(stage);
  });

  it.each([
    ['results that no reply read', inTurns(...callTurns([search('a')]), locked, done)],
    ['an input that no reply read', inTurns(locked, done)],
    ['a refused reply', inTurns(say('No.', 'refusal'), done)],
    ['two cut replies', inTurns(say('It', 'max_tokens'), say('It', 'max_tokens'), done)],
    ['two empty replies', inTurns(answer([], 'end_turn'), answer([], 'end_turn'), done)],
  ])('stands after %s', async (_, script) => {
    const open = await openCase({ script });
    await drive(open);
    expect(await tell(open, 'Go on.')).toMatchObject({ type: 'accepted' });
    expect(await drive(open)).toMatchObject({ status: 'succeeded', text: 'Done.' });
  });

  it('can be retried from its step, and its words stay', async () => {
    const open = await openCase({
      script: inTurns(say('Sent.'), ...callTurns([search('a')]), locked, say('Yes.')),
    });
    const { world, jobId } = open;
    await drive(open);
    await tell(open, 'Are you sure?');
    expect(await drive(open)).toMatchObject({ status: 'failed', steps: 2 });
    expect(await retry(world, { tenant: TENANT, jobId, fromStep: 2 })).toMatchObject({
      job: { count: 3, observed: true, pending: undefined },
    });
    expect(await drive(open)).toMatchObject({ status: 'succeeded', text: 'Yes.' });
    expect(words(open)).toEqual([
      ['user', ['text']],
      ['assistant', ['text']],
      ['user', ['text']],
    ]);
  });

  it('of a job that needed no model shows the answer of the model from then on', async () => {
    const { world } = batchStage({
      script: scriptOf([['return_answer', { answer: 'yes' }]]),
      agent: { output: z.object({ answer: z.string() }) },
    });
    const row = { id: 'r', line: 2, input: 'nothing', metadata: {}, output: { answer: 'none' } };
    const batch = await startBatch(world, { rows: [row] });
    const { jobs } = await restingBatch(world, batch.id);
    const jobId = jobs[0]?.id ?? '';
    expect(await viewJob(world, TENANT, jobId)).toMatchObject({ output: { answer: 'none' }, steps: 0 });
    await tell({ world, jobId }, 'And now?');
    await runUntilIdle(world);
    expect(await viewJob(world, TENANT, jobId)).toMatchObject({ output: { answer: 'yes' }, steps: 1 });
  });
});

describe('a follow-up under a key', () => {
  it('is one follow-up however often it comes, also after the job has ended again', async () => {
    const open = await openCase({ script: inTurns(say('One.'), say('Two.'), say('Three.')) });
    await drive(open);
    expect(await tell(open, 'more', 'k')).toMatchObject({ type: 'accepted' });
    expect(await tell(open, 'more', 'k')).toMatchObject({
      type: 'same',
      job: { status: { type: 'queued' } },
    });
    await drive(open);
    expect(await tell(open, 'more', 'k')).toMatchObject({
      type: 'same',
      job: { status: { type: 'succeeded' } },
    });
    expect(await tell(open, 'other', 'k')).toEqual({ type: 'key_conflict' });
    expect(open.strict.calls()).toHaveLength(2);
    expect(await tell(open, 'more', 'k2')).toMatchObject({ type: 'accepted' });
    expect(await drive(open)).toMatchObject({ text: 'Three.' });
  });

  it('that died between its item and its commit is made by the same key again, and the late commit is refused', async () => {
    const stage = await openStage({ script: inTurns(say('One.'), say('Two.')) });
    const { world, held, jobId } = stage;
    await drive(stage);
    const before = await world.store.loadJob(jobId);
    const claim = held.hold(requestOn(jobId));
    void tell({ world: world.restarted(), jobId }, 'more', 'k').catch(() => undefined);
    await claim.reached;
    const late = held.hold(requestOn(jobId));
    await claim.answer();
    await late.reached;
    expect(await world.store.readItem(jobId, 3)).toMatchObject({ fence: (before?.fence ?? 0) + 1 });
    expect(await tell(stage, 'other', 'k')).toEqual({ type: 'key_conflict' });
    expect(await tell(stage, 'more', 'k')).toMatchObject({ type: 'accepted' });
    await late.land();
    expect(await drive(stage)).toMatchObject({ status: 'succeeded', text: 'Two.', steps: 2 });
    expect(await stage.messages()).toHaveLength(4);
    expect(stage.strict.calls()).toHaveLength(2);
    expectMoney(stage);
  });

  it('that came twice at once is accepted once and the same for the other', async () => {
    const open = await openCase({ script: inTurns(say('One.'), say('Two.')) });
    await drive(open);
    const results = await finish(open.world, Promise.all([tell(open, 'more', 'k'), tell(open, 'more', 'k')]));
    expect(results.map(({ type }) => type).sort()).toEqual(['accepted', 'same']);
    expect(await drive(open)).toMatchObject({ text: 'Two.', steps: 2 });
    expect(await open.messages()).toHaveLength(4);
  });

  it('that a slow twin overtook is the same, also where the job has ended once more meanwhile', async () => {
    const stage = await openStage({ script: inTurns(say('One.'), say('Two.'), say('Three.')) });
    const { world, held, jobId } = stage;
    await runUntilIdle(world);
    const fence = held.hold(({ item }) => item.sk === 'JOB');
    const slow = tell({ world: world.restarted(), jobId }, 'more', 'k');
    await fence.reached;
    expect(await tell(stage, 'more', 'k')).toMatchObject({ type: 'accepted' });
    await runUntilIdle(world);
    await fence.answer();
    expect(await finish(world, slow)).toMatchObject({ type: 'same', job: { steps: 2 } });
    await runUntilIdle(world);
    expect(stage.strict.calls()).toHaveLength(2);
  });
});

describe('follow-ups that meet', () => {
  it('of two at once one is accepted, and its words are those that are sent', async () => {
    const open = await openCase({ script: inTurns(say('One.'), say('Two.')) });
    await drive(open);
    const results = await finish(open.world, Promise.all([tell(open, 'left'), tell(open, 'right')]));
    expect(results.map(({ type }) => type).sort()).toEqual(['accepted', 'conflict']);
    await drive(open);
    const accepted = results[0]?.type === 'accepted' ? 'left' : 'right';
    expect(open.requests().at(-1)?.messages.at(-1)?.content).toMatchObject([{ text: accepted }]);
  });

  it('a slow one does not overwrite the item of the one that came after it', async () => {
    const stage = await openStage({ script: inTurns(say('One.'), say('Two.')) });
    const { world, held, jobId } = stage;
    await drive(stage);
    const put = held.hold(itemPut(3));
    const slow = tell({ world: world.restarted(), jobId }, 'slow');
    await put.reached;
    expect(await tell(stage, 'fast')).toMatchObject({ type: 'accepted' });
    await put.answer();
    expect(await finish(world, slow)).toMatchObject({ type: 'conflict' });
    expect(await drive(stage)).toMatchObject({ text: 'Two.' });
    expect(stage.requests().at(-1)?.messages.at(-1)?.content).toMatchObject([{ text: 'fast' }]);
  });

  it('a batch’s job asks the pool first, for the version that carries the message', async () => {
    const { world } = batchStage({ script: inTurns(done, done) });
    const batch = await startBatch(world, { rows: rowsOf(1), budget: 100_000 });
    const { state, jobs } = await restingBatch(world, batch.id);
    const jobId = jobs[0]?.id ?? '';
    await world.store.commitBatch({ ...state.batch, budget: 99_999, version: state.batch.version + 1 });
    expect(await tell({ world, jobId }, 'more')).toMatchObject({
      type: 'conflict',
      why: 'the batch has $0.099999 left, the job needs $0.1',
    });
    await world.store.commitBatch({ ...state.batch, version: state.batch.version + 2 });
    const accepted = await tell({ world, jobId }, 'more');
    expect(accepted).toMatchObject({ type: 'accepted' });
    const held = await world.store.loadBatch(batch.id);
    expect(held && poolLeft(held)).toBe(0);
    expect(held?.open[0]?.grant).toBe('job' in accepted ? accepted.job.version - 1 : 0);
    const after = await restingBatch(world, batch.id);
    expect(after.state.batch).toMatchObject({ status: 'done', open: [], counts: { succeeded: 1 } });
    expect(after.jobs).toMatchObject([{ steps: 2 }]);
  });

  it('is refused for a job that runs, is another’s, or with too long a content', async () => {
    const open = await openCase({ script: inTurns(done, done) });
    const { world, jobId } = open;
    expect(await tell(open, 'more')).toMatchObject({ type: 'conflict' });
    await drive(open);
    expect(await followUp(world, { tenant: 'other', jobId, content: 'x', key: 'k' })).toEqual({
      type: 'not_found',
    });
    await expect(tell(open, 'ก'.repeat(87_382))).rejects.toMatchObject({ code: 'content_too_long' });
    expect(await tell(open, ' '.repeat(262_144))).toMatchObject({ type: 'accepted' });
    expect(await drive(open)).toMatchObject({ status: 'succeeded' });
  });

  it('is refused once the job is older than a year', async () => {
    const open = await openCase({ script: inTurns(done) });
    const { world } = open;
    const { clock } = world;
    const submitted = await submit(world, { tenant: TENANT, agent: 'field', input: 'old' });
    const jobId = 'job' in submitted ? submitted.job.id : '';
    await clock.advance(300 * 86_400_000);
    await cancel(world, TENANT, jobId);
    await clock.advance(65 * 86_400_000);
    const job = { tenant: TENANT, jobId };
    expect(await followUp(world, { ...job, content: 'x', key: 'k' })).toMatchObject({ type: 'accepted' });
    await cancel(world, TENANT, jobId);
    await clock.advance(1);
    const old = { type: 'conflict', why: expect.stringContaining('365 days') };
    expect(await followUp(world, { ...job, content: 'y' })).toMatchObject(old);
    expect(await retry(world, job)).toMatchObject(old);
  });
});
