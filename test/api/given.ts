import { agents } from '../../src/agents/index.ts';
import type { Given } from '../../src/api/route.ts';
import { sampleBody, sampleJobId, sampleKey } from '../../src/api/samples.ts';
import { submit } from '../../src/app/submit.ts';
import type { ModelOutcome } from '../../src/ports.ts';
import { runUntilIdle } from '../support/drive.ts';
import { callsModel, toolReply } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const lookup = toolReply(['get_order', { orderId: 'ORD-1001' }]);
const refund = toolReply(['issue_refund', { orderId: 'ORD-1001', amountCents: 500, reason: 'broken' }]);
const answer = toolReply([
  'return_answer',
  {
    ...{ category: 'refund', priority: 'P3', sentiment: 'worried', language: 'en', route_to: 'returns' },
    ...{ summary: 'A cup arrived broken.', suggested_reply: 'We are sorry.', needs_human: false },
    ...{ confidence: 0.9, evidence: ['ORD-1001'] },
  },
]);

const worlds: Readonly<
  Record<Given, { readonly replies: readonly ModelOutcome[]; readonly maxSteps?: number }>
> = {
  nothing: { replies: [] },
  queued: { replies: [] },
  awaiting_approval: { replies: [refund] },
  succeeded: { replies: [lookup, answer] },
  stopped: { replies: [lookup], maxSteps: 1 },
};

/** A world of the shipped agents, with the sample job in the state that an example begins with. */
export async function worldGiven(given: Given): Promise<TestWorld> {
  const { replies, maxSteps } = worlds[given];
  const world = memoryWorld({ agents, model: callsModel(replies).model });
  if (given === 'nothing') return world;
  const { maxCostUsd, ...limits } = sampleBody.limits;
  const submitted = await submit(world, {
    ...{ tenant: 'default', agent: 'triage', input: sampleBody.input, key: sampleKey },
    ...{ metadata: sampleBody.metadata, ceilingMicroUsd: Math.round(maxCostUsd * 1e6) },
    limits: maxSteps === undefined ? limits : { maxSteps },
  });
  if (submitted.type !== 'created' || submitted.job.id !== sampleJobId) throw new Error('not the sample job');
  if (given !== 'queued') await runUntilIdle(world);
  const job = await world.store.loadJob(sampleJobId);
  if (job?.status.type !== given) throw new Error(`the job is ${job?.status.type}, not ${given}`);
  return world;
}
