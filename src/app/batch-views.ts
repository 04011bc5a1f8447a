import { type Batch, rowsOf, UNLIMITED } from '../core/batch.ts';
import { isEnded, type Job, usd } from '../core/job.ts';
import { charged } from '../core/ledger.ts';
import { stopMessage } from '../core/stop-message.ts';
import { jobIdsAt, openJobs } from './batch-rows.ts';
import { isOwn } from './own.ts';
import type { Place } from './store.ts';
import type { World } from './world.ts';

/** How many rows stand where. They add up to the rows, always. */
export type RowCounts = Readonly<Record<Job['status']['type'] | 'rejected', number>>;

/** A batch as the outside sees it: money in dollars, times as ISO 8601. */
export interface BatchView {
  readonly id: string;
  readonly agent: string;
  readonly status: 'open' | Batch['status'];
  readonly stop: { readonly reason: string; readonly message: string; readonly resumable: boolean } | null;
  /** Refused ones among them. */
  readonly rows: number;
  readonly counts: RowCounts;
  readonly cost: {
    /** Open jobs' money among it. */
    readonly spentUsd: number;
    /** What open jobs may still spend. */
    readonly reservedUsd: number;
    /** Null without a pool. */
    readonly budgetUsd: number | null;
    /** If the rows left cost what those that ended did on average; null until one has ended. */
    readonly forecastUsd: number | null;
  };
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly finishedAt: string | null;
  /** At the pace so far; null until a row has ended, and while none may start. */
  readonly forecastFinishedAt: string | null;
}

const iso = (ms: number): string => new Date(ms).toISOString();

export async function viewBatch(
  world: World,
  tenant: string,
  batchId: string,
): Promise<BatchView | undefined> {
  const batch = await world.store.loadBatch(batchId);
  return isOwn(world, tenant, batch) ? describeBatch(world, batch) : undefined;
}

/** A page of a tenant's batches, newest first; one that is just being made may be missing. */
export async function listBatches(
  world: World,
  tenant: string,
  page: { readonly after?: Place; readonly limit: number },
): Promise<{ readonly batches: readonly BatchView[]; readonly next: Place | undefined }> {
  const places = await world.store.listOf('batches', tenant, page);
  const found = await world.store.loadBatches(places.map(({ id }) => id));
  const batches: BatchView[] = [];
  for (const { id } of places) {
    const batch = found.get(id);
    if (isOwn(world, tenant, batch)) batches.push(await describeBatch(world, batch));
  }
  return { batches, next: places.length < page.limit ? undefined : places.at(-1) };
}

/** The places of a batch's admitted rows' jobs, newest first, sorted by row. A job may be still to be made. */
export async function jobsOfBatch(
  world: World,
  tenant: string,
  batchId: string,
  page: { readonly after?: Place; readonly limit: number },
): Promise<readonly Place[] | undefined> {
  const batch = await world.store.loadBatch(batchId);
  if (!isOwn(world, tenant, batch)) return undefined;
  const end = Math.min(batch.cursor, page.after?.at ?? batch.cursor);
  const size = Math.max(0, Math.min(end, page.limit));
  const ids = await jobIdsAt(
    world,
    batch,
    Array.from({ length: size }, (_, at) => end - 1 - at),
  );
  return [...ids].map(([at, id]) => ({ id, at }));
}

/** The batch with what its head says of closed rows and their own heads of open ones, so that no row is missing or twice. */
export async function describeBatch(world: World, batch: Batch): Promise<BatchView> {
  const jobs = await openJobs(world, batch);
  const counts = countRows(batch, jobs);
  const money = moneyOf(batch, jobs);
  const ended = counts.succeeded + counts.stopped + counts.failed + counts.cancelled;
  const left = counts.queued + counts.running + counts.awaiting_approval;
  const status = statusOf(batch);
  const nowMs = world.clock.now();
  const endsMs = nowMs + ((nowMs - batch.createdAtMs) / ended) * left;
  const moving = status === 'open' || (status === 'running' && !batch.cancelRequested);
  const forecast = Math.max(money.spent, money.ended + Math.round((money.ended / ended) * left));
  return {
    id: batch.id,
    agent: batch.agent,
    status,
    stop: batch.stop
      ? { reason: batch.stop.reason, message: stopMessage(batch.stop), resumable: true }
      : null,
    rows: rowsOf(batch) + batch.rejected,
    counts,
    cost: {
      spentUsd: usd(money.spent),
      reservedUsd: usd(money.reserved),
      budgetUsd: batch.budget === UNLIMITED ? null : usd(batch.budget),
      forecastUsd: ended === 0 ? null : usd(forecast),
    },
    createdAt: iso(batch.createdAtMs),
    updatedAt: iso(batch.updatedAtMs),
    finishedAt: batch.endedAtMs === 0 ? null : iso(batch.endedAtMs),
    forecastFinishedAt: moving && ended > 0 && left > 0 ? iso(endsMs) : null,
  };
}

/** A paused batch that is being cancelled is not paused any more. */
function statusOf(batch: Batch): BatchView['status'] {
  if (batch.status === 'running' && batch.accepting) return 'open';
  return batch.status === 'paused' && batch.cancelRequested ? 'running' : batch.status;
}

function countRows(batch: Batch, jobs: ReadonlyMap<number, Job>): RowCounts {
  const counts = {
    ...batch.counts,
    queued: rowsOf(batch) - batch.cursor,
    running: 0,
    awaiting_approval: 0,
    rejected: batch.rejected,
  };
  for (const { ordinal } of batch.open) counts[jobs.get(ordinal)?.status.type ?? 'queued'] += 1;
  return counts;
}

/** Micro-dollars: what all jobs and those that ended have spent, and what the others may still spend. */
function moneyOf(
  batch: Batch,
  jobs: ReadonlyMap<number, Job>,
): { readonly spent: number; readonly ended: number; readonly reserved: number } {
  let { spent } = batch;
  let ended = batch.spent;
  let reserved = 0;
  for (const row of batch.open) {
    const job = jobs.get(row.ordinal);
    const cost = job === undefined ? 0 : charged(job.ledger);
    spent += cost;
    if (job !== undefined && isEnded(job)) ended += cost;
    else reserved += Math.max(0, row.ceiling - cost);
  }
  return { spent, ended, reserved };
}
