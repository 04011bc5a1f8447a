import type * as z from 'zod';
import { addRows, type RowsAdded } from '../../app/add-rows.ts';
import type { GivenRows } from '../../app/batch-rows.ts';
import { submitBatch } from '../../app/batches.ts';
import { isOwn } from '../../app/own.ts';
import type { Agent } from '../../core/agent.ts';
import { microUsd } from '../../core/job.ts';
import { type Answer, badRequest, keyMismatch, notFound } from '../answer.ts';
import { changeAnswer, fileRows, rowsAnswer, sendInParts, tooManyRows } from '../batch-answer.ts';
import { definedOnly } from '../defined-only.ts';
import { raisedLimits, unknownAgent, webhookErrors } from '../job-answer.ts';
import { defineRoute, type Route, type RouteContext } from '../route.ts';
import { batchParams, fileQuery, moreRows, newBatch, rowsTaken } from '../schemas/batch.ts';
import { idempotencyKeyHeader } from '../schemas/common.ts';
import * as examples from './batch-examples.ts';

/** Of one call. */
const MAX_BODY_BYTES = 5_000_000;
const rowsBody = {
  maxBytes: MAX_BODY_BYTES,
  tooLarge: sendInParts,
  fileTypes: ['text/csv', 'application/x-ndjson'],
};

const aboutFiles = `A body of text/csv or application/x-ndjson is read as a file of tickets; its lines with \`id\` and \`input\`
are rows as they stand. What cannot be taken of it is in \`rejectedRows\`, by its line.`;

type Fields = Omit<z.output<typeof newBatch>, 'rows'>;

const createBatch = defineRoute({
  method: 'POST',
  path: '/batches',
  operationId: 'createBatch',
  tag: 'Batches',
  summary: 'Submit a batch',
  description: `One job for each row, at most 5,000 rows a call. ${aboutFiles}`,
  permission: 'submit',
  headers: idempotencyKeyHeader,
  query: fileQuery,
  body: { schema: newBatch, ...rowsBody },
  answers: {
    202: {
      description: 'The batch, and the rows that were refused',
      schema: rowsTaken,
      headers: { Location: 'Where the batch is' },
    },
  },
  problems: [422],
  examples: examples.createBatch,
  handle: async (context, { headers, query, body }) => {
    const inQuery = Object.keys(definedOnly(query));
    if (inQuery.length > 0) {
      return badRequest(inQuery.map((name) => ({ name, message: 'belongs in the JSON body' })));
    }
    const { rows, ...fields } = body;
    const key = headers['Idempotency-Key'];
    const rowsFor = async () => tooManyRows(rows.length) ?? { rows };
    return create(context, { fields, limitsAt: 'limits.', key, rowsFor });
  },
  handleFile: async (context, { headers, query, file }) => {
    const { agent, budgetUsd, open, webhook, ...limits } = query;
    if (agent === undefined) {
      return badRequest([{ name: 'agent', message: 'is due as a query parameter beside a file' }]);
    }
    const fields: Fields = { agent, budgetUsd, open, webhook, limits: definedOnly(limits) };
    const key = headers['Idempotency-Key'];
    const rowsFor = async (of: Agent) => {
      const found = await fileRows(context, file, of);
      return found.type === 'answer' ? found.answer : found.given;
    };
    return create(context, { fields, limitsAt: '', key, rowsFor });
  },
});

interface Wanted {
  readonly fields: Fields;
  /** What stands before the names of limits. */
  readonly limitsAt: string;
  readonly key: string | undefined;
  readonly rowsFor: (agent: Agent) => Promise<GivenRows | Answer>;
}

async function create(context: RouteContext, wanted: Wanted): Promise<Answer> {
  const { fields, limitsAt, key, rowsFor } = wanted;
  const { world, identity } = context;
  const agent = world.agents.get(fields.agent);
  if (agent === undefined) return unknownAgent(context);
  const errors = [...raisedLimits(agent, fields.limits, limitsAt), ...webhookErrors(context, fields.webhook)];
  if (errors.length > 0) return badRequest(errors);
  const given = await rowsFor(agent);
  if ('status' in given) return given;
  const { maxCostUsd, ...limits } = definedOnly(fields.limits ?? {});
  const { budgetUsd, webhook } = fields;
  const submitted = await submitBatch(world, {
    ...given,
    ...{ tenant: identity.tenant, agent: agent.name, limits, open: fields.open ?? false },
    ...definedOnly({ key, webhook }),
    ...(maxCostUsd === undefined ? {} : { ceilingMicroUsd: microUsd(maxCostUsd) }),
    ...(budgetUsd === undefined ? {} : { budgetMicroUsd: microUsd(budgetUsd) }),
  });
  if (submitted.type === 'key_conflict') return keyMismatch();
  return rowsAnswer(context, submitted.batch, submitted.rejected);
}

const addBatchRows = defineRoute({
  method: 'POST',
  path: '/batches/{id}/rows',
  operationId: 'addRows',
  tag: 'Batches',
  summary: 'Add rows to an open batch',
  description: `The same call again adds nothing twice; a row whose id is there already is that row. ${aboutFiles}`,
  permission: 'submit',
  params: batchParams,
  body: { schema: moreRows, ...rowsBody },
  answers: { 202: { description: 'The batch, and the rows that were refused', schema: rowsTaken } },
  problems: [409],
  examples: examples.addRows,
  handle: async (context, { params, body }) => {
    const { tenant } = context.identity;
    const many = tooManyRows(body.rows.length);
    if (many !== undefined) return many;
    return addedAnswer(
      context,
      await addRows(context.world, { tenant, batchId: params.id, rows: body.rows }),
    );
  },
  handleFile: async (context, { params, file }) => {
    const { world, identity } = context;
    const batch = await world.store.loadBatch(params.id);
    if (!isOwn(world, identity.tenant, batch)) return notFound('batch');
    const agent = world.agents.get(batch.agent);
    if (agent === undefined) return unknownAgent(context);
    const found = await fileRows(context, file, agent);
    if (found.type === 'answer') return found.answer;
    const { tenant } = identity;
    return addedAnswer(context, await addRows(world, { tenant, batchId: batch.id, ...found.given }));
  },
});

async function addedAnswer(context: RouteContext, added: RowsAdded): Promise<Answer> {
  if (added.type !== 'accepted') return changeAnswer(context, added);
  return rowsAnswer(context, added.batch, added.rejected);
}

export const batchRowRoutes: readonly Route[] = [createBatch, addBatchRows];
