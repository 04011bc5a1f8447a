import { type Batch, MAX_CHUNKS, MAX_ROWS } from '../core/batch.ts';
import type { Row } from '../core/batch-format.ts';
import { RetryableError } from '../core/errors.ts';
import {
  arrivalOf,
  arrivedChunks,
  chunksAt,
  type GivenRows,
  heldRows,
  keyIn,
  type PartedRows,
  partRows,
} from './batch-rows.ts';
import { CHUNK_ROWS } from './batches.ts';
import type { RefusedRow } from './check-row.ts';
import { type BatchAnswer, type BatchWish, batchConflict, changeBatch, overBecause } from './manage-batch.ts';
import { isOwn } from './own.ts';
import type { Chunk } from './store.ts';
import type { World } from './world.ts';

export interface RowsToAdd extends GivenRows {
  readonly tenant: string;
  readonly batchId: string;
}

export type RowsAdded =
  | { readonly type: 'accepted'; readonly batch: Batch; readonly rejected: readonly RefusedRow[] }
  | Exclude<BatchAnswer, { type: 'accepted' }>;

/** Lost races for a chunk before a call gives up. */
const MAX_TRIES = 200;

/**
 * Adds rows to an open batch: the rows, then one chunk that names those that none names yet, then the head. Whoever loses
 * a chunk drops what the winner's names and takes the next one. The same call again adds what is missing and nothing twice.
 */
export async function addRows(world: World, wanted: RowsToAdd): Promise<RowsAdded> {
  const { tenant, batchId } = wanted;
  const batch = await world.store.loadBatch(batchId);
  if (!isOwn(world, tenant, batch)) return { type: 'not_found' };
  const parted = partRows(world, batchId, wanted);
  const put = await putChunks(world, batch, parted);
  if ('why' in put) return { type: 'conflict', why: put.why };
  const answer = await changeBatch(world, tenant, batchId, async (head): Promise<BatchWish<BatchAnswer>> => {
    if (head.chunks.length >= put.last) return { type: 'accepted', batch: head };
    const closed = closedBecause(head);
    if (closed !== undefined) return batchConflict(closed);
    const arrived = (await arrivedChunks(world, head)).map(arrivalOf);
    return { event: { type: 'rows_added', nowMs: world.clock.now(), arrived } };
  });
  return answer.type === 'accepted' ? { ...answer, rejected: parted.refused } : answer;
}

/** Ends the adding of rows: what was added before is absorbed, and the batch is done once it is through. */
export function closeBatch(world: World, tenant: string, batchId: string): Promise<BatchAnswer> {
  return changeBatch(world, tenant, batchId, async (batch): Promise<BatchWish<BatchAnswer>> => {
    if (batch.cancelRequested) return batchConflict('the batch is cancelled');
    if (!batch.accepting) return { type: 'accepted', batch };
    const arrived = (await arrivedChunks(world, batch)).map(arrivalOf);
    return { event: { type: 'closed', nowMs: world.clock.now(), arrived } };
  });
}

function closedBecause(batch: Batch): string | undefined {
  return overBecause(batch) ?? (batch.accepting ? undefined : 'the batch takes no more rows');
}

/** What of a call no chunk names yet, and the last chunk that names some of it. */
interface Left {
  /** By their keys, under their names. */
  readonly rows: Map<string, readonly [string, Row]>;
  readonly refused: Set<string>;
  last: number;
}

/** Puts what no chunk names yet into chunks of its own. All of it finds room, or none is put. */
async function putChunks(
  world: World,
  batch: Batch,
  parted: PartedRows,
): Promise<{ readonly last: number } | { readonly why: string }> {
  const left: Left = {
    rows: new Map([...parted.taken].map((entry) => [entry[1].key, entry])),
    refused: new Set(parted.refusedKeys),
    last: 0,
  };
  const listed = await chunksAt(
    world,
    batch.id,
    batch.chunks.map((_, at) => at + 1),
  );
  for (const [n, chunk] of listed) drop(left, n, chunk);
  let held = heldRows(batch);
  let count = batch.chunks.length;
  const pass = (chunk: Chunk): void => {
    count += 1;
    held += chunk.names.length + chunk.refused.length;
    drop(left, count, chunk);
  };
  for (const chunk of batch.accepting ? await arrivedChunks(world, batch) : []) pass(chunk);
  const known = new Set<string>();
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const wanted = left.rows.size + left.refused.size;
    if (wanted === 0) return { last: left.last };
    const why = closedBecause(batch) ?? fullBecause(held + wanted, count + 1);
    if (why !== undefined) return { why };
    pass(await putNext(world, batch.id, count + 1, left, known));
  }
  throw new RetryableError('busy', `batch ${batch.id}: others add rows at the same time; try again`);
}

function fullBecause(rows: number, chunks: number): string | undefined {
  if (rows > MAX_ROWS) return `a batch has ${MAX_ROWS} rows at most, these would make ${rows}`;
  if (chunks > MAX_CHUNKS)
    return `rows can be added to a batch ${MAX_CHUNKS} times at most: add more at once`;
  return undefined;
}

/** Puts chunk `n` with some of what is left, and gives the chunk that stands there: this one, or a faster caller's. */
async function putNext(
  world: World,
  batchId: string,
  n: number,
  left: Left,
  known: Set<string>,
): Promise<Chunk> {
  const rows = new Map([...left.rows.values()].slice(0, CHUNK_ROWS));
  const chunk = { names: [...rows.keys()], refused: [...left.refused].slice(0, CHUNK_ROWS) };
  const unknown = new Map([...rows].filter(([name]) => !known.has(name)));
  await world.store.putRows(batchId, unknown);
  for (const name of unknown.keys()) known.add(name);
  if ((await world.store.putChunk(batchId, n, chunk)) === 'put') return chunk;
  const standing = (await chunksAt(world, batchId, [n])).get(n);
  if (standing === undefined) throw new RetryableError('no_such_chunk', `batch ${batchId}: chunk ${n}`);
  return standing;
}

function drop(left: Left, n: number, { names, refused }: Chunk): void {
  const rows = names.filter((name) => left.rows.delete(keyIn(name)));
  const others = refused.filter((key) => left.refused.delete(key));
  if (rows.length + others.length > 0) left.last = Math.max(left.last, n);
}
