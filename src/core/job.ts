import type { AgentLimits } from './agent.ts';

/** A worker's right to one step, until a time. */
export interface Lease {
  readonly untilMs: number;
  /** The random token of one attempt. */
  readonly owner: string;
  /** The id of the queue message that is being handled. */
  readonly msg: string;
}

export type StoppedReason =
  | 'max_steps'
  | 'cost_ceiling'
  | 'token_budget'
  | 'consecutive_failures'
  | 'deadline'
  | 'pool_exhausted'
  | 'max_output_tokens'
  | 'context_window'
  | 'refusal'
  | 'approval_expired';
export type FailedReason =
  | 'invalid_output'
  | 'rejected_request'
  | 'model_unavailable'
  | 'configuration'
  | 'internal';
export type StopReason = 'completed' | 'cancelled' | StoppedReason | FailedReason;

/** Why a job ended. `detail` holds figures and names, at most 120 UTF-8 bytes, never ticket text. */
export interface Stop {
  readonly reason: StopReason;
  readonly detail: string;
}

export type EndedType = 'succeeded' | 'stopped' | 'failed' | 'cancelled';

export type Status =
  | { readonly type: 'queued' }
  | { readonly type: 'running'; readonly lease: Lease }
  | { readonly type: 'awaiting_approval' }
  | { readonly type: EndedType; readonly stop: Stop };

/**
 * The calls of the last reply that have not been run. `states` has one character per call: `R` run, `W` waiting for
 * a person, `A` approved, `D` denied, `X` expired, `V` the valid answer that other calls stand beside.
 */
export interface Pending {
  /** The step item that holds the reply. */
  readonly item: number;
  /** The fence under which the reply was born: with the place of a call it names the call for ever. */
  readonly born: number;
  readonly states: string;
  readonly sinceMs: number;
  /** The earliest expiry among the waiting calls; 0 when none waits. */
  readonly expiresAtMs: number;
  readonly decidedAtMs: number;
}

/** Whole micro-dollars. settled + reserved + unsettled <= ceiling, always (a reply dearer than its bound apart). */
export interface Ledger {
  readonly ceiling: number;
  readonly settled: number;
  readonly reserved: number;
  readonly unsettled: number;
}

export interface JobUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
}

export interface JobLimits {
  readonly maxSteps: number;
  readonly maxTokens: number;
  readonly maxConsecutiveFailures: number;
  readonly timeoutSeconds: number;
}

/** `ok`, `cut` by the output limit, or `bad`: the answer was missing or invalid. */
export type LastReply = 'ok' | 'cut' | 'bad';

/** What the totals of the job's tenant hold of it: written only by the reconciler, together with the totals. */
export interface Counted {
  /** The page of the tenant's totals that brought it there; 0 before the first. */
  readonly page: number;
  readonly steps: number;
  /** Micro-dollars. */
  readonly settled: number;
  readonly unsettled: number;
  /** Micro-dollars that were given back to the pool of the day in `dayPool`. */
  readonly returned: number;
}

/** The money that a job took out of its tenant's pool of one day. */
export interface DayPool {
  /** Days since 1970 in UTC. */
  readonly day: number;
  /** Micro-dollars taken on that day. */
  readonly taken: number;
  /** Micro-dollars that the job had been charged before it took any on that day. */
  readonly before: number;
}

/** The head of a job: only what changes from step to step. */
export interface Job {
  readonly id: string;
  readonly tenant: string;
  readonly agent: string;
  /** The batch whose row it is; empty for a job of its own. */
  readonly batchId: string;
  /** Its submission named a webhook that is told how it goes. */
  readonly webhook: boolean;
  readonly status: Status;
  /** Fences queue messages; raised by every commit that sends one. */
  readonly turn: number;
  /** Raised by every write of the head. */
  readonly version: number;
  /** Only grows; a writer with an older one loses. */
  readonly fence: number;
  /** The mark of the last worker commit, and of the last API commit: neither touches the other's. */
  readonly by: string;
  readonly apiBy: string;
  /** The message whose handling raised the turn; it alone may send the follow-up again. */
  readonly from: string;
  readonly claimed: boolean;
  readonly attempts: number;
  readonly waits: number;
  /** Times the reconciler has sent this turn again. */
  readonly nudges: number;
  readonly notBeforeMs: number;
  /** When somebody must look at the job; 0 once nobody needs to. */
  readonly dueAtMs: number;
  /** Message items committed, the input among them. */
  readonly count: number;
  readonly steps: number;
  readonly failures: number;
  readonly lastReply: LastReply;
  /** The last item holds results that no reply has read yet. */
  readonly observed: boolean;
  readonly cancelRequested: boolean;
  readonly pending: Pending | undefined;
  readonly ledger: Ledger;
  /** Micro-dollars that each attempt of unknown outcome left unsettled since the last reply; the oldest first. */
  readonly lost: readonly number[];
  readonly limits: JobLimits;
  readonly deadlineMs: number;
  readonly usage: JobUsage;
  readonly savedByCacheMicroUsd: number;
  /** An upper bound on the tokens of the committed transcript with system and tools. */
  readonly promptBound: number;
  /** The item with the last text of the model; 0 for none. */
  readonly textAt: number;
  readonly needsReview: boolean;
  /** The ceiling is what a batch's pool had left: running out of it is the pool's end. */
  readonly poolCut: boolean;
  readonly transcriptHash: string;
  readonly counted: Counted;
  readonly dayPool: DayPool | undefined;
  /** Transcript, input and results are gone. */
  readonly deleted: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When it ended; 0 while it is live. */
  readonly endedAtMs: number;
}

