import type * as z from 'zod';
import { BATCHES_OF, batchLifts, batchRecord } from './batch-format.ts';
import { type Arrival, type Decision, MAX_DELAY_SECONDS, restOfDelay } from './decide.ts';
import { lift } from './head-format.ts';
import { DUE_AFTER_MS, dueTime, type JobLimits, type Stop } from './job.ts';
import { ending } from './stop-rules.ts';

/** The budget of a batch without one, in micro-dollars. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER;
/** Rows of one batch, refused ones among them, and chunks that name them: the head lists every chunk. */
export const MAX_ROWS = 100_000;
export const MAX_CHUNKS = 5_000;
/** Rows that may be open at once, whatever they wait for: the head lists them, and must stay far under 400 KB. */
export const MAX_OPEN = 2_000;

/** A row that is admitted and not yet seen to have ended: it holds its ceiling in the pool. */
export interface OpenRow {
  /** Its place in the batch, from 0. */
  readonly ordinal: number;
  /** Micro-dollars. */
  readonly ceiling: number;
  /** The version of the ended job that an extension was granted for; 0 without one. */
  readonly grant: number;
}

export interface BatchCounts {
  readonly succeeded: number;
  readonly stopped: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** The head of a batch: many jobs with one shared pool of money. */
export interface Batch {
  readonly id: string;
  readonly tenant: string;
  readonly agent: string;
  readonly agentVersion: string;
  readonly status: 'running' | 'paused' | 'done' | 'cancelled';
  readonly stop: Stop | undefined;
  readonly turn: number;
  readonly version: number;
  readonly by: string;
  readonly apiBy: string;
  readonly from: string;
  readonly notBeforeMs: number;
  readonly dueAtMs: number;
  readonly nudges: number;
  /** Turns in a row in which nothing changed. */
  readonly idle: number;
  /** How many rows each chunk names. */
  readonly chunks: readonly number[];
  /** Rows admitted so far. */
  readonly cursor: number;
  readonly open: readonly OpenRow[];
  readonly counts: BatchCounts;
  /** The pool, in micro-dollars. */
  readonly budget: number;
  /** Micro-dollars of the jobs that were seen to end. */
  readonly spent: number;
  /** Jobs that may run at once; those that wait for a person do not count. */
  readonly concurrency: number;
  readonly cancelRequested: boolean;
  readonly limits: JobLimits;
  /** The ceiling of one job, in micro-dollars. */
  readonly ceiling: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When nothing was left to do; 0 before that. */
  readonly endedAtMs: number;
  /** Rows may still be added. */
  readonly accepting: boolean;
  /** Rows that were refused when they came. */
  readonly rejected: number;
  /** The address that is told when it ends; empty for none. */
  readonly webhook: string;
  /** The hash of the request that made it. */
  readonly bodyHash: string;
  /** The newest idempotency keys that raised the pool, each as a hash beside the hash of its body. */
  readonly keys: readonly (readonly [string, string])[];
}

/** The record of a batch's head. Listed, not spread: a rest of an object this large is slow to make. */
export function toBatchRecord(batch: Batch): z.input<typeof batchRecord> {
  const { stop, limits } = batch;
  return {
    v: 2,
    lt: `${BATCHES_OF}${batch.tenant}`,
    lc: batch.createdAtMs,
    du: batch.dueAtMs,
    stop: stop && [stop.reason, stop.detail],
    chunks: [...batch.chunks],
    open: batch.open.map((row) => [row.ordinal, row.ceiling, row.grant]),
    limits: [limits.maxSteps, limits.maxTokens, limits.maxConsecutiveFailures, limits.timeoutSeconds],
    agent: batch.agent,
    agentVersion: batch.agentVersion,
    status: batch.status,
    turn: batch.turn,
    version: batch.version,
    by: batch.by,
    apiBy: batch.apiBy,
    from: batch.from,
    notBeforeMs: batch.notBeforeMs,
    nudges: batch.nudges,
    idle: batch.idle,
    cursor: batch.cursor,
    counts: batch.counts,
    budget: batch.budget,
    spent: batch.spent,
    concurrency: batch.concurrency,
    cancelRequested: batch.cancelRequested,
    ceiling: batch.ceiling,
    updatedAtMs: batch.updatedAtMs,
    endedAtMs: batch.endedAtMs,
    accepting: batch.accepting,
    rejected: batch.rejected,
    webhook: batch.webhook,
    bodyHash: batch.bodyHash,
    keys: batch.keys.map(([key, body]) => [key, body]),
  };
}

export function fromBatchRecord(id: string, stored: unknown): Batch {
  const record = batchRecord.parse(lift(stored, `batch ${id}`, 2, batchLifts));
  const { stop, open } = record;
  const [maxSteps, maxTokens, maxConsecutiveFailures, timeoutSeconds] = record.limits;
  return {
    id,
    tenant: record.lt.slice(BATCHES_OF.length),
    createdAtMs: record.lc,
    dueAtMs: record.du,
    stop: stop && ({ reason: stop[0], detail: stop[1] } as Stop),
    chunks: record.chunks,
    open: open.map(([ordinal, ceiling, grant]) => ({ ordinal, ceiling, grant })),
    limits: { maxSteps, maxTokens, maxConsecutiveFailures, timeoutSeconds },
    agent: record.agent,
    agentVersion: record.agentVersion,
    status: record.status,
    turn: record.turn,
    version: record.version,
    by: record.by,
    apiBy: record.apiBy,
    from: record.from,
    notBeforeMs: record.notBeforeMs,
    nudges: record.nudges,
    idle: record.idle,
    cursor: record.cursor,
    counts: record.counts,
    budget: record.budget,
    spent: record.spent,
    concurrency: record.concurrency,
    cancelRequested: record.cancelRequested,
    ceiling: record.ceiling,
    updatedAtMs: record.updatedAtMs,
    endedAtMs: record.endedAtMs,
    accepting: record.accepting,
    rejected: record.rejected,
    webhook: record.webhook,
    bodyHash: record.bodyHash,
    keys: record.keys,
  };
}

export function rowsOf(batch: Batch): number {
  return batch.chunks.reduce((total, rows) => total + rows, 0);
}

/** Whether it has ended. It may still be due once, for others to be told of it. */
export function isOver({ status }: Pick<Batch, 'status'>): boolean {
  return status === 'done' || status === 'cancelled';
}

/** Whether its turns go on: not over, not paused with nothing open, not resting. */
export function isTurning(batch: Batch): boolean {
  return batch.dueAtMs > 0 && !isOver(batch) && !isResting(batch);
}

/** Micro-dollars that no open job holds and no ended one has spent; below 0 only after a reply dearer than its bound. */
export function poolLeft(batch: Batch): number {
  return batch.open.reduce((left, row) => left - row.ceiling, batch.budget - batch.spent);
}

/**
 * Everything so far is done, and rows may still be added: nothing is sent, and whoever adds some wakes it. The look of the
 * reconciler every now and then is for rows whose adder died before it could.
 */
export function isResting(batch: Batch): boolean {
  const idle = batch.open.length === 0 && batch.cursor === rowsOf(batch);
  return batch.status === 'running' && batch.accepting && !batch.cancelRequested && idle;
}

/** Says what to do with a batch's message. There is no lease: the commit decides between two deliveries of one turn. */
export function decideBatch(
  batch: Batch | undefined,
  arrival: Arrival,
  nowMs: number,
): Exclude<Decision, { type: 'claim' | 'hide' }> | { readonly type: 'turn' } {
  if (batch === undefined || !isTurning(batch)) return { type: 'done' };
  if (arrival.turn > batch.turn) return { type: 'leave' };
  if (arrival.turn === batch.turn && nowMs >= batch.notBeforeMs) return { type: 'turn' };
  const mine = arrival.turn === batch.turn || batch.from === arrival.id;
  return mine ? { type: 'send', delaySeconds: restOfDelay(batch.notBeforeMs, nowMs) } : { type: 'done' };
}

/** How the job of a row ended, and what it is charged, in micro-dollars, settled and unsettled. */
export interface RowEnd {
  readonly status: keyof BatchCounts;
  readonly cost: number;
}

/** What a chunk that the head does not list yet brings: the rows it names, and those that were refused beside them. */
export interface Arrived {
  readonly rows: number;
  readonly refused: number;
}

/** What a turn found of the open rows. */
export interface Observation {
  readonly ended: ReadonlyMap<number, RowEnd>;
  /** Open rows whose jobs wait for a person. */
  readonly waiting: number;
}

/** How many rows to admit, each with its ceiling; and why no more, where the pool is the reason. */
export interface Admission {
  readonly ceilings: readonly number[];
  readonly cut: boolean;
  readonly stop: Stop | undefined;
}

/**
 * Decides what the pool admits: the sum of open ceilings and spent money stays within it. When nothing is open and no
 * whole ceiling fits, the next row gets what is left, if one call of it fits (`leastMicroUsd`). `share` is how many of
 * its tenant's jobs may be this batch's.
 */
export function admit(
  batch: Batch,
  waiting: number,
  leastMicroUsd: number,
  share = batch.concurrency,
): Admission {
  const none: Admission = { ceilings: [], cut: false, stop: undefined };
  const rows = rowsOf(batch) - batch.cursor;
  if (batch.status !== 'running' || batch.cancelRequested || rows === 0) return none;
  const left = poolLeft(batch);
  const most = Math.min(batch.concurrency, share) - (batch.open.length - waiting);
  const slots = Math.max(0, Math.min(most, MAX_OPEN - batch.open.length));
  const fits = Math.max(0, Math.floor(left / batch.ceiling));
  const whole = Math.min(rows, slots, fits);
  if (whole > 0) return { ...none, ceilings: Array.from({ length: whole }, () => batch.ceiling) };
  if (fits > 0 || batch.open.length > 0) return none;
  if (left >= leastMicroUsd) return { ceilings: [left], cut: true, stop: undefined };
  const detail = `a job needs $${batch.ceiling / 1e6}, its first call up to $${leastMicroUsd / 1e6}; $${left / 1e6} is left`;
  return { ...none, stop: ending('pool_exhausted', detail).stop };
}

interface At {
  readonly nowMs: number;
  /** Others are told if the batch ends: it stays due once more, so that a worker's death does not keep it from them. @default a webhook is */
  readonly told?: boolean;
}

export type BatchEvent =
  | (At & {
      readonly type: 'turned';
      readonly msg: string;
      readonly observed: Observation;
      readonly admission: Admission;
      /** When the tenant's pool of a day pays for rows that had to stay behind. @default all were paid for */
      readonly untilMs?: number | undefined;
      readonly arrived: readonly Arrived[];
    })
  | (At & { readonly type: 'rows_added' | 'closed'; readonly arrived: readonly Arrived[] })
  | (At & { readonly type: 'paused' | 'resumed' | 'cancel_requested' })
  /** More money for the pool, how many jobs may run at once from now on, and the key under which it was asked. */
  | (At & {
      readonly type: 'extended';
      readonly addMicroUsd: number;
      readonly concurrency: number;
      readonly key: readonly [string, string] | undefined;
    })
  /** Money for an ended job that is about to be extended; the row is open again. */
  | (At & {
      readonly type: 'granted';
      readonly ordinal: number;
      readonly ceiling: number;
      readonly grant: number;
      /** What the row's end had freed; undefined while the row is still open. */
      readonly freed: RowEnd | undefined;
    })
  /** Overdue: its turn is sent again, or, while it rests, it is looked at again later. */
  | (At & { readonly type: 'nudged' })
  /** An ended batch that others have been told of: nobody needs to look at it any more. */
  | (At & { readonly type: 'noted' })
  /** Somebody has to look at it by then. */
  | (At & { readonly type: 'due_moved'; readonly dueAtMs: number });

/** What the batch becomes. Pure; the caller decided that the event may happen. */
export function evolveBatch(batch: Batch, event: BatchEvent): Batch {
  const next = { ...apply(batch, event), version: batch.version + 1, updatedAtMs: event.nowMs };
  if (!isOver(next)) return { ...next, endedAtMs: 0 };
  if (batch.endedAtMs > 0) return { ...next, endedAtMs: batch.endedAtMs };
  const told = event.told ?? batch.webhook !== '';
  const dueAtMs = told ? dueTime(batch.dueAtMs, event.nowMs + DUE_AFTER_MS, event.nowMs) : 0;
  return { ...next, endedAtMs: event.nowMs, dueAtMs };
}

function apply(batch: Batch, event: BatchEvent): Batch {
  switch (event.type) {
    case 'turned':
      return turn(batch, event);
    case 'rows_added':
      return goOn(absorb(batch, event.arrived), event.nowMs);
    case 'closed':
      return goOn({ ...absorb(batch, event.arrived), accepting: false }, event.nowMs);
    case 'paused':
      return goOn({ ...batch, status: 'paused', stop: undefined }, event.nowMs);
    case 'resumed':
      return goOn({ ...batch, status: 'running', stop: undefined }, event.nowMs);
    case 'cancel_requested':
      return goOn({ ...batch, cancelRequested: true, accepting: false }, event.nowMs);
    case 'extended':
      return extend(batch, event);
    case 'granted': {
      const { freed, ordinal, ceiling, grant } = event;
      const counts =
        freed === undefined
          ? batch.counts
          : { ...batch.counts, [freed.status]: batch.counts[freed.status] - 1 };
      const open = [...batch.open.filter((row) => row.ordinal !== ordinal), { ordinal, ceiling, grant }];
      const status = batch.status === 'done' ? 'running' : batch.status;
      return wake({ ...batch, status, counts, open, spent: batch.spent - (freed?.cost ?? 0) }, event.nowMs);
    }
    case 'nudged':
      return {
        ...batch,
        nudges: batch.nudges + 1,
        dueAtMs:
          event.nowMs +
          (isResting(batch) ? REST_MS : Math.min(DUE_AFTER_MS * 2 ** batch.nudges, MAX_DELAY_SECONDS * 1000)),
      };
    case 'noted':
      return { ...batch, dueAtMs: 0 };
    case 'due_moved':
      return { ...batch, dueAtMs: event.dueAtMs };
    default:
      return event satisfies never;
  }
}

/** The newest keys of a batch that are remembered. */
const MAX_KEYS = 20;

function extend(batch: Batch, event: Extract<BatchEvent, { type: 'extended' }>): Batch {
  const budget = Math.min(UNLIMITED, batch.budget + event.addMicroUsd);
  const keys = event.key === undefined ? batch.keys : [...batch.keys, event.key].slice(-MAX_KEYS);
  const more = { ...batch, budget, keys, concurrency: event.concurrency };
  const exhausted = batch.status === 'paused' && batch.stop !== undefined;
  if (exhausted) return goOn({ ...more, status: 'running', stop: undefined }, event.nowMs);
  return batch.dueAtMs === 0 ? more : goOn(more, event.nowMs);
}

/** The head lists the chunks that have come, in their order. */
export function absorb(batch: Batch, arrived: readonly Arrived[]): Batch {
  if (arrived.length === 0) return batch;
  return {
    ...batch,
    chunks: [...batch.chunks, ...arrived.map(({ rows }) => rows)],
    rejected: arrived.reduce((sum, { refused }) => sum + refused, batch.rejected),
  };
}

/** After a change from outside: over, at rest, or, unless nothing may start, with a turn at once. The caller sends it. */
function goOn(batch: Batch, nowMs: number): Batch {
  const over = batch.open.length === 0 ? ended(batch, undefined, nowMs) : undefined;
  if (over !== undefined) return over;
  return batch.status === 'paused' && !batch.cancelRequested ? batch : wake(batch, nowMs);
}

/** A turn of its own, at once: the caller sends it. */
function wake(batch: Batch, nowMs: number): Batch {
  return next(batch, nowMs, '', 0, 0);
}

function next(batch: Batch, nowMs: number, msg: string, idle: number, delaySeconds: number): Batch {
  const delayMs = delaySeconds * 1000;
  return {
    ...batch,
    turn: batch.turn + 1,
    from: msg,
    idle,
    nudges: 0,
    notBeforeMs: delayMs === 0 ? 0 : nowMs + delayMs,
    dueAtMs: dueTime(batch.dueAtMs, nowMs + delayMs + DUE_AFTER_MS, nowMs),
  };
}

const LONGEST_IDLE_SECONDS = 30;
/** How often a batch at rest is looked at. */
const REST_MS = 900_000;

function turn(before: Batch, event: Extract<BatchEvent, { type: 'turned' }>): Batch {
  const { observed, admission } = event;
  const batch = absorb(before, event.arrived);
  const counts = { ...batch.counts };
  let spent = batch.spent;
  for (const outcome of observed.ended.values()) {
    counts[outcome.status] += 1;
    spent += outcome.cost;
  }
  const added = admission.ceilings.map((ceiling, at) => ({ ordinal: batch.cursor + at, ceiling, grant: 0 }));
  const left = batch.open.filter((row) => !observed.ended.has(row.ordinal));
  const after: Batch = {
    ...batch,
    counts,
    spent,
    open: [...left, ...added],
    cursor: batch.cursor + added.length,
  };
  if (after.open.length === 0) {
    const over = ended(after, admission.stop, event.nowMs);
    if (over !== undefined) return over;
  }
  const { untilMs } = event;
  if (after.open.length === 0 && untilMs !== undefined) {
    // Other jobs of the tenant give back what they did not spend as they end.
    const idle = batch.idle + 1;
    const most = Math.max(1, Math.ceil((untilMs - event.nowMs) / 1000));
    return next(after, event.nowMs, event.msg, idle, Math.min(most, 15 * 2 ** idle, MAX_DELAY_SECONDS));
  }
  const changed = observed.ended.size > 0 || added.length > 0;
  const idle = changed ? 0 : batch.idle + 1;
  const waits = left.length > 0 && left.length === observed.waiting && added.length === 0;
  if (waits) return next(after, event.nowMs, event.msg, idle, Math.min(2 ** idle, LONGEST_IDLE_SECONDS));
  // At once while rows end and others wait for their places: each such turn has seen a row end, so there are not many.
  const full = observed.ended.size > 0 && added.length > 0 && after.cursor < rowsOf(after);
  return next(after, event.nowMs, event.msg, idle, full ? 0 : 1);
}

/** A batch with nothing open is over, at rest until rows are added, or paused; otherwise it goes on. */
function ended(batch: Batch, stop: Stop | undefined, nowMs: number): Batch | undefined {
  const rest = rowsOf(batch) - batch.cursor;
  if (batch.cancelRequested) {
    const counts = { ...batch.counts, cancelled: batch.counts.cancelled + rest };
    const over = { ...batch, counts, cursor: rowsOf(batch), stop: undefined };
    return { ...over, status: 'cancelled', dueAtMs: 0, notBeforeMs: 0 };
  }
  if (rest === 0 && !batch.accepting) {
    return { ...batch, status: 'done', stop: undefined, dueAtMs: 0, notBeforeMs: 0 };
  }
  if (isResting(batch)) {
    const turned = { ...batch, turn: batch.turn + 1, from: '', idle: 0, nudges: 0 };
    return { ...turned, notBeforeMs: 0, dueAtMs: nowMs + REST_MS };
  }
  // A batch that is paused turns on while jobs of its are open.
  if (stop !== undefined || batch.status === 'paused')
    return { ...batch, status: 'paused', stop: stop ?? batch.stop, dueAtMs: 0, notBeforeMs: 0 };
  return undefined;
}
