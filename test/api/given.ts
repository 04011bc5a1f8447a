import { agents } from '../../src/agents/deployed.ts';
import { createApi } from '../../src/api/app.ts';
import { sampleBatch, sampleBatchId, sampleBatchKey } from '../../src/api/batch-samples.ts';
import type { Given } from '../../src/api/route.ts';
import { sampleBody, sampleJobId, sampleKey, sampleLetterId } from '../../src/api/samples.ts';
import { apiFiles } from '../../src/api-files.ts';
import { takeDeadLetter } from '../../src/app/dead-letter.ts';
import { pauseBatch } from '../../src/app/manage-batch.ts';
import { submit } from '../../src/app/submit.ts';
import { identifyLocally } from '../../src/local/api-server.ts';
import type { ModelOutcome } from '../../src/ports.ts';
import { runFor, runUntilIdle } from '../support/drive.ts';
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

interface Setting {
  readonly replies: readonly ModelOutcome[];
  readonly make?: (world: TestWorld) => Promise<void>;
}

const worlds: Readonly<Record<Given, Setting>> = {
  nothing: { replies: [] },
  queued: { replies: [], make: (world) => makeJob(world, 'queued') },
  awaiting_approval: { replies: [refund], make: (world) => makeJob(world, 'awaiting_approval') },
  succeeded: { replies: [lookup, answer], make: (world) => makeJob(world, 'succeeded') },
  stopped: { replies: [lookup], make: (world) => makeJob(world, 'stopped', { maxSteps: 1 }) },
  batch_open: { replies: [answer], make: (world) => makeBatch(world, { open: true }) },
  batch_paused: {
    replies: [answer],
    make: async (world) => {
      await makeBatch(world);
      await pauseBatch(world, 'default', sampleBatchId);
    },
  },
  batch_done: {
    replies: [answer],
    make: async (world) => {
      await makeBatch(world);
      await runUntilIdle(world);
    },
  },
  counted: {
    replies: [lookup, answer],
    make: async (world) => {
      await makeJob(world, 'succeeded');
      await runFor(world, 3);
    },
  },
  dead_letter: {
    replies: [],
    make: async (world) => {
      await makeJob(world, 'queued');
      const [message] = world.queue.messages();
      await takeDeadLetter(world, sampleLetterId, message?.body ?? '');
    },
  },
};

/** A world of the agents that are deployed by default, with the samples in the state that an example begins with. */
export async function worldGiven(given: Given): Promise<TestWorld> {
  const { replies, make } = worlds[given];
  const world = memoryWorld({ agents, model: callsModel(replies).model });
  await make?.(world);
  return world;
}

async function makeJob(world: TestWorld, status: string, changes: object = {}): Promise<void> {
  const { maxCostUsd, ...limits } = sampleBody.limits;
  const submitted = await submit(world, {
    ...{ tenant: 'default', agent: 'triage', input: sampleBody.input, key: sampleKey },
    ...{ metadata: sampleBody.metadata, ceilingMicroUsd: Math.round(maxCostUsd * 1e6) },
    limits: { ...limits, ...changes },
  });
  if (submitted.type !== 'created' || submitted.job.id !== sampleJobId) throw new Error('not the sample job');
  if (status !== 'queued') await runUntilIdle(world);
  const job = await world.store.loadJob(sampleJobId);
  if (job?.status.type !== status) throw new Error(`the job is ${job?.status.type}, not ${status}`);
}

/** By the API itself, so that its key stands for the very body of the examples. */
async function makeBatch(world: TestWorld, changes: object = {}): Promise<void> {
  const api = createApi({ world, identify: identifyLocally, files: apiFiles });
  const reply = await api.request('/batches', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': sampleBatchKey },
    body: JSON.stringify({ ...sampleBatch, ...changes }),
  });
  const { id } = (await reply.json()) as { readonly id: string };
  if (id !== sampleBatchId) throw new Error(`not the sample batch: ${id}`);
}
