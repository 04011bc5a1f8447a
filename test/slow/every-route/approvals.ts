import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/client.ts';
import { inputFor } from './model.ts';
import type { Stage } from './suite.ts';
import { itemsIn, jobIn, type Visitor } from './visitor.ts';

/** A job with a refund of this order that waits for a person, and what names the call. */
async function askedFor({ submit, jobWhen }: Visitor, order: string) {
  const { id } = await submit('pays', { input: inputFor('pays', order) });
  const job = await jobWhen(id, 'awaiting_approval');
  const [call] = job.approvals;
  if (call === undefined) throw new Error('no call waits');
  return { job, call, params: { id, callId: call.callId } };
}

interface Step {
  readonly calls: readonly { readonly name: string; readonly isError: boolean; readonly output: unknown }[];
}

async function refundsIn({ ask }: Visitor, { id }: Job) {
  const steps = itemsIn<Step>(await ask('readSteps', 200, { params: { id } }));
  return steps.flatMap(({ calls }) => calls).filter(({ name }) => name === 'issue_refund');
}

const approve = { decision: 'approve' };
const deny = { decision: 'deny', reason: 'The cup was a gift.' };

export function approvalTests({ target, visit }: Stage): void {
  describe.concurrent('approvals', () => {
    it('by two people at once pay the refund once', async () => {
      const visitor = visit('approvals');
      const { ask, jobWhen } = visitor;
      const order = 'ORD-1003';
      const { job, params } = await askedFor(visitor, order);
      await Promise.all([1, 2, 3].map(() => ask('decideCall', 200, { params, body: approve })));
      expect((await jobWhen(job.id, 'succeeded')).approvals).toMatchObject([{ status: 'approved' }]);
      expect(await refundsIn(visitor, job)).toMatchObject([
        { isError: false, output: expect.stringContaining('"refunded":true') },
      ]);
      expect(target().refundsOf(order)).toBe(1);
      // Also after its end.
      await ask('decideCall', 200, { params, body: approve });
      await ask('decideCall', 409, { params, body: deny });
      expect(target().refundsOf(order)).toBe(1);
    });

    it.each(['ORD-1004', 'ORD-1005', 'ORD-1006'])(
      'of two minds at once take one of them, for %s',
      async (order) => {
        const visitor = visit('approvals');
        const { job, params } = await askedFor(visitor, order);
        const bodies = order === 'ORD-1005' ? [deny, approve] : [approve, deny];
        const replies = await Promise.all(
          bodies.map((body) => visitor.race('decideCall', [200, 409], { params, body })),
        );
        expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
        const approved = bodies[replies.findIndex(({ status }) => status === 200)] === approve;
        const { approvals } = await visitor.jobWhen(job.id, 'succeeded');
        expect(approvals).toMatchObject([{ status: approved ? 'approved' : 'denied' }]);
        expect(await refundsIn(visitor, job)).toMatchObject([{ isError: !approved }]);
        expect(target().refundsOf(order)).toBe(approved ? 1 : 0);
      },
    );

    it('hold for the very arguments that were shown, and for no call that is not there', async () => {
      const visitor = visit('approvals');
      const { ask } = visitor;
      const { job, call, params } = await askedFor(visitor, 'ORD-1007');
      await ask('decideCall', 409, { params, body: { ...approve, inputHash: 'another' } });
      await ask('decideCall', 404, { params: { ...params, callId: 'call_9_9' }, body: approve });
      await ask('decideCall', 400, { params, body: { decision: 'perhaps' } });
      expect(jobIn(await ask('readJob', 200, { params: { id: job.id } }))).toEqual(job);
      await ask('decideCall', 200, { params, body: { ...approve, inputHash: call.inputHash } });
      await visitor.jobWhen(job.id, 'succeeded');
      expect(target().refundsOf('ORD-1007')).toBe(1);
    });

    it('come too late for a job that was cancelled', async () => {
      const visitor = visit('approvals');
      const { job, params } = await askedFor(visitor, 'ORD-1008');
      const cancelled = jobIn(await visitor.ask('cancelJob', 202, { params: { id: job.id } }));
      expect(cancelled).toMatchObject({ status: 'cancelled', approvals: [{ status: 'expired' }] });
      await visitor.ask('decideCall', 409, { params, body: approve });
      expect(target().refundsOf('ORD-1008')).toBe(0);
    });

    it('that are denied tell the model why', async () => {
      const visitor = visit('approvals');
      const { job, params } = await askedFor(visitor, 'ORD-1010');
      await visitor.ask('decideCall', 200, { params, body: deny });
      await visitor.jobWhen(job.id, 'succeeded');
      const messages = itemsIn(await visitor.ask('readMessages', 200, { params: { id: job.id } }));
      expect(JSON.stringify(messages[2])).toContain(deny.reason);
    });

    it('that are pending are listed with their jobs, the oldest first', async () => {
      const visitor = visit('waiting');
      const { job } = await askedFor(visitor, 'ORD-1001');
      const rows = [{ id: 'r1', input: inputFor('pays'), metadata: { n: 7 } }];
      const batch = await visitor.submitBatch(rows);
      await visitor.batchWhen(batch.id, ({ counts }) => counts.awaiting_approval === 1);
      const first = await visitor.ask('listApprovals', 200, { query: { limit: '1' } });
      const query = { cursor: String(first.json['cursor']) };
      const second = await visitor.ask('listApprovals', 200, { query });
      expect([...itemsIn(first), ...itemsIn(second)]).toMatchObject([
        { ...job.approvals[0], jobId: job.id, agent: 'triage', batchId: null, rowId: null },
        { tool: 'issue_refund', status: 'pending', batchId: batch.id, rowId: 'r1', metadata: { n: 7 } },
      ]);
    });
  });
}
