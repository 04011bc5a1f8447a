import { describeBatch, viewBatch } from '../app/batch-views.ts';
import type { RefusedRow } from '../app/check-row.ts';
import type { BatchAnswer } from '../app/manage-batch.ts';
import type { Agent } from '../core/agent.ts';
import type { Batch } from '../core/batch.ts';
import { type Answer, badRequest, conflict, json, keyMismatch, notFound, tooLarge } from './answer.ts';
import type { FileBody } from './read-body.ts';
import type { RouteContext } from './route.ts';
import { MAX_ROWS } from './schemas/batch.ts';

/** The batch as it stands now. */
export async function readAnswer({ world, identity }: RouteContext, batchId: string): Promise<Answer> {
  const view = await viewBatch(world, identity.tenant, batchId);
  return view === undefined ? notFound('batch') : json(200, view);
}

/** The answer to a change of a batch. */
export async function changeAnswer(
  { world }: RouteContext,
  answer: BatchAnswer | { readonly type: 'key_conflict' },
): Promise<Answer> {
  switch (answer.type) {
    case 'accepted':
      return json(202, await describeBatch(world, answer.batch));
    case 'not_found':
      return notFound('batch');
    case 'key_conflict':
      return keyMismatch();
    case 'conflict':
      return conflict(answer.why);
    default:
      return answer satisfies never;
  }
}

/** The answer to rows: the batch, and those of this call that were refused. */
export async function rowsAnswer(
  { world }: RouteContext,
  batch: Batch,
  refused: readonly RefusedRow[],
): Promise<Answer> {
  const rejectedRows = refused.map(({ id, reason }) => ({ id: id === '' ? null : id, reason }));
  const view = await describeBatch(world, batch);
  return json(202, { ...view, rejectedRows }, { location: `/batches/${batch.id}` });
}

const moreRowsElsewhere = `a call takes ${MAX_ROWS} rows; send the others by POST /batches/{id}/rows, to a batch made with open`;

/** What to do with a body that is too large. */
export const sendInParts = 'send the rows in parts by POST /batches/{id}/rows, to a batch made with open';

/** Undefined for a number of rows that one call may have. */
export function tooManyRows(count: number): Answer | undefined {
  return count > MAX_ROWS ? tooLarge(moreRowsElsewhere) : undefined;
}

/** The rows of a file for a use case, or the answer that says why they cannot be read. */
export async function fileRows({ files }: RouteContext, file: FileBody, agent: Agent) {
  const found = await files.rowsOf(file, agent);
  if (found.type === 'unreadable') {
    return { type: 'answer', answer: badRequest([{ name: 'body', message: found.why }]) } as const;
  }
  const { read, refused } = found;
  const many = tooManyRows(read.length + refused.length);
  if (many !== undefined) return { type: 'answer', answer: many } as const;
  return { type: 'rows', given: { rows: [], read, refused } } as const;
}
