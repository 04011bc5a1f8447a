import { closeBatch } from '../../app/add-rows.ts';
import {
  type BatchAnswer,
  cancelBatch,
  extendBatch,
  pauseBatch,
  resumeBatch,
} from '../../app/manage-batch.ts';
import type { World } from '../../app/world.ts';
import { microUsd } from '../../core/job.ts';
import { changeAnswer } from '../batch-answer.ts';
import { definedOnly } from '../defined-only.ts';
import { KIB } from '../read-body.ts';
import { defineRoute, type Example, type Route } from '../route.ts';
import { batch, batchExtension, batchParams } from '../schemas/batch.ts';
import { idempotencyKeyHeader } from '../schemas/common.ts';
import * as examples from './batch-examples.ts';

interface Change {
  readonly name: 'close' | 'pause' | 'resume' | 'cancel';
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly Example[];
  readonly change: (world: World, tenant: string, batchId: string) => Promise<BatchAnswer>;
}

/** A change without a body; already so is the same answer. */
function changeRoute({ name, change, ...facts }: Change): Route {
  return defineRoute({
    ...facts,
    method: 'POST',
    path: `/batches/{id}/${name}`,
    operationId: `${name}Batch`,
    tag: 'Batches',
    permission: 'submit',
    params: batchParams,
    answers: { 202: { description: 'The batch as it then stands', schema: batch } },
    problems: [409],
    handle: async (context, { params }) =>
      changeAnswer(context, await change(context.world, context.identity.tenant, params.id)),
  });
}

const extend = defineRoute({
  method: 'POST',
  path: '/batches/{id}/extend',
  operationId: 'extendBatch',
  tag: 'Batches',
  summary: 'Add money to the pool of a batch',
  description: 'A batch that was paused because its pool was exhausted goes on.',
  permission: 'spend',
  params: batchParams,
  headers: idempotencyKeyHeader,
  body: { schema: batchExtension, maxBytes: 16 * KIB },
  answers: { 202: { description: 'The batch as it then stands', schema: batch } },
  problems: [409, 422],
  examples: examples.extendBatch,
  handle: async (context, { params, headers, body }) =>
    changeAnswer(
      context,
      await extendBatch(context.world, {
        tenant: context.identity.tenant,
        batchId: params.id,
        addMicroUsd: microUsd(body.addUsd),
        ...definedOnly({ key: headers['Idempotency-Key'] }),
      }),
    ),
});

export const batchChangeRoutes: readonly Route[] = [
  changeRoute({
    name: 'close',
    summary: 'End the adding of rows',
    description: 'The batch is done once its rows are.',
    change: closeBatch,
    examples: examples.closeBatch,
  }),
  changeRoute({
    name: 'pause',
    summary: 'Start no more rows of a batch',
    description: 'Jobs that run go on.',
    change: pauseBatch,
    examples: examples.pauseBatch,
  }),
  changeRoute({
    name: 'resume',
    summary: 'Let a paused batch go on',
    description: 'One whose pool is exhausted goes on when it is extended.',
    change: resumeBatch,
    examples: examples.resumeBatch,
  }),
  changeRoute({
    name: 'cancel',
    summary: 'Cancel a batch',
    description: 'Its jobs are cancelled, and rows that were never started count as cancelled.',
    change: cancelBatch,
    examples: examples.cancelBatch,
  }),
  extend,
];
