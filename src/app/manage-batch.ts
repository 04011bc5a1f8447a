import { type Batch, type BatchEvent, evolveBatch, isTurning, UNLIMITED } from '../core/batch.ts';
import { stableJson } from '../core/stable-json.ts';
import { apiCommit, batchHeads, type Wish } from './api-commit.ts';
import { isBatchTold, noteBatch, noteNow } from './notices.ts';
import { isOwn } from './own.ts';
import { sendBatchTurn, sentOrDue } from './send.ts';
import type { World } from './world.ts';

export type BatchAnswer =
  | { readonly type: 'accepted'; readonly batch: Batch }
  | { readonly type: 'not_found' }
  | { readonly type: 'conflict'; readonly why: string };

/** What a request wants of a batch of its tenant: that an event happens, perhaps only once; or an answer without any. */
export type BatchWish<Answer> = { readonly event: BatchEvent; readonly once?: true } | Answer;

/** Changes a batch for a request of its tenant, and sends the turn that the change asks for. */
export async function changeBatch<Answer extends { readonly type: string }>(
  world: World,
  tenant: string,
  batchId: string,
  wish: (batch: Batch) => Promise<BatchWish<Answer>> | BatchWish<Answer>,
): Promise<Answer | BatchAnswer> {
  type Given = Answer | BatchAnswer;
  const decide = async (batch: Batch | undefined): Promise<Wish<Batch, Given>> => {
    if (!isOwn(world, tenant, batch)) return { answer: { type: 'not_found' } };
    const wanted = await wish(batch);
    if (!('event' in wanted)) return { answer: wanted };
    const change = evolveBatch(batch, { ...wanted.event, told: isBatchTold(world, batch) });
    return wanted.once === true ? { change, once: true } : { change };
  };
  const result = await apiCommit(world, batchHeads(world), batchId, decide);
  if ('answer' in result) return result.answer;
  const batch = result.committed;
  if (isTurning(batch)) await sentOrDue(world, sendBatchTurn(world, batch));
  else await noteNow(world, noteBatch(world, batch));
  return { type: 'accepted', batch };
}

const accepted = (batch: Batch): BatchAnswer => ({ type: 'accepted', batch });
export const batchConflict = (why: string): BatchAnswer => ({ type: 'conflict', why });

/** Why nothing can be changed of a batch any more; undefined while something can. */
export function overBecause(batch: Batch): string | undefined {
  if (batch.cancelRequested) return 'the batch is cancelled';
  return batch.status === 'done' ? 'the batch is done' : undefined;
}

/** Admits no more rows from the next turn on; jobs that are open go on. */
export function pauseBatch(world: World, tenant: string, batchId: string): Promise<BatchAnswer> {
  return changeBatch(world, tenant, batchId, (batch): BatchWish<BatchAnswer> => {
    const over = overBecause(batch);
    if (over !== undefined) return batchConflict(over);
    if (batch.status === 'paused') return accepted(batch);
    return { event: { type: 'paused', nowMs: world.clock.now() } };
  });
}

/** Lets a batch that somebody paused go on. One whose pool is exhausted goes on when it is extended. */
export function resumeBatch(world: World, tenant: string, batchId: string): Promise<BatchAnswer> {
  return changeBatch(world, tenant, batchId, (batch): BatchWish<BatchAnswer> => {
    const over = overBecause(batch);
    if (over !== undefined) return batchConflict(over);
    if (batch.status === 'running') return accepted(batch);
    if (batch.stop !== undefined) {
      return batchConflict(`the pool of the batch is used up: extend it (${batch.stop.detail})`);
    }
    return { event: { type: 'resumed', nowMs: world.clock.now() } };
  });
}

export interface BatchExtension {
  readonly tenant: string;
  readonly batchId: string;
  /** Micro-dollars. A batch without a pool has no more of it afterwards. */
  readonly addMicroUsd: number;
  /** Jobs that may run at once from now on. @default as many as before */
  readonly concurrency?: number;
  /** The same key and body raise the pool once: the newest 20 keys of a batch are remembered. */
  readonly key?: string;
}

/**
 * Raises the pool; a batch that was paused because it was exhausted goes on. A batch that is done may be extended too: its
 * jobs that were stopped take the money of their own extension from its pool.
 */
export function extendBatch(
  world: World,
  extension: BatchExtension,
): Promise<BatchAnswer | { readonly type: 'key_conflict' }> {
  const { tenant, batchId, addMicroUsd, concurrency, key } = extension;
  const mark =
    key === undefined
      ? undefined
      : ([world.ids.hash(key), world.ids.hash(stableJson({ addMicroUsd, concurrency }))] as const);
  type Answer = BatchAnswer | { readonly type: 'key_conflict' };
  return changeBatch(world, tenant, batchId, (batch): BatchWish<Answer> => {
    const known = batch.keys.find(([hash]) => hash === mark?.[0]);
    if (known !== undefined) return known[1] === mark?.[1] ? accepted(batch) : { type: 'key_conflict' };
    if (batch.cancelRequested) return batchConflict('the batch is cancelled');
    if (batch.budget === UNLIMITED) return batchConflict('the batch has no budget that could be raised');
    const event = {
      type: 'extended',
      nowMs: world.clock.now(),
      addMicroUsd,
      concurrency: concurrency ?? batch.concurrency,
      key: mark,
    } as const;
    // Under a key the head itself tells whether it was made.
    return key === undefined ? { event, once: true } : { event };
  });
}

/** Cancels a batch: at once where nothing is open, else its next turn cancels every open job. Rows that were never admitted count as cancelled. */
export function cancelBatch(world: World, tenant: string, batchId: string): Promise<BatchAnswer> {
  return changeBatch(world, tenant, batchId, (batch): BatchWish<BatchAnswer> => {
    if (batch.cancelRequested) return accepted(batch);
    if (batch.status === 'done') return batchConflict('the batch is done');
    return { event: { type: 'cancel_requested', nowMs: world.clock.now() } };
  });
}
