import * as z from 'zod';
import { type CostsBy, costsBy } from '../../app/costs.ts';
import { health as healthOf } from '../../app/health.ts';
import { uncountedOf } from '../../app/uncounted.ts';
import { json } from '../answer.ts';
import { openApiDocument } from '../openapi.ts';
import { listAnswer, readCursor, unreadableCursor } from '../paging.ts';
import { defineRoute, type Route } from '../route.ts';
import { costList, costQuery, health, openApi } from '../schemas/operations.ts';
import { controlRoutes } from './control.ts';
import { deadLetterRoutes, scopeOf } from './dead-letters.ts';
import * as examples from './operation-examples.ts';

/** What the costs of a page go on behind: a key, or a place in the list of batches. */
const costPlace = z.string().min(1).max(256);

const readCosts = defineRoute({
  method: 'GET',
  path: '/costs',
  operationId: 'readCosts',
  tag: 'Operations',
  summary: 'What ended jobs have cost',
  description:
    'By day and by batch the newest first, by agent in the order of their names. A job is counted some minutes after it has ended.',
  permission: 'read',
  query: costQuery,
  answers: { 200: { description: 'Sums of jobs, steps and money', schema: costList } },
  examples: examples.readCosts,
  handle: async ({ world, identity }, { query }) => {
    const { by, limit, cursor } = query;
    const after = cursor === undefined ? undefined : readCursor(costPlace, cursor);
    if (cursor !== undefined && (after === undefined || !isPlace(by, after))) return unreadableCursor();
    const page = { limit, ...(after === undefined ? {} : { after }) };
    const { items, next } = await costsBy(world, identity.tenant, by, page);
    // Only where the sums begin: they are of the whole tenant.
    const uncounted = after === undefined ? await uncountedOf(world, identity.tenant) : undefined;
    return listAnswer(items, next, uncounted === undefined ? {} : { uncounted });
  },
});

/** A cursor of the costs by one thing is none of those by another. */
function isPlace(by: CostsBy, after: string): boolean {
  if (by === 'day') return /^\d{4}-\d\d-\d\d$/.test(after);
  return by !== 'batch' || /^\d{1,15}\.[A-Za-z0-9_-]{1,40}$/.test(after);
}

const readHealth = defineRoute({
  method: 'GET',
  path: '/health',
  operationId: 'readHealth',
  tag: 'Operations',
  summary: 'How the system is',
  permission: 'read',
  answers: { 200: { description: 'What is late, lost or stopped', schema: health } },
  examples: examples.readHealth,
  handle: async ({ world, identity }) => json(200, await healthOf(world, scopeOf(identity))),
});

const readDocument = defineRoute({
  method: 'GET',
  path: '/openapi.json',
  operationId: 'readDocument',
  tag: 'Operations',
  summary: 'This document',
  permission: 'read',
  answers: { 200: { description: 'An OpenAPI 3.1 document', schema: openApi } },
  examples: examples.readDocument,
  handle: async ({ routes }) => json(200, openApiDocument(routes)),
});

export const operationRoutes: readonly Route[] = [
  readCosts,
  readHealth,
  ...deadLetterRoutes,
  ...controlRoutes,
  readDocument,
];
