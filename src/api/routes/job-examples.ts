import { sampleBatchId } from '../batch-samples.ts';
import type { Example } from '../route.ts';
import {
  cancelledJob,
  extendedJob,
  noSuchJob,
  queuedJob,
  sampleBody,
  sampleCallId,
  sampleJobId,
  sampleKey,
} from '../samples.ts';

const theJob = { id: sampleJobId };
const key = { 'Idempotency-Key': sampleKey };

export const createJob: readonly Example[] = [
  {
    name: 'ticket',
    summary: 'A job with lower limits and a key',
    given: 'nothing',
    request: { headers: key, body: sampleBody },
    answer: { status: 202, body: queuedJob },
  },
  {
    name: 'again',
    summary: 'The same key and body once more',
    given: 'queued',
    request: { headers: key, body: sampleBody },
    answer: { status: 200, body: queuedJob },
  },
  {
    name: 'otherBody',
    summary: 'The same key with another body',
    given: 'queued',
    request: { headers: key, body: { ...sampleBody, input: 'Where is order ORD-1002?' } },
    answer: { status: 422, body: { type: 'urn:treadle:idempotency_key_reused' } },
  },
  {
    name: 'raisedLimit',
    summary: "A limit above the agent's",
    given: 'nothing',
    request: { body: { ...sampleBody, limits: { maxSteps: 100 } } },
    answer: { status: 400, body: { errors: [{ name: 'limits.maxSteps' }] } },
  },
];

export const readJob: readonly Example[] = [
  {
    name: 'queued',
    summary: 'A job that no worker has begun',
    given: 'queued',
    request: { params: theJob },
    answer: { status: 200, body: queuedJob },
  },
  {
    name: 'unknown',
    summary: "A job that is not there, or another tenant's",
    given: 'nothing',
    request: { params: theJob },
    answer: { status: 404, body: noSuchJob },
  },
];

export const readSteps: readonly Example[] = [
  {
    name: 'first',
    summary: 'The first step of a job that has succeeded',
    given: 'succeeded',
    request: { params: theJob, query: { limit: '1' } },
    answer: {
      status: 200,
      body: {
        items: [
          {
            step: 1,
            model: {
              stopReason: 'tool_use',
              usage: { inputTokens: 100, outputTokens: 20, cacheWriteTokens: 0, cacheReadTokens: 0 },
              costUsd: 0.00002,
              attempts: 1,
            },
            calls: [{ id: 'call_1_0', name: 'get_order', input: { orderId: 'ORD-1001' }, policy: 'pure' }],
          },
        ],
      },
    },
  },
];

export const readMessages: readonly Example[] = [
  {
    name: 'transcript',
    summary: 'The first message of a job that has succeeded',
    given: 'succeeded',
    request: { params: theJob, query: { limit: '1' } },
    answer: {
      status: 200,
      body: { items: [{ role: 'user', content: [{ type: 'text', text: sampleBody.input }] }] },
    },
  },
];

export const cancelJob: readonly Example[] = [
  {
    name: 'queued',
    summary: 'A job that no worker has begun',
    given: 'queued',
    request: { params: theJob },
    answer: { status: 202, body: cancelledJob },
  },
  {
    name: 'tooLate',
    summary: 'A job that has ended',
    given: 'succeeded',
    request: { params: theJob },
    answer: { status: 409, body: { detail: 'the job has ended: succeeded' } },
  },
];

export const extendJob: readonly Example[] = [
  {
    name: 'steps',
    summary: 'Three more steps and a cent',
    given: 'stopped',
    request: { params: theJob, body: { addSteps: 3, addUsd: 0.01 } },
    answer: { status: 202, body: extendedJob },
  },
  {
    name: 'nothing',
    summary: 'Nothing to go on with',
    given: 'stopped',
    request: { params: theJob, body: {} },
    answer: { status: 400, body: { errors: [{ name: 'body' }] } },
  },
  {
    name: 'running',
    summary: 'A job that has not ended',
    given: 'queued',
    request: { params: theJob, body: { addSteps: 3 } },
    answer: { status: 409, body: { detail: 'the job has not ended: queued' } },
  },
];

export const listJobs: readonly Example[] = [
  {
    name: 'newest',
    summary: 'The newest job',
    given: 'queued',
    request: { query: { limit: '1' } },
    answer: { status: 200, body: { items: [queuedJob] } },
  },
  {
    name: 'filter',
    summary: 'Jobs that a limit on steps stopped',
    given: 'stopped',
    request: { query: { status: 'stopped', stop: 'max_steps', agent: 'triage' } },
    answer: { status: 200, body: { items: [{ id: sampleJobId, steps: 1 }], cursor: null } },
  },
  {
    name: 'unknownBatch',
    summary: "Of a batch that is not there, or another tenant's",
    given: 'queued',
    request: { query: { batch: sampleBatchId } },
    answer: { status: 404, body: { detail: 'there is no such batch' } },
  },
];

export const listApprovals: readonly Example[] = [
  {
    name: 'refund',
    summary: 'A refund that waits for a person',
    given: 'awaiting_approval',
    request: {},
    answer: {
      status: 200,
      body: {
        items: [
          {
            callId: sampleCallId,
            tool: 'issue_refund',
            input: { orderId: 'ORD-1001', amountCents: 500, reason: 'broken' },
            status: 'pending',
            jobId: sampleJobId,
            agent: 'triage',
            batchId: null,
            rowId: null,
            metadata: { ticket: '1001' },
          },
        ],
        cursor: null,
      },
    },
  },
];

export const retryJob: readonly Example[] = [
  {
    name: 'fromStep',
    summary: 'From the start of its first step',
    given: 'stopped',
    request: { params: theJob, body: { fromStep: 1 } },
    answer: { status: 202, body: { id: sampleJobId } },
  },
  {
    name: 'succeeded',
    summary: 'A job that has nothing to try again',
    given: 'succeeded',
    request: { params: theJob },
    answer: { status: 409, body: { detail: 'a job that succeeded cannot be retried' } },
  },
];

export const addMessage: readonly Example[] = [
  {
    name: 'question',
    summary: 'One more question, with a key',
    given: 'succeeded',
    request: { params: theJob, headers: key, body: { content: 'And in German, please.' } },
    answer: { status: 202, body: { id: sampleJobId, status: 'queued', steps: 2 } },
  },
  {
    name: 'running',
    summary: 'A job that has not ended',
    given: 'queued',
    request: { params: theJob, body: { content: 'And in German, please.' } },
    answer: { status: 409, body: { detail: 'the job has not ended: queued' } },
  },
];

export const deleteJob: readonly Example[] = [
  {
    name: 'succeeded',
    summary: 'A job that has ended',
    given: 'succeeded',
    request: { params: theJob },
    answer: { status: 204 },
  },
  {
    name: 'running',
    summary: 'A job that has not ended',
    given: 'queued',
    request: { params: theJob },
    answer: { status: 409, body: { detail: 'the job has not ended: queued' } },
  },
];
