import * as z from 'zod';
import { listQuery } from '../paging.ts';
import {
  anyJson,
  batchIdParam,
  component,
  count,
  dollars,
  jobIdParam,
  listOf,
  metadata,
  money,
  timestamp,
} from './common.ts';

export const jobParams = z.object({ id: jobIdParam });

const limitNames = {
  maxSteps: 'Committed replies of the model',
  maxCostUsd: 'The cost ceiling, in US dollars',
  maxTokens: 'Tokens of all four kinds',
  maxConsecutiveFailures: 'Steps in a row with a failed tool or an unusable reply',
  timeoutSeconds: 'Seconds without the time spent waiting for a person',
} as const;

/** Limits as a request may lower them: to whole numbers of at least 1, and dollars above 0. */
export const lowerLimits = component(
  'LowerLimits',
  z
    .strictObject({
      maxSteps: count(1_000_000).optional().describe(limitNames.maxSteps),
      maxCostUsd: dollars.optional().describe(limitNames.maxCostUsd),
      maxTokens: count(1_000_000_000_000).optional().describe(limitNames.maxTokens),
      maxConsecutiveFailures: count(1_000_000).optional().describe(limitNames.maxConsecutiveFailures),
      timeoutSeconds: count(31_622_400).optional().describe(limitNames.timeoutSeconds),
    })
    .describe("Each may only lower the agent's"),
);
export type LowerLimits = z.output<typeof lowerLimits>;

export const limits = component(
  'Limits',
  z.object({
    maxSteps: z.int().describe(limitNames.maxSteps),
    maxCostUsd: z.number().describe(limitNames.maxCostUsd),
    maxTokens: z.int().describe(limitNames.maxTokens),
    maxConsecutiveFailures: z.int().describe(limitNames.maxConsecutiveFailures),
    timeoutSeconds: z.int().describe(limitNames.timeoutSeconds),
  }),
);

export const webhook = z
  .url({ protocol: /^https$/, error: 'must be an https URL' })
  .max(2_048, 'must be at most 2048 characters')
  .describe('Told when the job ends or waits for a person; only where a webhook secret is set');

export const input = z
  .union([z.string(), z.record(z.string(), anyJson)], { error: 'must be text or a JSON object' })
  .describe('Text or a JSON object, at most 256 KiB in UTF-8');

export const newJob = component(
  'NewJob',
  z.strictObject({
    agent: z.string().min(1).max(64, 'must be at most 64 characters').describe('The name of an agent'),
    input,
    limits: lowerLimits.optional(),
    metadata: metadata.optional(),
    webhook: webhook.optional(),
  }),
);

export const extension = component(
  'Extension',
  z
    .strictObject({
      addUsd: dollars.optional(),
      addSteps: count(1_000_000).optional(),
      addTokens: count(1_000_000_000_000).optional(),
      addSeconds: count(31_622_400).optional(),
    })
    .describe('At least one of them, unless the job was stopped by consecutive_failures'),
);

export const retry = component(
  'Retry',
  z.strictObject({
    fromStep: count(1_000_000).optional().describe('The step that is the first to run again'),
  }),
);

export const followUp = component(
  'FollowUp',
  z.strictObject({
    content: z.string().min(1).describe('The text of a user message, at most 256 KiB in UTF-8'),
  }),
);

export const statuses = [
  'queued',
  'running',
  'awaiting_approval',
  'succeeded',
  'stopped',
  'failed',
  'cancelled',
] as const;

export const stopReasons = [
  'completed',
  'cancelled',
  'max_steps',
  'cost_ceiling',
  'token_budget',
  'consecutive_failures',
  'deadline',
  'pool_exhausted',
  'max_output_tokens',
  'context_window',
  'refusal',
  'approval_expired',
  'invalid_output',
  'rejected_request',
  'model_unavailable',
  'configuration',
  'internal',
] as const;

