import * as z from 'zod';
import { type LetterScope, listDeadLetters, redrive } from '../../app/letters.ts';
import type { DeadLetter } from '../../core/dead-letter.ts';
import { json, notFound } from '../answer.ts';
import { boundedPage } from '../bounded-page.ts';
import type { Identity } from '../identity.ts';
import { listAnswer, listQuery, placeAfter, unreadableCursor } from '../paging.ts';
import { defineRoute, type Route } from '../route.ts';
import { deadLetter, deadLetterList } from '../schemas/operations.ts';
import * as examples from './operation-examples.ts';

/** Letters that nobody owns are for whoever may stop everything. */
export const scopeOf = ({ tenant, permissions }: Identity): LetterScope => ({
  tenant,
  unowned: permissions.has('control_all'),
});

const letterView = ({ id, body, reason, atMs, redrivenAtMs }: DeadLetter) => ({
  ...{ id, body, reason, at: new Date(atMs).toISOString() },
  redrivenAt: redrivenAtMs === 0 ? null : new Date(redrivenAtMs).toISOString(),
});

const listLetters = defineRoute({
  method: 'GET',
  path: '/dead-letters',
  operationId: 'listDeadLetters',
  tag: 'Operations',
  summary: 'Messages that were given up, newest first',
  description: 'Kept for 14 days. They hold ids, no content.',
  permission: 'read',
  query: listQuery,
  answers: { 200: { description: 'Dead letters', schema: deadLetterList } },
  examples: examples.listDeadLetters,
  handle: async ({ world, identity }, { query }) => {
    const after = placeAfter(query.cursor);
    if (after === undefined) return unreadableCursor();
    const { items, next } = await boundedPage(
      query.limit,
      (limit) => listDeadLetters(world, scopeOf(identity), { ...after, limit }),
      (page) => page.items,
    );
    return listAnswer(items.map(letterView), next && { id: next.id, at: next.at });
  },
});

const redriveLetter = defineRoute({
  method: 'POST',
  path: '/dead-letters/{id}/redrive',
  operationId: 'redriveDeadLetter',
  tag: 'Operations',
  summary: 'Send the message of a dead letter again',
  description: 'A turn that has gone on since is passed over by the worker.',
  permission: 'control',
  params: z.object({
    id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .describe('The id of a dead letter'),
  }),
  answers: { 202: { description: 'The letter', schema: deadLetter } },
  examples: examples.redriveDeadLetter,
  handle: async ({ world, identity }, { params }) => {
    const letter = await redrive(world, scopeOf(identity), params.id);
    return letter === undefined ? notFound('dead letter') : json(202, letterView(letter));
  },
});

export const deadLetterRoutes: readonly Route[] = [listLetters, redriveLetter];
