import { cancel } from '../../app/cancel.ts';
import { extend } from '../../app/extend.ts';
import { type Submission, submit } from '../../app/submit.ts';
import { viewMessages, viewSteps } from '../../app/views.ts';
import { isEnded, microUsd } from '../../core/job.ts';
import { resumableReasons } from '../../core/stop-rules.ts';
import {
  type Answer,
  badRequest,
  conflict,
  keyMismatch,
  notFound,
  tooLarge,
  tooManyRequests,
} from '../answer.ts';
import { definedOnly } from '../defined-only.ts';
import {
  inputText,
  inputTooLarge,
  jobAnswer,
  ownJob,
  raisedLimits,
  unknownAgent,
  webhookErrors,
} from '../job-answer.ts';
import { listQuery, pageAnswer, pageOf } from '../paging.ts';
import type { FieldError } from '../problem.ts';
import { KIB, MIB } from '../read-body.ts';
import { defineRoute, type Route } from '../route.ts';
import { idempotencyKeyHeader } from '../schemas/common.ts';
import { extension, job, jobParams, messageList, newJob, stepList } from '../schemas/job.ts';
import { endedJobRoutes } from './ended-jobs.ts';
import * as examples from './job-examples.ts';
import { jobListRoutes } from './lists.ts';

const createJob = defineRoute({
  method: 'POST',
  path: '/jobs',
  operationId: 'createJob',
  tag: 'Jobs',
  summary: 'Submit a job',
  description:
    'With an Idempotency-Key the same body gives the same job, the order of its keys aside, and another body is refused.',
  permission: 'submit',
  headers: idempotencyKeyHeader,
  body: { schema: newJob, maxBytes: MIB },
  answers: {
    202: { description: 'The job was created', schema: job, headers: { Location: 'Where the job is' } },
    200: {
      description: 'The key had already created this job',
      schema: job,
      headers: { Location: 'Where the job is' },
    },
  },
  problems: [422, 429],
  examples: examples.createJob,
  handle: async (context, { headers, body }) => {
    const agent = context.world.agents.get(body.agent);
    if (agent === undefined) return unknownAgent(context);
    const errors: FieldError[] = [...raisedLimits(agent, body.limits)];
    errors.push(...webhookErrors(context, body.webhook));
    if (errors.length > 0) return badRequest(errors);
    const input = inputText(body.input);
    const large = inputTooLarge(input);
    if (large !== undefined) return tooLarge(`input: ${large}`);
    const { maxCostUsd, ...limits } = definedOnly(body.limits ?? {});
    const submission: Submission = {
      tenant: context.identity.tenant,
      agent: agent.name,
      input,
      ...definedOnly({ metadata: body.metadata, webhook: body.webhook, key: headers['Idempotency-Key'] }),
      ...(body.limits === undefined ? {} : { limits }),
      ...(maxCostUsd === undefined ? {} : { ceilingMicroUsd: microUsd(maxCostUsd) }),
    };
    const submitted = await submit(context.world, submission);
    if (submitted.type === 'conflict') return keyMismatch();
    if (submitted.type === 'day_spent') return daySpent(context.world.clock.now(), submitted.untilMs);
    const { id } = submitted.job;
    return jobAnswer(context, id, submitted.type === 'created' ? 202 : 200, { location: `/jobs/${id}` });
  },
});

function daySpent(nowMs: number, untilMs: number): Answer {
  const detail =
    'what this tenant may spend today does not cover the ceiling of the job; what jobs that end did not spend comes back ' +
    'within minutes, and the pool is whole again at midnight UTC';
  return tooManyRequests(detail, Math.max(1, Math.ceil((untilMs - nowMs) / 1000)));
}

const readJob = defineRoute({
  method: 'GET',
  path: '/jobs/{id}',
  operationId: 'readJob',
  tag: 'Jobs',
  summary: 'Read a job',
  permission: 'read',
  params: jobParams,
  answers: { 200: { description: 'The job', schema: job } },
  examples: examples.readJob,
  handle: (context, { params }) => jobAnswer(context, params.id),
});

