import * as z from 'zod';
import { component, listOf, metadata } from './common.ts';
import { approval } from './job.ts';

export const decision = component(
  'Decision',
  z.strictObject({
    decision: z.enum(['approve', 'deny']),
    reason: z
      .string()
      .max(500, 'must be at most 500 characters')
      .optional()
      .describe('The model reads the reason of a denial'),
    inputHash: z
      .string()
      .min(1)
      .max(64, 'must be at most 64 characters')
      .optional()
      .describe('Refuses the decision when the arguments are others'),
  }),
);

/** A call that waits for a person, with the job that it stands in. */
export const waitingApproval = component(
  'WaitingApproval',
  approval.extend({
    jobId: z.string(),
    agent: z.string(),
    batchId: z.string().nullable(),
    rowId: z.string().nullable(),
    metadata,
  }),
);

export const approvalList = listOf('ApprovalList', waitingApproval);
