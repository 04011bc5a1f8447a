import * as z from 'zod';
import { judge } from '../../app/approve.ts';
import { cleanText } from '../../core/safe-json.ts';
import { conflict, notFound } from '../answer.ts';
import { jobAnswer } from '../job-answer.ts';
import { KIB } from '../read-body.ts';
import { defineRoute, type Route } from '../route.ts';
import { sampleCallId, sampleJobId } from '../samples.ts';
import { decision } from '../schemas/approval.ts';
import { jobIdParam } from '../schemas/common.ts';
import { job } from '../schemas/job.ts';
import { approvalListRoutes } from './lists.ts';

const theCall = { id: sampleJobId, callId: sampleCallId };

const decideCall = defineRoute({
  method: 'POST',
  path: '/jobs/{id}/approvals/{callId}',
  operationId: 'decideCall',
  tag: 'Approvals',
  summary: 'Approve or deny a call that waits for a person',
  description: 'Decided once: the same decision again answers 200 for ever, another one 409.',
  permission: 'approve',
  params: z.object({
    id: jobIdParam,
    callId: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,40}$/)
      .describe('The callId of an approval'),
  }),
  body: { schema: decision, maxBytes: 16 * KIB },
  answers: { 200: { description: 'The job with the decision', schema: job } },
  problems: [409],
  examples: [
    {
      name: 'approve',
      summary: 'The call is run',
      given: 'awaiting_approval',
      request: { params: theCall, body: { decision: 'approve' } },
      answer: {
        status: 200,
        body: {
          id: sampleJobId,
          status: 'queued',
          approvals: [{ callId: sampleCallId, tool: 'issue_refund', status: 'approved' }],
        },
      },
    },
    {
      name: 'deny',
      summary: 'The model is told, and goes on without it',
      given: 'awaiting_approval',
      request: { params: theCall, body: { decision: 'deny', reason: 'The cup was a gift.' } },
      answer: { status: 200, body: { id: sampleJobId, approvals: [{ status: 'denied' }] } },
    },
    {
      name: 'otherArguments',
      summary: 'A decision on other arguments than those that wait',
      given: 'awaiting_approval',
      request: { params: theCall, body: { decision: 'approve', inputHash: 'another' } },
      answer: { status: 409, body: { detail: 'the arguments are not those that were decided on' } },
    },
  ],
  handle: async (context, { params, body }) => {
    const { world, identity } = context;
    const judged = await judge(world, {
      tenant: identity.tenant,
      who: identity.who,
      jobId: params.id,
      callId: params.callId,
      decision: body.decision,
      ...(body.reason === undefined ? {} : { reason: cleanText(body.reason) }),
      ...(body.inputHash === undefined ? {} : { inputHash: body.inputHash }),
    });
    switch (judged.type) {
      case 'decided':
        return jobAnswer(context, params.id);
      case 'not_found':
        return notFound('call');
      case 'conflict':
        return conflict(judged.why);
      default:
        return judged satisfies never;
    }
  },
});

export const approvalRoutes: readonly Route[] = [...approvalListRoutes, decideCall];
