import * as z from 'zod';
import { anyJson, component, dollars, listOf, metadata, money } from './common.ts';
import { lowerLimits, statuses, stop, usage } from './job.ts';

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
};

export const newBatch = component('NewBatch', z.strictObject({ ...batchFields, rows }));
export const moreRows = component('MoreRows', z.strictObject({ rows }));
export const batchExtension = component('BatchExtension', z.strictObject({ addUsd: dollars }));

export const batchStatuses = ['open', 'running', 'paused', 'done', 'cancelled'] as const;

export const batch = component(
  'Batch',
  z.object({
    id: z.string(),
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
      budgetUsd: money.nullable(),
      forecastUsd: money.nullable(),
    }),
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
    line: z.int().nullable(),
    jobId: z.string().nullable(),
    status: z.enum(statuses),
    stop: stop.nullable(),
    output: anyJson,
    text: z.string().nullable(),
    steps: z.int(),
    needsReview: z.boolean(),
    duplicateOf: z.string().nullable(),
    usage: usage.nullable(),
    cost: anyJson,
    error: anyJson,
  }),
);
