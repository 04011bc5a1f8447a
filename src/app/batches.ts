import type { Json } from '../core/agent.ts';
import { type Batch, evolveBatch, isTurning } from '../core/batch.ts';
import type { Row } from '../core/batch-format.ts';
import { DUE_AFTER_MS, dueTime, type JobLimits, jobLimits, microUsd } from '../core/job.ts';
import { apiCommit, batchHeads, type Wish } from './api-commit.ts';
import { isOwn } from './own.ts';
import { sendBatchTurn } from './send.ts';
import { agentOf, freezeAgent } from './submit.ts';
import type { World } from './world.ts';

export interface NewRow {
  /** The row's id as its owner knows it. */
  readonly id: string;
  readonly line: number;
  readonly input: string;
  readonly metadata: Readonly<Record<string, Json>>;
  /** Given for a row with nothing to ask a model about. */
  readonly output?: Json;
}

export interface NewBatch {
  readonly tenant: string;
  readonly agent: string;
  /** The same key gives the same batch. */
  readonly key: string;
  readonly rows: AsyncIterable<NewRow> | Iterable<NewRow>;
  /** The pool, in micro-dollars. */
  readonly budget: number;
  readonly limits?: Partial<JobLimits>;
  readonly ceilingMicroUsd?: number;
  readonly concurrency: number;
}

/** Rows that one chunk names. */
const CHUNK_ROWS = 1_000;

export function batchIdOf(world: World, tenant: string, key: string): string {
  return `batch_${world.ids.hash(`${tenant}\n${key}`)}`;
}

export function rowKeyOf(world: World, batchId: string, rowId: string): string {
  return world.ids.hash(`${batchId}\n${rowId}`).slice(0, 16);
}

/** Creates a batch: its rows, then the chunks that name them, then its head, then its first turn. */
export async function createBatch(world: World, wanted: NewBatch): Promise<Batch> {
  const { tenant } = wanted;
  const agent = agentOf(world, wanted.agent);
  const id = batchIdOf(world, tenant, wanted.key);
  const { version } = await freezeAgent(world, agent);
  const chunks = await putRows(world, id, wanted.rows);
  const nowMs = world.clock.now();
  const batch: Batch = {
    id,
    tenant,
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
    chunks,
    cursor: 0,
    open: [],
    counts: { succeeded: 0, stopped: 0, failed: 0, cancelled: 0 },
    budget: wanted.budget,
    spent: 0,
    concurrency: wanted.concurrency,
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
  };
  const created = await world.store.createBatch(batch);
  const standing = created === 'created' ? batch : ((await world.store.loadBatch(id)) ?? batch);
  if (isTurning(standing)) await sendBatchTurn(world, standing);
  return standing;
}

async function putRows(world: World, batchId: string, rows: NewBatch['rows']): Promise<readonly number[]> {
  const sizes: number[] = [];
  let waiting: Row[] = [];
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return;
    await world.store.putRows(batchId, waiting);
    await world.store.putChunk(
      batchId,
      sizes.length + 1,
      waiting.map((row) => row.key),
    );
    sizes.push(waiting.length);
    waiting = [];
  };
  for await (const row of rows) {
    waiting.push({
      v: 1,
      key: rowKeyOf(world, batchId, row.id),
      id: row.id,
      line: row.line,
      input: row.input,
      metadata: JSON.stringify(row.metadata),
      ...(row.output === undefined ? {} : { output: JSON.stringify(row.output) }),
    });
    if (waiting.length === CHUNK_ROWS) await flush();
  }
  await flush();
  return sizes;
}

/** Raises the pool, and sets how many jobs run at once where that is given; a batch that was paused because the pool was exhausted goes on. */
export async function extendBatch(
  world: World,
  tenant: string,
  batchId: string,
  addMicroUsd: number,
  concurrency?: number,
): Promise<Batch | 'not_found' | 'conflict'> {
  type Answer = 'not_found' | 'conflict';
  const result = await apiCommit(world, batchHeads(world), batchId, (batch): Wish<Batch, Answer> => {
    if (!isOwn(world, tenant, batch)) return { answer: 'not_found' };
    if (batch.cancelRequested || batch.status === 'done') return { answer: 'conflict' };
    const event = { type: 'extended', nowMs: world.clock.now(), addMicroUsd } as const;
    return {
      change: evolveBatch(batch, { ...event, concurrency: concurrency ?? batch.concurrency }),
      once: true,
    };
  });
  if ('answer' in result) return result.answer;
  const { committed } = result;
  if (committed.status === 'running') await sendBatchTurn(world, committed);
  return committed;
}
