import { createClient } from '../../src/client.ts';
import type { Known } from '../../test/api/generate-requests.ts';

/** Things of each kind that one round asks for. */
const SOME = 30;

/** What there is to be asked for, as the API itself lists it; calls that waited once are kept. */
export async function readKnown(url: string, before: Known | undefined): Promise<Known> {
  const client = createClient({ endpoint: url });
  const ended = await client.jobs({ status: 'succeeded', limit: 3 });
  const stopped = await client.jobs({ status: 'stopped', limit: 5 });
  const newest = await client.jobs({ limit: SOME });
  const waiting = await client.approvals({ limit: SOME });
  const calls = waiting.items.map(({ jobId, callId }) => ({ jobId, callId }));
  const letters = await client.deadLetters({ limit: SOME });
  return {
    agents: (await client.agents()).items.map(({ name }) => name).slice(0, 1),
    jobs: [...ended.items, ...newest.items].map(({ id }) => id),
    stopped: stopped.items.map(({ id }) => id),
    batches: (await client.batches({ limit: SOME })).items.map(({ id }) => id),
    letters: letters.items.map(({ id }) => id),
    calls: [...calls, ...(before?.calls ?? [])].slice(0, SOME),
  };
}

/** Lets everything go on that the requests of a round may have stopped. */
export async function letGoOn(url: string): Promise<void> {
  await createClient({ endpoint: url }).startAll('all');
  for (const tenant of ['default', 'a']) {
    await createClient({ endpoint: url, headers: { 'x-treadle-tenant': tenant } }).startAll();
  }
}
