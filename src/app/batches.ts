import { type Batch, isTurning, MAX_ROWS, UNLIMITED } from '../core/batch.ts';
import type { Row } from '../core/batch-format.ts';
import { TerminalError } from '../core/errors.ts';
import { DUE_AFTER_MS, dueTime, type JobLimits, jobLimits, microUsd } from '../core/job.ts';
import { stableJson } from '../core/stable-json.ts';
import { type GivenRows, keyIn, namedRow, partRows } from './batch-rows.ts';
import type { NewRow, RefusedRow } from './check-row.ts';
import { sendBatchTurn, sentOrDue } from './send.ts';
import { agentOf, freezeAgent } from './submit.ts';
import type { World } from './world.ts';

export { rowKeyOf } from './batch-rows.ts';
export type { NewRow } from './check-row.ts';

interface Wanted {
  readonly tenant: string;
  readonly agent: string;
  /** Of every job: lower limits than the agent's; the caller has checked that they are lower, or may raise them. */
  readonly limits?: Partial<JobLimits>;
  /** Of every job, in micro-dollars. @default the agent's */
  readonly ceilingMicroUsd?: number;
}

export interface NewBatch extends Wanted {
  /** The same key gives the same batch. */
  readonly key: string;
  readonly rows: AsyncIterable<NewRow> | Iterable<NewRow>;
  /** The pool, in micro-dollars. */
  readonly budget: number;
  readonly concurrency: number;
}

/** A batch as somebody asks for it, with at most 100,000 rows. */
export interface BatchSubmission extends Wanted, GivenRows {
  /** The pool, in micro-dollars. @default no pool */
  readonly budgetMicroUsd?: number;
  /** Rows may be added until it is closed. */
  readonly open: boolean;
  /** Jobs that may run at once. @default 40 */
  readonly concurrency?: number;
  /** The address that is told when it ends. */
  readonly webhook?: string;
  /** The same key and body give the same batch. */
  readonly key?: string;
}

export type BatchSubmitted =
  | { readonly type: 'created' | 'same'; readonly batch: Batch; readonly rejected: readonly RefusedRow[] }
  /** The key stands for another body. */
  | { readonly type: 'key_conflict'; readonly batchId: string };

/** Rows that one chunk names. */
export const CHUNK_ROWS = 1_000;
const DEFAULT_CONCURRENCY = 40;

export function batchIdOf(world: World, tenant: string, key: string): string {
  return `batch_${world.ids.hash(`${tenant}\n${key}`)}`;
}

/** Creates a batch of rows that are known to be right: its rows, then the chunks that name them, then its head, then its first turn. */
export async function createBatch(world: World, wanted: NewBatch): Promise<Batch> {
  const id = batchIdOf(world, wanted.tenant, wanted.key);
  const chunks = await putRows(world, id, namedRows(world, id, wanted.rows), new Set());
  const { budget, concurrency } = wanted;
  const head = await firstHead(world, id, wanted, { chunks, budget, concurrency });
  return (await putHead(world, head)).batch;
}

async function* namedRows(
  world: World,
  batchId: string,
  rows: NewBatch['rows'],
): AsyncIterable<[string, Row]> {
  for await (const row of rows) yield [...namedRow(world, batchId, row)];
}

/**
 * Creates a batch of rows as they came. With a key its record is put first: whoever comes second, or again after a crash
 * at any point, meets it before anything of its own is written.
 */
export async function submitBatch(world: World, submission: BatchSubmission): Promise<BatchSubmitted> {
  const { tenant, key, rows, read = [], refused: unread = [], open, webhook = '' } = submission;
  const count = rows.length + read.length + unread.length;
  if (count > MAX_ROWS) {
    throw new TerminalError('too_many_rows', `rows: ${count}, a batch has ${MAX_ROWS} at most`);
  }
  agentOf(world, submission.agent);
  const id = key === undefined ? `batch_${world.ids.token()}` : batchIdOf(world, tenant, key);
  const bodyHash = hashOf(world, submission);
  const stands = key === undefined ? bodyHash : await world.store.putBatchKey(id, bodyHash);
  if (stands !== bodyHash) return { type: 'key_conflict', batchId: id };
  const { taken, refused, refusedKeys } = partRows(world, id, submission);
  const standing = key === undefined ? undefined : await world.store.loadBatch(id);
  if (standing !== undefined) {
    await sendFirst(world, standing);
    return { type: 'same', batch: standing, rejected: refused };
  }
  const chunks = await putRows(world, id, taken, refusedKeys);
  const { budgetMicroUsd = UNLIMITED, concurrency = DEFAULT_CONCURRENCY } = submission;
  const head = await firstHead(world, id, submission, {
    ...{ chunks, bodyHash, webhook, concurrency, budget: budgetMicroUsd },
    ...{ accepting: open, rejected: refusedKeys.size },
  });
  return { ...(await putHead(world, head)), rejected: refused };
}