const readSteps = defineRoute({
  method: 'GET',
  path: '/jobs/{id}/steps',
  operationId: 'readSteps',
  tag: 'Jobs',
  summary: 'What a job did, step by step',
  permission: 'read',
  params: jobParams,
  query: listQuery,
  answers: { 200: { description: 'Its steps, the first one first', schema: stepList } },
  examples: examples.readSteps,
  handle: async ({ world, identity }, { params, query }) => {
    const steps = await viewSteps(world, identity.tenant, params.id);
    return steps === undefined ? notFound('job') : pageAnswer(pageOf(steps, query));
  },
});

const readMessages = defineRoute({
  method: 'GET',
  path: '/jobs/{id}/messages',
  operationId: 'readMessages',
  tag: 'Jobs',
  summary: 'The transcript of a job, exactly as it was sent',
  permission: 'read',
  params: jobParams,
  query: listQuery,
  answers: { 200: { description: 'All messages sent to the model and its last reply', schema: messageList } },
  examples: examples.readMessages,
  handle: async ({ world, identity }, { params, query }) => {
    const messages = await viewMessages(world, identity.tenant, params.id);
    return messages === undefined ? notFound('job') : pageAnswer(pageOf(messages, query));
  },
});

const cancelJob = defineRoute({
  method: 'POST',
  path: '/jobs/{id}/cancel',
  operationId: 'cancelJob',
  tag: 'Jobs',
  summary: 'Cancel a job',
  description:
    'A job with a request under way stays `running` until that has ended, and then ends `cancelled`.',
  permission: 'submit',
  params: jobParams,
  answers: { 202: { description: 'The job as stored', schema: job } },
  problems: [409],
  examples: examples.cancelJob,
  handle: async (context, { params }) => {
    const cancelled = await cancel(context.world, context.identity.tenant, params.id);
    switch (cancelled.type) {
      case 'accepted':
        return jobAnswer(context, params.id, 202);
      case 'not_found':
        return notFound('job');
      case 'conflict':
        return conflict(`the job has ended: ${cancelled.head.status.type}`);
      default:
        return cancelled satisfies never;
    }
  },
});

const extendJob = defineRoute({
  method: 'POST',
  path: '/jobs/{id}/extend',
  operationId: 'extendJob',
  tag: 'Jobs',
  summary: 'Raise the limits of a stopped job',
  description: 'It goes on from where it stopped. The money of a job of a batch comes from the pool.',
  permission: 'spend',
  params: jobParams,
  body: { schema: extension, maxBytes: 16 * KIB, optional: true },
  answers: { 202: { description: 'The job, going on', schema: job } },
  problems: [409],
  examples: examples.extendJob,
  handle: async (context, { params, body }) => {
    const { addUsd, ...amounts } = definedOnly(body);
    if (Object.keys(body).length === 0) {
      const missing = await amountMissing(context, params.id);
      if (missing)
        return badRequest([{ name: 'body', message: 'needs addUsd, addSteps, addTokens or addSeconds' }]);
    }
    const extended = await extend(context.world, {
      tenant: context.identity.tenant,
      jobId: params.id,
      ...amounts,
      ...(addUsd === undefined ? {} : { addMicroUsd: microUsd(addUsd) }),
    });
    switch (extended.type) {
      case 'extended':
        return jobAnswer(context, params.id, 202);
      case 'not_found':
        return notFound('job');
      case 'conflict':
        return conflict(extended.why);
      default:
        return extended satisfies never;
    }
  },
});

/** Whether the job could go on only with more of something: not by a new count of failures alone. */
async function amountMissing(context: Parameters<typeof ownJob>[0], jobId: string): Promise<boolean> {
  const standing = await ownJob(context, jobId);
  if (standing === undefined || !isEnded(standing)) return false;
  const { reason } = standing.status.stop;
  return resumableReasons.has(reason) && reason !== 'consecutive_failures';
}

export const jobRoutes: readonly Route[] = [
  createJob,
  ...jobListRoutes,
  readJob,
  readSteps,
  readMessages,
  cancelJob,
  extendJob,
  ...endedJobRoutes,
];
