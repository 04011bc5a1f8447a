import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleJobId } from '../../src/api/samples.ts';
import { createRandom } from '../../src/testing/random.ts';
import { anyRequest } from './generate-requests.ts';
import { worldGiven } from './given.ts';
import { type ApiReply, type ApiRequest, senders } from './senders.ts';

const REQUESTS = 400;
const given = ['queued', 'awaiting_approval', 'succeeded', 'stopped'] as const;

/** What no answer may hold, whatever was asked. */
function faultsOf(reply: ApiReply): readonly string[] {
  const faults: string[] = [];
  if (reply.status >= 500) faults.push('5xx');
  if (/\n\s+at |node_modules|\.ts:\d|canary-token/.test(reply.text)) faults.push('a stack or a secret');
  if (reply.status >= 400 && reply.text.length > 30_000) faults.push('an echo');
  if (reply.status >= 400 && reply.headers['content-type'] !== 'application/problem+json')
    faults.push('no problem');
  if (reply.headers['cache-control'] !== 'no-store') faults.push('may be cached');
  return faults;
}

const shown = ({ method, path, headers, text, tenant }: ApiRequest): string =>
  JSON.stringify({ method, path, headers, text: text?.slice(0, 300), tenant });

describe.each(senders)('requests of every kind %s', (_, open) => {
  it.each(given)('meet no 5xx, stack or secret, beside a job that is %s', async (state) => {
    const world = await worldGiven(state);
    const send = await open(world);
    const seed = Math.floor(createRandom(given.indexOf(state) + 1).next() * 2 ** 31);
    const requests = fc.sample(anyRequest([sampleJobId]), { seed, numRuns: REQUESTS / given.length });
    const met = new Map<number, number>();
    for (const request of requests) {
      const reply = await send(request);
      expect(faultsOf(reply), `${shown(request)} got ${reply.status} ${reply.text.slice(0, 500)}`).toEqual(
        [],
      );
      met.set(reply.status, (met.get(reply.status) ?? 0) + 1);
    }
    // The generator is only worth something while it also makes requests that are right.
    expect([...met.keys()]).toEqual(expect.arrayContaining([200, 202, 400, 404]));
    expect(JSON.stringify(world.lines)).not.toContain('canary-token');
  });
});
