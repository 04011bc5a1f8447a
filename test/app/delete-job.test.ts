import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { cancel } from '../../src/app/cancel.ts';
import { deleteJob } from '../../src/app/delete-job.ts';
import { extend } from '../../src/app/extend.ts';
import { followUp } from '../../src/app/follow-up.ts';
import { retry } from '../../src/app/retry.ts';
import { type Submission, submit } from '../../src/app/submit.ts';
import { viewJob, viewMessages, viewSteps } from '../../src/app/views.ts';
import { drive, type OpenCase, openCase, receiveOne, TENANT } from '../field/run-case.ts';
import { done, inTurns, locked, scriptOf } from '../field/scripts.ts';
import { startBatch } from '../support/a-batch.ts';
import { finish, runFor } from '../support/drive.ts';
import { restingBatch } from '../support/example-run.ts';
import { intentPut, itemPut } from '../support/held-table.ts';
import { batchStage, handle, lapse, openStage } from '../support/stage.ts';

const search = ['search_kb', { query: 'canary' }] as const;
const remove = ({ world, jobId }: Pick<OpenCase, 'world' | 'jobId'>) => deleteJob(world, TENANT, jobId);

/** Everything the table holds of a job, as text. */
const stored = ({ world, jobId }: Pick<OpenCase, 'world' | 'jobId'>): string =>
  JSON.stringify(world.table.all().filter(({ pk }) => pk === `JOB#${jobId}`));

describe('a deleted job', () => {
  const submission: Partial<Submission> = { key: 'k', input: 'the canary', metadata: { who: 'canary' } };
  const agent = { output: z.object({ answer: z.string() }) };
  const answered = scriptOf([search], [['return_answer', { answer: 'canary' }]]);

  it('keeps its id, cost, usage and stop; input, transcript and results are gone', async () => {
    const open = await openCase({ script: answered, submission, agent });
    const before = await drive(open);
    expect(stored(open)).toContain('canary');
    expect(await remove(open)).toEqual({ type: 'deleted' });
    expect(stored(open)).not.toContain('canary');
    expect(await open.view()).toEqual({
      ...before,
      ...{ input: '', output: null, text: null, metadata: {}, approvals: [] },
      updatedAt: expect.any(String),
    });
    expect(before).toMatchObject({ status: 'succeeded', output: { answer: 'canary' }, steps: 2 });
    expect(await viewSteps(open.world, TENANT, open.jobId)).toEqual([]);
    expect(await viewMessages(open.world, TENANT, open.jobId)).toEqual([]);
    expect(await remove(open)).toEqual({ type: 'deleted' });
  });

  it('still answers for its idempotency key', async () => {
    const open = await openCase({ script: inTurns(done), submission });
    const { world, jobId } = open;
    await drive(open);
    await remove(open);
    const again = { tenant: TENANT, agent: 'field', ...submission, input: 'the canary' };
    expect(await submit(world, again)).toMatchObject({ type: 'same', job: { id: jobId, deleted: true } });
    expect(await submit(world, { ...again, input: 'other' })).toEqual({ type: 'conflict', jobId });
    expect(stored(open)).not.toContain('canary');
    expect(world.queue.messages()).toEqual([]);
  });

  it('goes on by nothing', async () => {
    const open = await openCase({ script: scriptOf([search]), submission: { limits: { maxSteps: 1 } } });
    const { world, jobId } = open;
    expect(await remove(open)).toMatchObject({ type: 'conflict' });
    expect(await deleteJob(world, 'other', jobId)).toEqual({ type: 'not_found' });
    await drive(open);
    await remove(open);
    const job = { tenant: TENANT, jobId };
    const refused = { type: 'conflict', why: 'the job was deleted' };
    expect(await extend(world, { ...job, addSteps: 1 })).toEqual(refused);
    expect(await retry(world, job)).toEqual(refused);
    expect(await retry(world, { ...job, fromStep: 1 })).toEqual(refused);
    expect(await followUp(world, { ...job, content: 'x', key: 'k' })).toEqual(refused);
    expect(await cancel(world, TENANT, jobId)).toMatchObject({ type: 'conflict' });
  });

  it('loses what a late worker writes of it, once no worker can write any more', async () => {
    const stage = await openStage({ script: inTurns(...scriptOf([search]).turns, done) });
    const { world, held, jobId } = stage;
    const put = held.hold(itemPut(2));
    const zombie = handle(world.restarted(), receiveOne(world));
    await put.reached;
    await lapse(world);
    await cancel(world, TENANT, jobId);
    await runFor(world, 3);
    expect(await stage.view()).toMatchObject({ status: 'cancelled' });
    await remove(stage);
    await put.answer();
    await finish(world, zombie);
    expect(stored(stage)).toContain('canary');
    expect(await viewSteps(world, TENANT, jobId)).toEqual([]);
    await runFor(world, 25);
    expect(stored(stage)).not.toContain('canary');
    expect(await world.store.loadJob(jobId)).toMatchObject({ dueAtMs: 0, deleted: true });
  });

  it('has its once calls run no second time by a worker that slept through it all', async () => {
    const stage = await openStage({ script: inTurns(...scriptOf([['pay', { amount: 1 }]]).turns, done) });
    const { world, held, jobId } = stage;
    await handle(world, receiveOne(world));
    const intent = held.hold(intentPut);
    const sleeper = handle(world.restarted(), receiveOne(world));
    await intent.reached;
    await lapse(world);
    await runFor(world, 3);
    expect(await stage.view()).toMatchObject({ status: 'succeeded' });
    expect(stage.paid).toHaveLength(1);
    expect(await deleteJob(world, TENANT, jobId)).toEqual({ type: 'deleted' });
    await intent.answer();
    await finish(world, sleeper);
    expect(stage.paid).toHaveLength(1);
  });

  it('takes its row’s input with it, and its batch counts it as before', async () => {
    const { world } = batchStage({ script: inTurns(locked) });
    const row = { id: 'r', line: 2, input: 'the canary', metadata: { who: 'canary' } };
    const batch = await startBatch(world, { rows: [row] });
    const { jobs } = await restingBatch(world, batch.id);
    const jobId = jobs[0]?.id ?? '';
    for (let times = 0; times < 2; times += 1) {
      expect(await deleteJob(world, TENANT, jobId)).toEqual({ type: 'deleted' });
      expect(JSON.stringify(world.table.all())).not.toContain('canary');
    }
    expect(await viewJob(world, TENANT, jobId)).toMatchObject({ batchId: batch.id, status: 'failed' });
    expect((await world.store.loadBatch(batch.id))?.counts).toMatchObject({ failed: 1 });
  });
});
