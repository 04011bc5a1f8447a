import { deleteJob } from '../../app/delete-job.ts';
import { followUp, MAX_CONTENT_BYTES } from '../../app/follow-up.ts';
import { retry } from '../../app/retry.ts';
import { utf8Bytes } from '../../core/safe-json.ts';
import { conflict, keyMismatch, noContent, notFound, tooLarge } from '../answer.ts';
import { definedOnly } from '../defined-only.ts';
import { jobAnswer } from '../job-answer.ts';
import { KIB, MIB } from '../read-body.ts';
import { defineRoute, type Route } from '../route.ts';
import { idempotencyKeyHeader } from '../schemas/common.ts';
import { job, jobParams, followUp as newMessage, retry as retryBody } from '../schemas/job.ts';
import * as examples from './job-examples.ts';

const retryJob = defineRoute({
  method: 'POST',
  path: '/jobs/{id}/retry',
  operationId: 'retryJob',
  tag: 'Jobs',
  summary: 'Try a failed or stopped job again',
  description:
    'Under the limits that it has: in the step that did not commit, or from the start of an earlier one, where no `once` call took effect in or after it.',
  permission: 'spend',
  params: jobParams,
  body: { schema: retryBody, maxBytes: 16 * KIB, optional: true },
  answers: { 202: { description: 'The job, going on', schema: job } },
  problems: [409],
  examples: examples.retryJob,
  handle: async (context, { params, body }) => {
    const { tenant } = context.identity;
    const retried = await retry(context.world, { tenant, jobId: params.id, ...definedOnly(body) });
    switch (retried.type) {
      case 'retried':
        return jobAnswer(context, params.id, 202);
      case 'not_found':
        return notFound('job');
      case 'conflict':
        return conflict(retried.why);
      default:
        return retried satisfies never;
    }
  },
});

const addMessage = defineRoute({
  method: 'POST',
  path: '/jobs/{id}/messages',
  operationId: 'addMessage',
  tag: 'Jobs',
  summary: 'Go on with an ended job after one more user message',
  description: 'The history stays; calls that were open are answered first.',
  permission: 'submit',
  params: jobParams,
  headers: idempotencyKeyHeader,
  body: { schema: newMessage, maxBytes: MIB },
  answers: { 202: { description: 'The job, going on', schema: job } },
  problems: [409, 422],
  examples: examples.addMessage,
  handle: async (context, { params, headers, body }) => {
    const bytes = utf8Bytes(body.content);
    if (bytes > MAX_CONTENT_BYTES)
      return tooLarge(`content: ${bytes} bytes, the most is ${MAX_CONTENT_BYTES}`);
    const answer = await followUp(context.world, {
      ...{ tenant: context.identity.tenant, jobId: params.id, content: body.content },
      ...definedOnly({ key: headers['Idempotency-Key'] }),
    });
    switch (answer.type) {
      case 'accepted':
      case 'same':
        return jobAnswer(context, params.id, 202);
      case 'not_found':
        return notFound('job');
      case 'key_conflict':
        return keyMismatch();
      case 'conflict':
        return conflict(answer.why);
      default:
        return answer satisfies never;
    }
  },
});

const removeJob = defineRoute({
  method: 'DELETE',
  path: '/jobs/{id}',
  operationId: 'deleteJob',
  tag: 'Jobs',
  summary: 'Delete what an ended job holds',
  description:
    'Transcript, input and results are gone for good; its id, cost and stop reason stay, and what its idempotency key stood for.',
  permission: 'submit',
  params: jobParams,
  answers: { 204: { description: 'It is deleted' } },
  problems: [409],
  examples: examples.deleteJob,
  handle: async ({ world, identity }, { params }) => {
    const deleted = await deleteJob(world, identity.tenant, params.id);
    switch (deleted.type) {
      case 'deleted':
        return noContent;
      case 'not_found':
        return notFound('job');
      case 'conflict':
        return conflict(deleted.why);
      default:
        return deleted satisfies never;
    }
  },
});

export const endedJobRoutes: readonly Route[] = [retryJob, addMessage, removeJob];
