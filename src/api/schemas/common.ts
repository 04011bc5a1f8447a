import * as z from 'zod';
import type { Json } from '../../core/agent.ts';
import { microUsd, usd } from '../../core/job.ts';

const named = new Map<string, z.ZodType>();

/** Schemas that stand under `components` of the document, each under its id. */
export const components: ReadonlyMap<string, z.ZodType> = named;

/** Makes a schema one of `components`. */
export function component<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  named.set(id, schema);
  return schema;
}

/** Any JSON: the request was JSON, so nothing is left to check. */
export const anyJson = z.unknown() as z.ZodType<Json>;

export const metadata = z
  .record(z.string(), anyJson)
  .describe('Kept with the job and handed to its tools; at most 64 KiB as JSON');

export const timestamp = z.string().describe('ISO 8601, UTC');

/** Dollars as an answer states them. */
export const money = z.number().describe('US dollars, exact to the micro-dollar');

/** Dollars as a request may state them. */
export const dollars = z
  .number()
  .positive('must be above 0')
  .max(1_000_000, 'must be at most 1000000')
  // As near as numbers of dollars come to whole micro-dollars: 0.1 * 3 is 0.30000000000000004.
  .refine((value) => Math.abs(usd(microUsd(value)) - value) < 1e-9, 'must be a number of whole micro-dollars')
  .describe('US dollars, exact to the micro-dollar');

/** A count as a request may state it. */
export function count(most: number) {
  return z
    .int({ error: 'must be a whole number' })
    .min(1, 'must be at least 1')
    .max(most, `must be at most ${most}`);
}

export const jobIdParam = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,40}$/)
  .describe('The id of a job');
export const batchIdParam = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,40}$/)
  .describe('The id of a batch');

export const idempotencyKeyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
    .optional()
    .describe('The same key with an equal body is the same thing, however often it is sent'),
});

/** A list as every list route answers it. */
export function listOf<Item extends z.ZodType>(id: string, item: Item) {
  return component(id, z.object(pageFields(item)));
}

/** What every list answers. */
export function pageFields<Item extends z.ZodType>(item: Item) {
  return {
    items: z.array(item),
    cursor: z
      .string()
      .nullable()
      .describe('Where this answer ends, to be sent for the next; null when there is nothing more'),
  };
}

export const problemSchema = component(
  'Problem',
  z
    .object({
      type: z.string().describe('`urn:treadle:` and a code that programs can match'),
      title: z.string(),
      status: z.int(),
      detail: z.string().describe('One sentence that a person understands'),
      errors: z.array(
        z.object({
          name: z
            .string()
            .describe('The part of the request: `limits.maxSteps`, `cursor`, `Idempotency-Key`'),
          message: z.string(),
        }),
      ),
    })
    .describe('RFC 9457'),
);
