import { ApiError, type Batch, type Client, type NewBatch, type Result } from '../client.ts';
import { utf8Bytes } from '../core/safe-json.ts';
import type { Clock } from '../ports.ts';
import type { EvalCase } from './eval-cases.ts';

export interface EvalWork {
  readonly client: Client;
  readonly clock: Clock;
  readonly agent: string;
  readonly cases: readonly EvalCase[];
  readonly budgetUsd: number;
  readonly maxSteps: number | undefined;
  readonly pollMs: number;
  /** Ends the run; its batch is cancelled. */
  readonly signal: AbortSignal;
  readonly show: (batch: Batch) => void;
  /** Said once where nothing moves any more. */
  readonly stalled: (batch: Batch) => void;
}

export type EvalRun =
  | {
      readonly type: 'over';
      readonly batch: Batch;
      /** By the id of the case; one whose job was never started has none. */
      readonly results: ReadonlyMap<string, Result>;
      /** Calls that would have needed a person. */
      readonly denied: number;
      readonly rejected: RowsRejected;
    }
  | { readonly type: 'interrupted'; readonly batchId: string };

type RowsRejected = readonly { readonly id: string | null; readonly reason: string }[];

/** What one call takes: 5,000 rows and 5 MB, with room for what stands around the rows. */
const MAX_ROWS = 5_000;
const MAX_BYTES = 4_900_000;
/** After so long without any change a person should look. */
const STALLED_MS = 60_000;
const PAGE = 200;

type Rows = NewBatch['rows'];

/** The rows in parts that a call takes. */
export function partsOf(cases: readonly EvalCase[]): readonly [Rows, ...Rows[]] {
  const parts: [Rows, ...Rows[]] = [[]];
  let bytes = 0;
  for (const { id, input } of cases) {
    const row = { id, input, metadata: { ticket: id } };
    const size = utf8Bytes(JSON.stringify(row)) + 1;
    const part = parts[parts.length - 1];
    if (part === undefined || part.length === MAX_ROWS || bytes + size > MAX_BYTES) {
      parts.push([row]);
      bytes = size;
    } else {
      part.push(row);
      bytes += size;
    }
  }
  return parts;
}

/**
 * Runs the cases as one batch and waits for it. Calls that need a person are denied as they appear. Whatever goes wrong,
 * and when it is interrupted, the batch is cancelled: nobody is left who would read its results.
 */
export async function runCases(work: EvalWork): Promise<EvalRun> {
  const { client, signal } = work;
  const [first, ...more] = partsOf(work.cases);
  const { maxSteps, agent, budgetUsd } = work;
  const limits = maxSteps === undefined ? {} : { limits: { maxSteps } };
  const taken = await client.submitBatch({ agent, budgetUsd, rows: first, open: more.length > 0, ...limits });
  const { id } = taken;
  try {
    const rejected = [...taken.rejectedRows];
    for (const rows of more) {
      if (signal.aborted) break;
      rejected.push(...(await client.addRows(id, rows)).rejectedRows);
    }
    if (more.length > 0 && !signal.aborted) await client.closeBatch(id);
    const denied = new Set<string>();
    const batch = await watch(work, id, denied);
    if (batch === undefined) {
      await cancelled(client, id);
      return { type: 'interrupted', batchId: id };
    }
    const results = await resultsOf(client, id);
    // Rows that the pool kept from starting would wait for ever.
    if (batch.status === 'paused') await cancelled(client, id);
    return { type: 'over', batch, results, denied: denied.size, rejected };
  } catch (error) {
    await cancelled(client, id).catch(() => undefined);
    throw error;
  }
}

/** It may have ended in the meantime. */
async function cancelled(client: Client, id: string): Promise<void> {
  try {
    await client.cancelBatch(id);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error;
  }
}

/** Nothing more will happen: it has ended, or its pool admits no more. */
const isOver = ({ status, stop }: Batch): boolean =>
  status === 'done' || status === 'cancelled' || (status === 'paused' && stop?.reason === 'pool_exhausted');

/** Undefined when it was interrupted. */
async function watch(work: EvalWork, id: string, denied: Set<string>): Promise<Batch | undefined> {
  const { client, clock, signal } = work;
  let before = '';
  let movedMs = clock.now();
  let said = false;
  while (!signal.aborted) {
    const batch = await client.batch(id);
    work.show(batch);
    if (isOver(batch)) return batch;
    if (batch.counts.awaiting_approval > 0) await denyWaiting(client, id, denied);
    const now = JSON.stringify([batch.status, batch.counts, batch.cost.spentUsd]);
    if (now !== before) movedMs = clock.now();
    else if (!said && clock.now() - movedMs >= STALLED_MS) {
      work.stalled(batch);
      said = true;
    }
    before = now;
    await clock.sleep(work.pollMs, signal);
  }
  return undefined;
}

const reason = 'This is an evaluation: nothing is carried out.';

/** Denies what waits in this batch, and in no other. Somebody else may have decided first. */
async function denyWaiting(client: Client, batchId: string, denied: Set<string>): Promise<void> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Client['approvals']>> = await client.approvals(
      cursor === null ? { limit: PAGE } : { limit: PAGE, cursor },
    );
    for (const { jobId, callId, inputHash, ...waiting } of page.items) {
      if (waiting.batchId !== batchId) continue;
      try {
        await client.decide(jobId, callId, { decision: 'deny', reason, inputHash });
        denied.add(callId);
      } catch (error) {
        if (!(error instanceof ApiError && [404, 409].includes(error.status))) throw error;
      }
    }
    cursor = page.cursor;
  } while (cursor !== null);
}

/** A row without a job was never started. */
async function resultsOf(client: Client, id: string): Promise<ReadonlyMap<string, Result>> {
  const found = new Map<string, Result>();
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Client['results']>> = await client.results(
      id,
      cursor === null ? { limit: PAGE } : { limit: PAGE, cursor },
    );
    for (const result of page.items) if (result.jobId !== null) found.set(result.id, result);
    cursor = page.cursor;
  } while (cursor !== null);
  return found;
}
