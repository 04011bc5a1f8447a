import { batchResults, positionText, readPosition } from '../../app/batch-results.ts';
import { listBatches } from '../../app/batch-views.ts';
import { notFound, text } from '../answer.ts';
import { readAnswer } from '../batch-answer.ts';
import { boundedPage } from '../bounded-page.ts';
import { listAnswer, listQuery, placeAfter, unreadableCursor } from '../paging.ts';
import { defineRoute, type Route } from '../route.ts';
import { batch, batchList, batchParams, resultsQuery } from '../schemas/batch.ts';
import * as examples from './batch-examples.ts';

const listAll = defineRoute({
  method: 'GET',
  path: '/batches',
  operationId: 'listBatches',
  tag: 'Batches',
  summary: 'The batches, newest first',
  permission: 'read',
  query: listQuery,
  answers: { 200: { description: 'Batches', schema: batchList } },
  examples: examples.listBatches,
  handle: async ({ world, identity }, { query }) => {
    const after = placeAfter(query.cursor);
    if (after === undefined) return unreadableCursor();
    const { batches, next } = await listBatches(world, identity.tenant, { ...after, limit: query.limit });
    return listAnswer(batches, next);
  },
});

const readBatch = defineRoute({
  method: 'GET',
  path: '/batches/{id}',
  operationId: 'readBatch',
  tag: 'Batches',
  summary: 'Read a batch',
  permission: 'read',
  params: batchParams,
  answers: { 200: { description: 'The batch', schema: batch } },
  examples: examples.readBatch,
  handle: (context, { params }) => readAnswer(context, params.id),
});

const readResults = defineRoute({
  method: 'GET',
  path: '/batches/{id}/results',
  operationId: 'readResults',
  tag: 'Batches',
  summary: 'The results of rows that ended so far',
  description:
    'JSON lines, each a Result, or CSV, each page with its own header line. A batch that is not over may have more later: ask again with the same cursor.',
  permission: 'read',
  params: batchParams,
  query: resultsQuery,
  answers: {
    200: {
      description: 'Results in the order of the rows',
      textTypes: ['application/x-ndjson', 'text/csv'],
      headers: {
        'x-treadle-cursor':
          'Where this answer ends; absent when no more rows have ended. While the batch runs, ask again with the last one',
      },
    },
  },
  examples: examples.readResults,
  handle: async ({ world, identity, files }, { params, query }) => {
    const from = query.cursor === undefined ? undefined : readPosition(query.cursor);
    if (query.cursor !== undefined && from === undefined) return unreadableCursor();
    const page = await boundedPage(
      query.limit,
      (limit) =>
        batchResults(world, identity.tenant, params.id, { limit, ...(from === undefined ? {} : { from }) }),
      (found) => found?.results ?? [],
    );
    if (page === undefined) return notFound('batch');
    const headers = page.next === undefined ? {} : { 'x-treadle-cursor': positionText(page.next) };
    if (query.format === 'csv') {
      return text(200, 'text/csv; charset=utf-8', files.csvOf(page.results), headers);
    }
    const lines = page.results.map((result) => `${JSON.stringify({ ...result, duplicateOf: null })}\n`);
    return text(200, 'application/x-ndjson', lines.join(''), headers);
  },
});

export const batchViewRoutes: readonly Route[] = [listAll, readBatch, readResults];
