import * as z from 'zod';
import { utf8Bytes } from '../core/safe-json.ts';
import { type Answer, badRequest, json } from './answer.ts';
import type { FieldError } from './problem.ts';

/** A query parameter that is a whole number: its text must be digits and nothing else. */
export function wholeNumber(least: number, most: number): z.ZodType<number> {
  const range = z
    .int({ error: `must be a whole number from ${least} to ${most}` })
    .min(least, { error: `must be at least ${least}` })
    .max(most, { error: `must be at most ${most}` });
  return z.preprocess(
    (text) => (typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text),
    range,
  );
}

export const DEFAULT_LIMIT = 50;

/** The query of every list; lists with filters extend it. */
export const listQuery = z.strictObject({
  limit: wholeNumber(1, 200).default(DEFAULT_LIMIT).describe('Items of one answer at most, 1 to 200'),
  cursor: z.string().min(1).max(2_048).optional().describe('Where an earlier answer of the same list ended'),
});

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Null when there is nothing more. */
  readonly cursor: string | null;
}

/** A place in a list as text that callers need not understand: any JSON data, in URL-safe base64. */
export function writeCursor(place: unknown): string {
  const ascii = JSON.stringify(place).replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return btoa(ascii).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Undefined for a cursor that is none of ours. */
export function readCursor<Place extends z.ZodType>(
  schema: Place,
  cursor: string,
): z.output<Place> | undefined {
  try {
    const data: unknown = JSON.parse(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')));
    return schema.safeParse(data).data;
  } catch {
    return undefined;
  }
}

const badCursor: FieldError = { name: 'cursor', message: 'is not a cursor of this list' };

/** Far below the 6 MB that a function on AWS may answer. */
export const MAX_PAGE_BYTES = 4_000_000;

/** A place in a list of a tenant's things, as the use cases give it. */
const place = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  at: z.int().nonnegative(),
});
export type ListPlace = z.output<typeof place>;

/** Where a list is to go on, under `after`: nothing without a cursor. Undefined for an unreadable one. */
export function placeAfter(cursor: string | undefined): { readonly after?: ListPlace } | undefined {
  if (cursor === undefined) return {};
  const after = readCursor(place, cursor);
  return after && { after };
}

/** The answer of a list that goes on at a place of its own, and what stands beside the list. */
export function listAnswer(items: readonly unknown[], next: unknown, beside: object = {}): Answer {
  return json(200, { items, cursor: next === undefined ? null : writeCursor(next), ...beside });
}

export const unreadableCursor = (): Answer => badRequest([badCursor]);

const offset = z.int().nonnegative();

/**
 * One page of a list that is in memory as a whole, in an order that never changes: `limit` items, or fewer where they
 * would make a long answer. Undefined for an unreadable cursor.
 */
export function pageOf<Item>(
  all: readonly Item[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Page<Item> | undefined {
  const start = cursor === undefined ? 0 : readCursor(offset, cursor);
  if (start === undefined) return undefined;
  const items: Item[] = [];
  let bytes = 0;
  for (const item of all.slice(start, start + limit)) {
    bytes += utf8Bytes(JSON.stringify(item));
    if (items.length > 0 && bytes > MAX_PAGE_BYTES) break;
    items.push(item);
  }
  const end = start + items.length;
  return { items, cursor: end < all.length ? writeCursor(end) : null };
}

/** The answer of a list: one page, or 400 that names the cursor. */
export function pageAnswer(page: Page<unknown> | undefined): Answer {
  return page === undefined ? badRequest([badCursor]) : json(200, page);
}
