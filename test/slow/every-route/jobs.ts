import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/client.ts';
import { namesOf } from '../../api/replies.ts';
import { inputFor } from './model.ts';
import type { Stage } from './suite.ts';
import { itemsIn, jobIn, type Visitor } from './visitor.ts';

const ofJob = ({ id }: Pick<Job, 'id'>) => ({ params: { id } });

interface Message {
  readonly role: string;
  readonly content: readonly { readonly text?: string }[];
}

const textsIn = (messages: readonly Message[]) =>
  messages.flatMap(({ content }) => content.flatMap(({ text }) => text ?? []));

/** A job with a refund that nobody has decided on. */
async function waitingJob({ submit, jobWhen }: Visitor, more: object = {}): Promise<Job> {
  return jobWhen((await submit('pays', more)).id, 'awaiting_approval');
}

export function jobTests({ target, visit }: Stage): void {
  describe.concurrent('jobs', () => {
    it('run, and show what they did step by step and word for word', async () => {
      const { ask, jobWhen } = visit('jobs');
      const body = { agent: 'triage', input: inputFor('looks'), limits: { maxSteps: 6 }, metadata: { n: 1 } };
      const submitted = await ask('createJob', 202, { body });
      const { id } = jobIn(submitted);
      expect(submitted.headers['location']).toBe(`/jobs/${id}`);
      const job = await jobWhen(id, 'succeeded');
      expect(job).toMatchObject({
        tenant: 'jobs',
        steps: 2,
        output: { category: 'refund' },
        metadata: { n: 1 },
      });
      expect(job).toMatchObject({
        stop: { reason: 'completed' },
        limits: { maxSteps: 6 },
        input: body.input,
      });
      expect(job.cost).toMatchObject({ reservedUsd: 0, unsettledUsd: 0 });
      expect(job.cost.spentUsd).toBeGreaterThan(0);
      const steps = itemsIn(await ask('readSteps', 200, { params: { id } }));
      const found = { name: 'get_order', isError: false, output: expect.stringContaining('shipped') };
      expect(steps).toMatchObject([{ step: 1, calls: [found] }, { step: 2 }]);
      const first = await ask('readSteps', 200, { params: { id }, query: { limit: '1' } });
      const query = { cursor: String(first.json['cursor']) };
      expect([...itemsIn(first), ...itemsIn(await ask('readSteps', 200, { params: { id }, query }))]).toEqual(
        steps,
      );
      const messages = itemsIn<Message>(await ask('readMessages', 200, { params: { id } }));
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
      expect(textsIn(messages.slice(0, 1))).toEqual([body.input]);
    });

    it('are made once by the same key, however often and at once it is sent', async () => {
      const { ask, race } = visit('keys');
      const request = {
        headers: { 'idempotency-key': 'once' },
        body: { agent: 'triage', input: 'model-answers' },
      };
      const twice = await Promise.all([1, 2, 3].map(() => race('createJob', [200, 202], request)));
      expect(twice.map(({ status }) => status).sort()).toEqual([200, 200, 202]);
      expect(new Set(twice.map((reply) => jobIn(reply).id)).size).toBe(1);
      expect(itemsIn(await ask('listJobs', 200))).toHaveLength(1);
      await ask('createJob', 200, request);
      await ask('createJob', 422, { ...request, body: { ...request.body, input: 'another' } });
    });

    it.each([
      ['an unknown agent', { agent: 'nobody' }, 'agent'],
      ['a limit above the agent’s', { limits: { maxSteps: 13 } }, 'limits.maxSteps'],
      ['a limit of nothing', { limits: { maxCostUsd: 0 } }, 'limits.maxCostUsd'],
      ['an input that is a number', { input: 7 }, 'input'],
      ['a webhook of this machine', { webhook: 'https://127.0.0.1:8443/hook' }, 'webhook'],
      ['a webhook by the name of this machine', { webhook: 'https://localhost:8443/hook' }, 'webhook'],
      ['a webhook in a private network', { webhook: 'https://10.0.0.8/hook' }, 'webhook'],
      ['a webhook to the cloud’s metadata', { webhook: 'https://169.254.169.254/latest' }, 'webhook'],
      ['a webhook to this machine as IPv6', { webhook: 'https://[::ffff:7f00:1]/hook' }, 'webhook'],
      ['a webhook that anybody can read', { webhook: 'http://example.com/hook' }, 'webhook'],
    ])('are refused with %s', async (_, changes, name) => {
      const body = { agent: 'triage', input: 'x', ...changes };
      const reply = await visit('jobs').ask('createJob', 400, { body });
      expect(namesOf(reply)).toEqual([name]);
    });

    it('take no input over 256 KiB', async () => {
      const body = { agent: 'triage', input: 'x'.repeat(262_145) };
      await visit('jobs').ask('createJob', 413, { body });
    });

    it('are cancelled while a call is in flight, and then end so and in no other way', async () => {
      const { ask, submit, jobWhen } = visit('jobs');
      const job = await jobWhen((await submit('slow')).id, 'running');
      expect(jobIn(await ask('cancelJob', 202, ofJob(job)))).toMatchObject({ status: 'running' });
      await ask('cancelJob', 202, ofJob(job));
      expect(await jobWhen(job.id, 'cancelled')).toMatchObject({
        stop: { reason: 'cancelled' },
        output: null,
      });
      await ask('cancelJob', 202, ofJob(job));
    });

    it('go on with more steps than they were stopped by, and not once they have succeeded', async () => {
      const { ask, submit, jobWhen } = visit('jobs');
      const job = await jobWhen((await submit('looks', { limits: { maxSteps: 1 } })).id, 'stopped');
      expect(job.stop).toMatchObject({ reason: 'max_steps', resumable: true });
      await ask('extendJob', 400, { ...ofJob(job), body: {} });
      const extended = await ask('extendJob', 202, { ...ofJob(job), body: { addSteps: 1, addUsd: 0.01 } });
      expect(jobIn(extended).limits).toMatchObject({ maxSteps: 2, maxCostUsd: 0.06 });
      expect(await jobWhen(job.id, 'succeeded')).toMatchObject({ steps: 2 });
      await ask('extendJob', 409, { ...ofJob(job), body: { addSteps: 1 } });
      await ask('retryJob', 409, ofJob(job));
      await ask('cancelJob', 409, ofJob(job));
    });

    it('are tried again in the step that failed, and never from before a refund that was paid', async () => {
      const { ask, submit, jobWhen } = visit('jobs');
      const order = 'ORD-1002';
      const { id } = await submit('fails', { input: inputFor('fails', order) });
      const [call] = (await jobWhen(id, 'awaiting_approval')).approvals;
      const params = { id, callId: call?.callId ?? '' };
      await ask('decideCall', 200, { params, body: { decision: 'approve' } });
      expect(await jobWhen(id, 'failed')).toMatchObject({ stop: { reason: 'rejected_request' }, steps: 1 });
      await ask('retryJob', 409, { params: { id }, body: { fromStep: 1 } });
      await ask('retryJob', 202, { params: { id } });
      expect(await jobWhen(id, 'succeeded')).toMatchObject({ steps: 2 });
      expect(target().refundsOf(order)).toBe(1);
    });

    it('take a follow-up once for each key, and answer it', async () => {
      const { ask, submit, jobWhen } = visit('jobs');
      const { id } = await submit('answers');
      await jobWhen(id, 'succeeded');
      const headers = { 'idempotency-key': 'and-then' };
      const request = { params: { id }, headers, body: { content: 'And in German?' } };
      await Promise.all([ask('addMessage', 202, request), ask('addMessage', 202, request)]);
      expect(await jobWhen(id, 'succeeded')).toMatchObject({ steps: 2 });
      await ask('addMessage', 422, { ...request, body: { content: 'And in French?' } });
      const texts = textsIn(itemsIn<Message>(await ask('readMessages', 200, { params: { id } })));
      expect(texts.filter((text) => text === request.body.content)).toHaveLength(1);
    });

    it('lose what they hold when they are deleted once they have ended, and keep what they cost', async () => {
      const visitor = visit('jobs');
      const { ask, jobWhen } = visitor;
      const waiting = ofJob(await waitingJob(visitor));
      await ask('deleteJob', 409, waiting);
      await ask('addMessage', 409, { ...waiting, body: { content: 'And?' } });
      const request = {
        headers: { 'idempotency-key': 'gone' },
        body: { agent: 'triage', input: inputFor('looks') },
      };
      const { id } = jobIn(await ask('createJob', 202, request));
      const { cost, stop } = await jobWhen(id, 'succeeded');
      for (let times = 0; times < 2; times += 1) await ask('deleteJob', 204, { params: { id } });
      const left = jobIn(await ask('readJob', 200, { params: { id } }));
      expect(left).toMatchObject({ id, stop, cost, input: '', output: null, text: null, metadata: {} });
      for (const operationId of ['readSteps', 'readMessages'])
        expect(itemsIn(await ask(operationId, 200, { params: { id } }))).toEqual([]);
      await ask('addMessage', 409, { params: { id }, body: { content: 'Who was it?' } });
      expect(jobIn(await ask('createJob', 200, request)).id).toBe(id);
    });

    it('are listed newest first, page by page and by what they are', async () => {
      const visitor = visit('lists');
      const { ask, submit, jobWhen } = visitor;
      const succeeded = await jobWhen((await submit('answers')).id, 'succeeded');
      const stopped = await jobWhen((await submit('looks', { limits: { maxSteps: 1 } })).id, 'stopped');
      const waiting = await waitingJob(visitor);
      const batch = await visitor.submitBatch([{ id: 'a', input: inputFor('answers') }]);
      await visitor.batchWhen(batch.id, ({ status }) => status === 'done');
      const idsOf = async (query: Readonly<Record<string, string>>) =>
        itemsIn<Job>(await ask('listJobs', 200, { query })).map(({ id }) => id);
      const first = await ask('listJobs', 200, { query: { limit: '3' } });
      const ids = itemsIn<Job>(first).map(({ id }) => id);
      expect(ids.slice(1)).toEqual([waiting.id, stopped.id]);
      expect(await idsOf({ cursor: String(first.json['cursor']) })).toEqual([succeeded.id]);
      expect(await idsOf({ batch: batch.id })).toEqual([ids[0]]);
      expect(await idsOf({ status: 'awaiting_approval', agent: 'triage' })).toEqual([waiting.id]);
      expect(await idsOf({ stop: 'max_steps' })).toEqual([stopped.id]);
      await ask('listJobs', 404, { query: { batch: 'batch_unknown' } });
      for (const name of ['status', 'stop', 'agent'])
        expect(namesOf(await ask('listJobs', 400, { query: { [name]: 'colour' } }))).toEqual([name]);
    });
  });
}