/** What is fixed when a job is created. */
export interface NewJob {
  readonly id: string;
  readonly tenant: string;
  readonly agent: string;
  readonly limits: JobLimits;
  readonly ceilingMicroUsd: number;
  readonly poolCut: boolean;
  readonly promptBound: number;
  readonly transcriptHash: string;
  readonly nowMs: number;
  /** @default none */
  readonly batchId?: string;
  /** @default false */
  readonly webhook?: boolean;
  /** What was taken for it out of the tenant's pool of a day. @default none, without a pool */
  readonly dayTake?: { readonly day: number; readonly amount: number } | undefined;
}

/** What nothing has been counted of. */
export const uncounted: Counted = { page: 0, steps: 0, settled: 0, unsettled: 0, returned: 0 };

const DAY_MS = 86_400_000;

/** Days since 1970 in UTC. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** A live job whose message was lost is looked at this long after it was needed. */
export const DUE_AFTER_MS = 30_000;
/** How much later than needed a due time may stand before a commit moves it: a move costs two more write units. */
export const DUE_SLACK_MS = 120_000;
const DUE_SPARE_MS = 60_000;

/** The due time for something needed at `neededMs`: the one that stands, if it is neither too early nor too late. */
export function dueTime(standing: number, neededMs: number, nowMs: number): number {
  const fits = standing >= nowMs + DUE_AFTER_MS && standing <= neededMs + DUE_SLACK_MS;
  return fits ? standing : neededMs + DUE_SPARE_MS;
}

export function newJob(from: NewJob): Job {
  return {
    id: from.id,
    tenant: from.tenant,
    agent: from.agent,
    batchId: from.batchId ?? '',
    webhook: from.webhook ?? false,
    status: { type: 'queued' },
    turn: 1,
    version: 1,
    fence: 0,
    by: '',
    apiBy: '',
    from: '',
    claimed: false,
    attempts: 0,
    waits: 0,
    nudges: 0,
    notBeforeMs: 0,
    dueAtMs: dueTime(0, from.nowMs + DUE_AFTER_MS, from.nowMs),
    count: 1,
    steps: 0,
    failures: 0,
    lastReply: 'ok',
    observed: false,
    cancelRequested: false,
    pending: undefined,
    ledger: { ceiling: from.ceilingMicroUsd, settled: 0, reserved: 0, unsettled: 0 },
    lost: [],
    limits: from.limits,
    deadlineMs: from.nowMs + from.limits.timeoutSeconds * 1000,
    usage: { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 },
    savedByCacheMicroUsd: 0,
    promptBound: from.promptBound,
    textAt: 0,
    needsReview: false,
    poolCut: from.poolCut,
    transcriptHash: from.transcriptHash,
    counted: uncounted,
    dayPool: from.dayTake && { day: from.dayTake.day, taken: from.dayTake.amount, before: 0 },
    deleted: false,
    createdAtMs: from.nowMs,
    updatedAtMs: from.nowMs,
    endedAtMs: 0,
  };
}

/** The limits of a job that takes its agent's, lowered by `lower`. */
export function jobLimits(limits: AgentLimits): JobLimits {
  const { maxSteps, maxTokens, maxConsecutiveFailures, timeoutSeconds } = limits;
  return { maxSteps, maxTokens, maxConsecutiveFailures, timeoutSeconds };
}

export function isEnded(
  job: Job,
): job is Job & { readonly status: { readonly type: EndedType; readonly stop: Stop } } {
  const { type } = job.status;
  return type === 'succeeded' || type === 'stopped' || type === 'failed' || type === 'cancelled';
}

export function stopOf(job: Job): Stop | undefined {
  return isEnded(job) ? job.status.stop : undefined;
}

/** Micro-dollars to whole dollars and back are exact to the micro-dollar. */
export function microUsd(dollars: number): number {
  return Math.round(dollars * 1_000_000);
}

export function usd(micro: number): number {
  return micro / 1_000_000;
}