export const jobQuery = listQuery.extend({
  status: z.enum(statuses).optional(),
  stop: z.enum(stopReasons).optional().describe('The reason of its end'),
  agent: z.string().min(1).max(64, 'must be at most 64 characters').optional(),
  batch: batchIdParam.optional(),
});

export const stop = component(
  'Stop',
  z.object({
    reason: z.enum(stopReasons),
    message: z.string().describe('One sentence that a person understands'),
    resumable: z.boolean().describe('Whether the job can be extended'),
  }),
);

export const usage = component(
  'Usage',
  z.object({
    inputTokens: z.int(),
    outputTokens: z.int(),
    cacheWriteTokens: z.int(),
    cacheReadTokens: z.int(),
  }),
);

export const cost = component(
  'Cost',
  z.object({
    spentUsd: money.describe('Booked, and held for requests whose outcome is unknown'),
    reservedUsd: money.describe('Held for the request under way'),
    unsettledUsd: money.describe('The part of what is spent whose outcome is unknown'),
    ceilingUsd: money,
    savedByCacheUsd: money.describe('Negative while cache writes outweigh reads'),
  }),
);

export const approval = component(
  'Approval',
  z.object({
    callId: z.string(),
    tool: z.string(),
    input: anyJson,
    inputHash: z.string().describe('Send it with the decision to decide on exactly these arguments'),
    requestedAt: timestamp,
    expiresAt: timestamp,
    status: z.enum(['pending', 'approved', 'denied', 'expired']),
  }),
);

export const job = component(
  'Job',
  z.object({
    id: z.string(),
    agent: z.string(),
    agentVersion: z.string(),
    tenant: z.string(),
    batchId: z.string().nullable(),
    rowId: z.string().nullable().describe('The row of its batch'),
    status: z.enum(statuses),
    stop: stop.nullable(),
    input: z.string(),
    output: anyJson.describe('The checked answer of a succeeded job; null without one'),
    text: z.string().nullable().describe('The last text of the model'),
    steps: z.int(),
    needsReview: z.boolean(),
    limits,
    usage,
    cost,
    approvals: z.array(approval),
    waitsUntil: timestamp
      .nullable()
      .describe('When a queued job asks the model again that could not answer; else null'),
    metadata: anyJson,
    createdAt: timestamp,
    updatedAt: timestamp,
    finishedAt: timestamp.nullable(),
  }),
);

export const step = component(
  'Step',
  z.object({
    step: z.int(),
    at: timestamp,
    model: z.object({
      stopReason: z.string(),
      usage,
      costUsd: money,
      reservedUsd: money,
      unsettledUsd: money.describe('What attempts at this step left unsettled before its reply came'),
      unsettledEachUsd: z
        .array(money)
        .describe('The same for each attempt whose outcome is unknown, the first one first; empty for none'),
      attempts: z.int(),
    }),
    ms: z
      .object({ queue: z.number(), model: z.number(), tools: z.number(), engine: z.number() })
      .describe(
        'Milliseconds: in the queue since the message might be taken; in the model; in the tools that this step itself ran; and what Treadle took itself until the reply was stored',
      ),
    droppedMessages: z
      .int()
      .optional()
      .describe('Messages of the oldest rounds that the request left out, where the agent trims its context'),
    text: z.string(),
    calls: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        input: anyJson,
        output: anyJson.describe('Null until the next turn has run the call'),
        isError: z.boolean(),
        policy: z
          .enum(['pure', 'idempotent', 'once'])
          .nullable()
          .describe('Null for a tool that is not known'),
        ms: z.number(),
      }),
    ),
  }),
);

export const message = component(
  'Message',
  z.object({
    role: z.enum(['user', 'assistant']),
    content: z.array(z.looseObject({ type: z.string() })).describe('Content blocks of the Messages API'),
  }),
);

export const jobList = listOf('JobList', job);
export const stepList = listOf('StepList', step);
export const messageList = listOf('MessageList', message);
