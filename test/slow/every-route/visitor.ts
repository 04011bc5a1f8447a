import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Example } from '../../../src/api/route.ts';
import { routes } from '../../../src/api/routes.ts';
import type { Batch, Job } from '../../../src/client.ts';
import { requestOf } from '../../api/examples.ts';
import { expectDocumented } from '../../api/replies.ts';
import { type ApiReply, sendTo } from '../../api/senders.ts';
import { inputFor, type Word } from './model.ts';
import type { Target, Tenant } from './target.ts';

export type Request = Example['request'];

/** Somebody of one tenant who calls operations by their ids. */
export interface Visitor {
  /** Sends a request, and expects this status and an answer that is as the document says. */
  readonly ask: (operationId: string, status: number, request?: Request) => Promise<ApiReply>;
  /** The same, where nobody can say beforehand which of these statuses it will be. */
  readonly race: (operationId: string, statuses: readonly number[], request: Request) => Promise<ApiReply>;
  readonly submit: (word: Word, more?: object) => Promise<Job>;
  readonly submitBatch: (rows: readonly object[], more?: object) => Promise<Batch>;
  /** The job once it has this status. */
  readonly jobWhen: (id: string, status: Job['status']) => Promise<Job>;
  readonly batchWhen: (id: string, is: (batch: Batch) => boolean) => Promise<Batch>;
}

export type Visit = (tenant: Tenant) => Visitor;

export const jobIn = (reply: ApiReply): Job => reply.json as unknown as Job;
export const batchIn = (reply: ApiReply): Batch => reply.json as unknown as Batch;
export const itemsIn = <Item = Record<string, unknown>>(reply: ApiReply): readonly Item[] =>
  reply.json['items'] as Item[];

const LOOK_MS = 40;
const MAX_LOOKS = 500;

/** Looks again and again until there is something to see. */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await sleep(LOOK_MS);
  }
  throw new Error(`${what} does not come`);
}

/** `seen` takes every answer that was as it should be: `readJob 200`. */
export function visitorsOf(target: Target, seen: Set<string>): Visit {
  const send = sendTo(target.url);
  return (tenant) => {
    const race: Visitor['race'] = async (operationId, statuses, request) => {
      const route = routes.find((one) => one.operationId === operationId);
      if (route === undefined) throw new Error(`there is no operation ${operationId}`);
      const reply = await send({ ...requestOf(route, { request }), tenant });
      expect(statuses, `${operationId}: ${reply.text.slice(0, 300)}`).toContain(reply.status);
      expectDocumented(route, reply);
      seen.add(`${operationId} ${reply.status}`);
      return reply;
    };
    const ask: Visitor['ask'] = (operationId, status, request = {}) => race(operationId, [status], request);
    return {
      ...{ ask, race },
      submit: async (word, more = {}) =>
        jobIn(await ask('createJob', 202, { body: { agent: 'triage', input: inputFor(word), ...more } })),
      submitBatch: async (rows, more = {}) =>
        batchIn(await ask('createBatch', 202, { body: { agent: 'triage', rows, ...more } })),
      jobWhen: (id, status) =>
        until(`${status} of ${id}`, async () => {
          const job = jobIn(await ask('readJob', 200, { params: { id } }));
          // What has ended otherwise will not come to it any more.
          if (job.finishedAt !== null) expect(job).toMatchObject({ id, status });
          return job.status === status ? job : undefined;
        }),
      batchWhen: (id, is) =>
        until(`what is awaited of ${id}`, async () => {
          const batch = batchIn(await ask('readBatch', 200, { params: { id } }));
          const sum = Object.values(batch.counts).reduce((total, count) => total + count, 0);
          expect(sum, JSON.stringify(batch)).toBe(batch.rows);
          return is(batch) ? batch : undefined;
        }),
    };
  };
}
