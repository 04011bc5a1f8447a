import * as z from 'zod';
import { listQuery, wholeNumber } from '../paging.ts';
import { anyJson, batchIdParam, component, dollars, listOf, metadata, money, timestamp } from './common.ts';
import { cost, lowerLimits, statuses, stop, usage, webhook } from './job.ts';

export const batchParams = z.object({ id: batchIdParam });

/** Rows of one call at most. */
export const MAX_ROWS = 5_000;

/** One row as it came: what is wrong with it makes it a rejected row, never a refused batch. */
export const row = component(
  'Row',
  z
    .looseObject({
      id: z.string().optional(),
      input: anyJson.optional(),
      metadata: metadata.optional(),
    })
    .describe('An id, an input (text or a JSON object, at most 256 KiB) and metadata'),
);

const rows = z
  .array(anyJson)
  .describe(`At most ${MAX_ROWS} a call, each a Row; the same row id again is the same row`);

/** What a batch is made with, beside its rows: in a JSON body, or as query parameters of a file. */
const batchFields = {
  agent: z.string().min(1).max(64, 'must be at most 64 characters'),
  limits: lowerLimits.optional().describe('Of each job'),
  budgetUsd: dollars.optional().describe('The pool that all jobs share'),
  open: z.boolean().optional().describe('Rows may be added until the batch is closed'),
  webhook: webhook.optional(),
};

export const newBatch = component('NewBatch', z.strictObject({ ...batchFields, rows }));

/** A number that is a query parameter. */
function numberText<Schema extends z.ZodType<number>>(schema: Schema) {
  return z.preprocess(
    (text) => (typeof text === 'string' && /^\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text),
    schema,
  );
}

/** Beside a file its fields are query parameters, the limits by their own names. */
export const fileQuery = z.strictObject({
  agent: batchFields.agent.optional().describe('Beside a file: the name of an agent'),
  maxSteps: wholeNumber(1, 1_000_000).optional().describe('Beside a file: of each job'),
  maxCostUsd: numberText(dollars).optional().describe('Beside a file: of each job'),
  maxTokens: wholeNumber(1, 1_000_000_000_000).optional().describe('Beside a file: of each job'),
  maxConsecutiveFailures: wholeNumber(1, 1_000_000).optional().describe('Beside a file: of each job'),
  timeoutSeconds: wholeNumber(1, 31_622_400).optional().describe('Beside a file: of each job'),
  budgetUsd: numberText(dollars).optional().describe('Beside a file: the pool that all jobs share'),
  open: z
    .preprocess(
      (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
      z.boolean({ error: 'must be true or false' }),
    )
    .optional()
    .describe('Beside a file: rows may be added until the batch is closed'),
  webhook: webhook.optional(),
});

export const resultsQuery = listQuery.extend({
  format: z.enum(['jsonl', 'csv']).default('jsonl'),
  cursor: z.string().min(1).max(8_192).optional().describe('The x-treadle-cursor of an earlier answer'),
});

export const moreRows = component('MoreRows', z.strictObject({ rows }));
export const batchExtension = component('BatchExtension', z.strictObject({ addUsd: dollars }));

export const batchStatuses = ['open', 'running', 'paused', 'done', 'cancelled'] as const;

export const batch = component(
  'Batch',
  z.object({
    id: z.string(),
    agent: z.string(),
    status: z.enum(batchStatuses),
    stop: stop.nullable(),
    rows: z.int(),
    counts: z
      .object({
        queued: z.int(),
        running: z.int(),
        awaiting_approval: z.int(),
        succeeded: z.int(),
        stopped: z.int(),
        failed: z.int(),
        cancelled: z.int(),
        rejected: z.int(),
      })
      .describe('They add up to rows'),
    cost: z.object({
      spentUsd: money,
      reservedUsd: money,
      budgetUsd: money.nullable().describe('Null without a pool'),
      forecastUsd: money.nullable().describe('Null until a row has ended'),
    }),
    createdAt: timestamp,
    updatedAt: timestamp,
    finishedAt: timestamp.nullable(),
    forecastFinishedAt: timestamp.nullable().describe('At the pace so far'),
  }),
);

/** The answer to rows: the batch as it then stands, and the rows of this call that were refused. */
export const rowsTaken = component(
  'RowsTaken',
  batch.extend({ rejectedRows: z.array(z.object({ id: z.string().nullable(), reason: z.string() })) }),
);

export const batchList = listOf('BatchList', batch);

/** One line of a batch's results. */
export const result = component(
  'Result',
  z.object({
    id: z.string(),
    line: z.int().nullable().describe('Where the row stood in its file; null when it came as JSON'),
    jobId: z.string().nullable(),
    status: z.enum(statuses),
    stop: stop.nullable(),
    output: anyJson,
    text: z.string().nullable(),
    steps: z.int(),
    needsReview: z.boolean(),
    duplicateOf: z.string().nullable(),
    usage: usage.nullable(),
    cost,
    error: z.string().nullable(),
    metadata: anyJson,
  }),
);
