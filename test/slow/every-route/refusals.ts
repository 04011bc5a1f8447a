import { beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../../src/api/route.ts';
import { routes } from '../../../src/api/routes.ts';
import { namesOf } from '../../api/replies.ts';
import { inputFor } from './model.ts';
import type { Stage } from './suite.ts';
import { itemsIn, type Request, type Visitor } from './visitor.ts';

type Params = Readonly<Record<string, string>>;

/** What one tenant owns, as the parameters of each path name it. */
interface Owned {
  readonly paramsOf: (route: Route) => Params;
  /** All of it, as its owner reads it. */
  readonly look: () => Promise<readonly object[]>;
}

/** A right request but for what it is about. */
function rightRequest({ examples: [example] }: Route, params: Params): Request {
  const { body, query = {}, file } = example?.request ?? {};
  return { params, query, ...(body === undefined ? {} : { body }), ...(file === undefined ? {} : { file }) };
}

async function own({ submit, submitBatch, jobWhen, batchWhen, ask }: Visitor): Promise<Owned> {
  const waiting = await jobWhen((await submit('pays')).id, 'awaiting_approval');
  const ended = await jobWhen((await submit('answers')).id, 'succeeded');
  const batch = await submitBatch([{ id: 'a', input: inputFor('pays') }], { open: true, budgetUsd: 1 });
  await batchWhen(batch.id, ({ counts }) => counts.awaiting_approval === 1);
  const jobs = [waiting, ended].map(({ id }) => id);
  const reads: readonly (readonly [string, Request])[] = [
    ...jobs.flatMap((id) =>
      ['readJob', 'readMessages', 'readSteps'].map((name) => [name, { params: { id } }] as const),
    ),
    ['readBatch', { params: { id: batch.id } }],
    ['listApprovals', {}],
    ['listJobs', {}],
  ];
  const onEnded: ReadonlySet<string> = new Set(['deleteJob', 'addMessage', 'retryJob', 'extendJob']);
  return {
    paramsOf: ({ operationId, path }) => {
      if (path.startsWith('/batches')) return { id: batch.id };
      const id = (onEnded.has(operationId) ? ended : waiting).id;
      return { id, callId: waiting.approvals[0]?.callId ?? '' };
    },
    look: () =>
      Promise.all(
        reads.map(async ([operationId, id]) => {
          const { json } = await ask(operationId, 200, id);
          // An open batch takes its turns whether somebody asks or not.
          return operationId === 'readBatch' ? { ...json, updatedAt: '' } : json;
        }),
      ),
  };
}

const named = (list: readonly Route[]) => list.map((route) => [route.operationId, route] as const);
const about = routes.filter((route) => Object.keys(route.params.shape).length > 0);
const lists = routes.filter((route) => 'cursor' in route.query.shape);
const keyed = routes.filter((route) => 'Idempotency-Key' in route.headers.shape);
const withBody = routes.filter((route) => route.body !== undefined);
const unknown: Params = { id: 'unknown_id', callId: 'call_1_0' };

export function refusalTests({ visit }: Stage): void {
  describe('refusals', () => {
    let owned: Owned | undefined;
    let before: readonly object[] | undefined;
    beforeAll(async () => {
      owned = await own(visit('owner'));
      before = await owned.look();
    });

    it.each(named(about))('%s knows nothing of an id that is not there', async (operationId, route) => {
      await visit('owner').ask(operationId, 404, rightRequest(route, unknown));
    });

    it.each(named(about))(
      '%s shows and does nothing to what another tenant owns',
      async (operationId, route) => {
        await visit('stranger').ask(operationId, 404, rightRequest(route, owned?.paramsOf(route) ?? {}));
        expect(await owned?.look()).toEqual(before);
      },
    );

    it.each(['listJobs', 'listBatches', 'listApprovals', 'listDeadLetters'])(
      '%s lists nothing of what another tenant owns',
      async (operationId) => {
        expect(itemsIn(await visit('stranger').ask(operationId, 200))).toEqual([]);
      },
    );

    it.each(named(routes))('%s takes no parameter that it does not know', async (operationId, route) => {
      const { query, ...request } = rightRequest(route, unknown);
      const reply = await visit('stranger').ask(operationId, 400, {
        ...request,
        query: { ...query, colour: 'red' },
      });
      expect(namesOf(reply)).toEqual(['colour']);
    });

    it.each(named(lists))('%s takes no limit and no cursor that are none', async (operationId, route) => {
      const { query, ...request } = rightRequest(route, owned?.paramsOf(route) ?? {});
      for (const [name, value] of [
        ['limit', '0'],
        ['limit', '201'],
        ['limit', 'x'],
        ['cursor', '!'],
      ] as const) {
        const wrong = { ...request, query: { ...query, [name]: value } };
        expect(namesOf(await visit('owner').ask(operationId, 400, wrong))).toEqual([name]);
      }
    });

    it.each(named(keyed))('%s takes no key that is too long', async (operationId, route) => {
      const headers = { 'idempotency-key': 'k'.repeat(256) };
      const request = { ...rightRequest(route, unknown), headers };
      expect(namesOf(await visit('stranger').ask(operationId, 400, request))).toEqual(['Idempotency-Key']);
    });

    it.each(named(withBody))(
      '%s takes no body of another type or size, and none it cannot read',
      async (operationId, route) => {
        const { ask } = visit('stranger');
        const send = (status: number, type: string, text: string) =>
          ask(operationId, status, { params: unknown, file: { type, text } });
        await send(415, 'text/plain', 'x');
        await send(413, 'application/json', ' '.repeat((route.body?.maxBytes ?? 0) + 1));
        await send(400, 'application/json', '{');
        await send(400, 'application/json', '{"colour":"red"}');
      },
    );
  });
}
