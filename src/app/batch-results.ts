import { type Batch, MAX_OPEN } from '../core/batch.ts';
import type { Row } from '../core/batch-format.ts';
import { isEnded } from '../core/job.ts';
import { type RowResult, startedResult, unstartedResult } from '../core/row-result.ts';
import { openJobs, rowJobId, rowsAt } from './batch-rows.ts';
import { isOwn } from './own.ts';
import { viewJob } from './views.ts';
import type { World } from './world.ts';

/**
 * Where a reader of results stands: everything before `at` was given, but for the rows it passed because they had not
 * ended. With those in it a position never loses a row, and never gives one twice, however long a row takes.
 */
export interface ResultsPosition {
  readonly at: number;
  /** Ascending, at most `MAX_PASSED`. */
  readonly passed: readonly number[];
}

export interface BatchResult extends RowResult {
  /** Where the row stood in its file, from 1; null when it came by a call. */
  readonly line: number | null;
  readonly metadata: unknown;
}

export interface ResultsPage {
  /** In the order of the rows; fewer than asked where more have not ended. */
  readonly results: readonly BatchResult[];
  /**
   * Where to go on. Undefined when there is nothing more, for now or for ever: who reads a batch that is not over asks
   * again later with the position of this call.
   */
  readonly next: ResultsPosition | undefined;
}

const START: ResultsPosition = { at: 0, passed: [] };
/** One more than can be open at once: rows that wait, however many, never hide one behind them that has ended. */
const MAX_PASSED = MAX_OPEN + 1;
const AT_ONCE = 20;

/**
 * The results of rows that ended so far, from a position on. A row counts as ended when its job has, whether or not the
 * batch has seen it; of a cancelled batch also rows that never got a job. A job that is extended later is not given again.
 */
export async function batchResults(
  world: World,
  tenant: string,
  batchId: string,
  page: { readonly from?: ResultsPosition; readonly limit: number },
): Promise<ResultsPage | undefined> {
  const batch = await world.store.loadBatch(batchId);
  if (!isOwn(world, tenant, batch)) return undefined;
  const { taken, next } = pick(batch, await runningRows(world, batch), page.from ?? START, page.limit);
  const rows = [...(await rowsAt(world, batch, taken)).values()];
  const results: BatchResult[] = [];
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = await Promise.all(rows.slice(at, at + AT_ONCE).map((row) => resultOf(world, batch, row)));
    results.push(...some.filter((result) => result !== undefined));
  }
  const over = batch.endedAtMs > 0 && next.at >= batch.cursor && next.passed.length === 0;
  return { results, next: over || taken.length === 0 ? undefined : next };
}

/** The open rows whose jobs have not ended. */
async function runningRows(world: World, batch: Batch): Promise<ReadonlySet<number>> {
  const jobs = await openJobs(world, batch);
  const running = batch.open.filter(({ ordinal }) => {
    const job = jobs.get(ordinal);
    return job === undefined || !isEnded(job);
  });
  return new Set(running.map(({ ordinal }) => ordinal));
}

function pick(
  batch: Batch,
  running: ReadonlySet<number>,
  from: ResultsPosition,
  limit: number,
): { readonly taken: readonly number[]; readonly next: ResultsPosition } {
  const taken: number[] = [];
  const passed: number[] = [];
  const look = (ordinal: number): void => {
    if (running.has(ordinal) || taken.length === limit) passed.push(ordinal);
    else taken.push(ordinal);
  };
  for (const ordinal of from.passed) if (ordinal < batch.cursor) look(ordinal);
  let { at } = from;
  for (; at < batch.cursor && taken.length < limit && passed.length < MAX_PASSED; at += 1) look(at);
  return { taken, next: { at, passed } };
}

/** Undefined for a job that has outlived its retention. */
async function resultOf(world: World, batch: Batch, row: Row): Promise<BatchResult | undefined> {
  const job = await viewJob(world, batch.tenant, rowJobId(world, batch, row.key));
  const line = row.line === 0 ? null : row.line;
  if (job !== undefined) return { ...startedResult(row.id, job), line, metadata: job.metadata };
  if (batch.status !== 'cancelled') return undefined;
  return { ...unstartedResult(row.id, 'cancelled'), line, metadata: JSON.parse(row.metadata) as unknown };
}

/** A position as short text of `[0-9a-z.]`: numbers to the base of 36, each passed row as the distance from the one before. */
/** What a position begins with: numbers alone look like other words. */
const MARK = 'at';

export function positionText({ at, passed }: ResultsPosition): string {
  const steps = passed.map((ordinal, n) => ordinal - (passed[n - 1] ?? 0));
  return [MARK, ...[at, ...steps].map((number) => number.toString(36))].join('.');
}

/** Undefined for a text that is no position. */
export function readPosition(text: string): ResultsPosition | undefined {
  const [mark, ...parts] = text.split('.');
  if (
    mark !== MARK ||
    parts.length === 0 ||
    parts.length > MAX_PASSED + 1 ||
    !parts.every((part) => /^[0-9a-z]{1,4}$/.test(part))
  )
    return undefined;
  const [at = 0, ...steps] = parts.map((part) => Number.parseInt(part, 36));
  const passed: number[] = [];
  for (const [n, step] of steps.entries()) {
    const ordinal = (passed[n - 1] ?? 0) + step;
    if (ordinal >= at || (n > 0 && step === 0)) return undefined;
    passed.push(ordinal);
  }
  return { at, passed };
}
