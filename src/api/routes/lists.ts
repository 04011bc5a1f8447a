import { listApprovals, listJobs } from '../../app/lists.ts';
import { isOwn } from '../../app/own.ts';
import { badRequest, notFound } from '../answer.ts';
import { boundedPage } from '../bounded-page.ts';
import { definedOnly } from '../defined-only.ts';
import { listAnswer, listQuery, placeAfter, unreadableCursor } from '../paging.ts';
import { defineRoute, type Route } from '../route.ts';
import { approvalList } from '../schemas/approval.ts';
import { jobList, jobQuery } from '../schemas/job.ts';
import * as examples from './job-examples.ts';

const listAllJobs = defineRoute({
  method: 'GET',
  path: '/jobs',
  operationId: 'listJobs',
  tag: 'Jobs',
  summary: 'The jobs, newest first',
  description: 'A filter may give fewer than `limit`, and a cursor to go on with.',
  permission: 'read',
  query: jobQuery,
  answers: { 200: { description: 'Jobs', schema: jobList } },
  problems: [404],
  examples: examples.listJobs,
  handle: async ({ world, identity }, { query }) => {
    const { limit: most, cursor, ...filter } = query;
    const after = placeAfter(cursor);
    if (after === undefined) return unreadableCursor();
    if (filter.agent !== undefined && !world.agents.has(filter.agent)) {
      const names = [...world.agents.keys()].join(', ');
      return badRequest([{ name: 'agent', message: `is unknown; the agents are: ${names}` }]);
    }
    if (filter.batch !== undefined) {
      const batch = await world.store.loadBatch(filter.batch);
      if (!isOwn(world, identity.tenant, batch)) return notFound('batch');
    }
    const { jobs, next } = await boundedPage(
      most,
      (limit) => listJobs(world, identity.tenant, definedOnly(filter), { ...after, limit }),
      (page) => page.jobs,
    );
    return listAnswer(jobs, next);
  },
});

const listPending = defineRoute({
  method: 'GET',
  path: '/approvals',
  operationId: 'listApprovals',
  tag: 'Approvals',
  summary: 'The calls that wait for a person, the one that waits longest first',
  description: 'All calls of a job stand on one page, so that a page may have more than `limit`.',
  permission: 'read',
  query: listQuery,
  answers: { 200: { description: 'Pending approvals', schema: approvalList } },
  examples: examples.listApprovals,
  handle: async ({ world, identity }, { query }) => {
    const after = placeAfter(query.cursor);
    if (after === undefined) return unreadableCursor();
    const { approvals, next } = await boundedPage(
      query.limit,
      (limit) => listApprovals(world, identity.tenant, { ...after, limit }),
      (page) => page.approvals,
    );
    return listAnswer(approvals, next);
  },
});

export const jobListRoutes: readonly Route[] = [listAllJobs];
export const approvalListRoutes: readonly Route[] = [listPending];
