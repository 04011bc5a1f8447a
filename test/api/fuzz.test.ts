import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleBatchId } from '../../src/api/batch-samples.ts';
import { sampleCallId, sampleJobId, sampleLetterId } from '../../src/api/samples.ts';
import { createRandom } from '../../src/testing/random.ts';
import { faultsOf } from './faults.ts';
import { anyRequest, type Known } from './generate-requests.ts';
import { worldGiven } from './given.ts';
import { type ApiRequest, senders } from './senders.ts';

const REQUESTS = 1_000;
const given = [
  ...(['queued', 'awaiting_approval', 'succeeded', 'stopped'] as const),
  ...(['batch_open', 'batch_paused', 'batch_done', 'dead_letter'] as const),
];
const known: Known = {
  agents: ['triage'],
  jobs: [sampleJobId],
  stopped: [sampleJobId],
  batches: [sampleBatchId],
  letters: [sampleLetterId],
  calls: [{ jobId: sampleJobId, callId: sampleCallId }],
};

const shown = ({ method, path, headers, text, tenant }: ApiRequest): string =>
  JSON.stringify({ method, path, headers, text: text?.slice(0, 300), tenant });

describe.each(senders)('requests of every kind %s', (_, open) => {
  it.each(given)('meet no 5xx, stack or secret, where there is %s', async (state) => {
    const world = await worldGiven(state);
    const send = await open(world);
    const seed = Math.floor(createRandom(given.indexOf(state) + 1).next() * 2 ** 31);
    const requests = fc.sample(anyRequest(known), { seed, numRuns: REQUESTS / given.length });
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