function hashOf(world: World, submission: BatchSubmission): string {
  const { tenant: _, key: __, ...body } = submission;
  return world.ids.hash(stableJson(body));
}

type Own = Pick<Batch, 'chunks' | 'budget' | 'concurrency'> &
  Partial<Pick<Batch, 'bodyHash' | 'webhook' | 'accepting' | 'rejected'>>;

async function firstHead(world: World, id: string, wanted: Wanted, own: Own): Promise<Batch> {
  const agent = agentOf(world, wanted.agent);
  const { version } = await freezeAgent(world, agent);
  const nowMs = world.clock.now();
  return {
    id,
    tenant: wanted.tenant,
    agent: agent.name,
    agentVersion: version,
    status: 'running',
    stop: undefined,
    turn: 1,
    version: 1,
    by: '',
    apiBy: '',
    from: '',
    notBeforeMs: 0,
    dueAtMs: dueTime(0, nowMs + DUE_AFTER_MS, nowMs),
    nudges: 0,
    idle: 0,
    cursor: 0,
    open: [],
    counts: { succeeded: 0, stopped: 0, failed: 0, cancelled: 0 },
    spent: 0,
    cancelRequested: false,
    limits: { ...jobLimits(agent.limits), ...wanted.limits },
    ceiling: wanted.ceilingMicroUsd ?? microUsd(agent.limits.maxCostUsd),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    endedAtMs: 0,
    accepting: false,
    rejected: 0,
    webhook: '',
    bodyHash: '',
    keys: [],
    ...own,
  };
}

async function putHead(
  world: World,
  head: Batch,
): Promise<{ readonly type: 'created' | 'same'; readonly batch: Batch }> {
  const created = await world.store.createBatch(head);
  const batch = created === 'created' ? head : ((await world.store.loadBatch(head.id)) ?? head);
  await sendFirst(world, batch);
  return { type: created === 'created' ? 'created' : 'same', batch };
}

/** The first turn may never have been sent: whoever made the head may have died before it could. */
async function sendFirst(world: World, batch: Batch): Promise<void> {
  if (batch.turn === 1 && isTurning(batch)) await sentOrDue(world, sendBatchTurn(world, batch));
}

/**
 * Puts rows and the chunks that name them, each row once, and gives the sizes of the chunks. Until there is a head nobody
 * else adds any, so that a chunk which is there already is this call's own, made before.
 */
async function putRows(
  world: World,
  batchId: string,
  rows: AsyncIterable<readonly [string, Row]> | Iterable<readonly [string, Row]>,
  refused: ReadonlySet<string>,
): Promise<readonly number[]> {
  const sizes: number[] = [];
  const keys = new Set<string>();
  let waiting = new Map<string, Row>();
  const flush = async (last: readonly string[]): Promise<void> => {
    if (waiting.size + last.length === 0) return;
    await world.store.putRows(batchId, waiting);
    await world.store.putChunk(batchId, sizes.length + 1, { names: [...waiting.keys()], refused: last });
    sizes.push(waiting.size);
    waiting = new Map();
  };
  for await (const [name, row] of rows) {
    if (keys.has(keyIn(name))) continue;
    keys.add(keyIn(name));
    waiting.set(name, row);
    if (waiting.size === CHUNK_ROWS) await flush([]);
  }
  const last = [...refused];
  do await flush(last.splice(0, CHUNK_ROWS));
  while (last.length > 0);
  return sizes;
}
