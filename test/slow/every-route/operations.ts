import { describe, expect, it } from 'vitest';
import type { DeadLetter } from '../../../src/client.ts';
import { namesOf } from '../../api/replies.ts';
import type { Stage } from './suite.ts';
import { itemsIn, jobIn, until, type Visitor } from './visitor.ts';

/** The letter of a message, once it was taken. */
function letterOf({ ask }: Visitor, message: string): Promise<DeadLetter> {
  return until('the dead letter', async () => {
    const letters = itemsIn<DeadLetter>(await ask('listDeadLetters', 200));
    return letters.find(({ body }) => body === message);
  });
}

export function operationTests({ target, visit }: Stage): void {
  describe('operations', () => {
    it('tell the agents, and that all is well', async () => {
      const { ask } = visit('operations');
      const tools = ['get_order', 'get_delivery_status', 'search_help', 'issue_refund'];
      const triage = { name: 'triage', tools, limits: { maxSteps: 12, maxCostUsd: 0.05 } };
      const [first] = itemsIn(await ask('listAgents', 200));
      expect(first).toMatchObject(triage);
      const well = { ok: true, lapsedLeases: 0, deadLetters: 0, stopped: false };
      expect((await ask('readHealth', 200)).json).toMatchObject(well);
    });

    it.each(['tenant', 'agent', 'day', 'batch'])(
      'sum up costs by %s, of jobs that were counted',
      async (by) => {
        const reply = await visit('operations').ask('readCosts', 200, { query: { by } });
        // Nothing is counted sooner than a minute after its end.
        expect(reply.json).toEqual({ items: [], cursor: null });
      },
    );

    it('sum up no costs by what there are no sums for', async () => {
      const reply = await visit('operations').ask('readCosts', 400, { query: { by: 'colour' } });
      expect(namesOf(reply)).toEqual(['by']);
    });

    it('stop one tenant and nobody else, and a message that was lost by then is sent again', async () => {
      const stopped = visit('stopped');
      const other = visit('operations');
      for (const body of [undefined, { scope: 'tenant' }]) {
        const reply = await stopped.ask('stopAll', 200, body === undefined ? {} : { body });
        expect(reply.json).toEqual({ stopped: true, scope: 'tenant' });
      }
      const { id } = await stopped.submit('answers');
      await other.jobWhen((await other.submit('looks')).id, 'succeeded');
      expect((await stopped.ask('readHealth', 200)).json).toMatchObject({ ok: true, stopped: true });
      expect((await other.ask('readHealth', 200)).json).toMatchObject({ ok: true, stopped: false });
      expect(jobIn(await stopped.ask('readJob', 200, { params: { id } }))).toMatchObject({
        status: 'queued',
        steps: 0,
      });
      for (let times = 0; times < 2; times += 1)
        expect((await stopped.ask('startAll', 200)).json).toEqual({ stopped: false, scope: 'tenant' });
      const message = JSON.stringify({ v: 1, jobId: id, turn: 1 });
      await target().giveUp(message);
      const letter = await letterOf(stopped, message);
      expect(letter).toMatchObject({ reason: 'received too often', redrivenAt: null });
      expect((await stopped.ask('readHealth', 200)).json).toMatchObject({ deadLetters: 1, stopped: false });
      const params = { id: letter.id };
      await other.ask('redriveDeadLetter', 404, { params });
      expect(itemsIn(await other.ask('listDeadLetters', 200))).toEqual([]);
      const redriven = await stopped.ask('redriveDeadLetter', 202, { params });
      expect(redriven.json).toMatchObject({ id: letter.id, redrivenAt: expect.any(String) });
      expect((await stopped.ask('redriveDeadLetter', 202, { params })).json).toEqual(redriven.json);
      expect(itemsIn(await stopped.ask('listDeadLetters', 200))).toEqual([redriven.json]);
      expect(await stopped.jobWhen(id, 'succeeded')).toMatchObject({ steps: 1 });
      expect((await stopped.ask('readHealth', 200)).json).toMatchObject({ deadLetters: 0 });
    });

    it('send a dead letter again word for word: one that nobody can read becomes another letter', async () => {
      const visitor = visit('operations');
      await target().giveUp('nonsense');
      const params = { id: (await letterOf(visitor, 'nonsense')).id };
      await visitor.ask('redriveDeadLetter', 202, { params });
      const letters = await until('another letter', async () => {
        const both = itemsIn<DeadLetter>(await visitor.ask('listDeadLetters', 200));
        return both.length === 2 ? both : undefined;
      });
      expect(letters).toMatchObject([
        { body: 'nonsense', redrivenAt: null },
        { ...params, body: 'nonsense', redrivenAt: expect.any(String) },
      ]);
    });

    it('stop everybody for those who may', async () => {
      const { ask } = visit('operations');
      const body = { scope: 'all' };
      try {
        expect((await ask('stopAll', 200, { body })).json).toEqual({ stopped: true, scope: 'all' });
        for (const tenant of ['operations', 'jobs'] as const)
          expect((await visit(tenant).ask('readHealth', 200)).json).toMatchObject({
            ok: false,
            stopped: true,
          });
      } finally {
        expect((await ask('startAll', 200, { body })).json).toEqual({ stopped: false, scope: 'all' });
      }
      expect((await ask('readHealth', 200)).json).toMatchObject({ ok: true, stopped: false });
    });
  });
}
