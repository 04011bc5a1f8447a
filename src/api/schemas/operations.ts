import * as z from 'zod';
import { listQuery } from '../paging.ts';
import { component, listOf, money, pageFields, timestamp } from './common.ts';

export const costKeys = ['tenant', 'agent', 'day', 'batch'] as const;

export const costQuery = listQuery.extend({ by: z.enum(costKeys).describe('What the sums are made for') });

export const costRow = component(
  'CostRow',
  z.object({
    key: z.string(),
    jobs: z.int(),
    steps: z.int(),
    spentUsd: money,
    unsettledUsd: money,
  }),
);

export const costList = component(
  'CostList',
  z.object({
    ...pageFields(costRow),
    uncounted: z
      .object({ jobs: z.int(), spentUsd: money })
      .optional()
      .describe(
        'Of the newest 200 jobs, those that ended and are in no sum yet; absent for none, and behind a cursor',
      ),
  }),
);

export const health = component(
  'Health',
  z.object({
    ok: z.boolean(),
    oldestDueSeconds: z.number(),
    lapsedLeases: z.int(),
    deadLetters: z.int(),
    stopped: z.boolean(),
  }),
);

export const deadLetter = component(
  'DeadLetter',
  z.object({
    id: z.string(),
    body: z.string().describe('The message, exactly as it was given up'),
    reason: z.string(),
    at: timestamp,
    redrivenAt: timestamp.nullable().describe('When it was last sent again; null for never'),
  }),
);

export const deadLetterList = listOf('DeadLetterList', deadLetter);

/** Whom the kill switch is for. */
export const control = component(
  'Control',
  z.strictObject({
    scope: z
      .enum(['tenant', 'all'])
      .optional()
      .describe("The caller's tenant, or with the permission everybody"),
  }),
);

export const switched = component(
  'Switched',
  z.object({ stopped: z.boolean(), scope: z.enum(['tenant', 'all']) }),
);

export const openApi = z
  .looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) })
  .describe('OpenAPI 3.1');
