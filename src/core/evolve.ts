import type { Letter } from './approvals.ts';
import { MAX_DELAY_SECONDS } from './decide.ts';
import { again, type Deleted, type Fenced, type FollowedUp, type Retried, remove } from './evolve-ended.ts';
import { bookReply, type Replied } from './evolve-reply.ts';
import { DUE_AFTER_MS, dueTime, isEnded, type Job, type Lease, type Pending } from './job.ts';
import { release, reserve } from './ledger.ts';
import type { MessageItem } from './message-item.ts';
import { allStepsUsed, cannotPay, claimRules, ending, firstEnding, pastDeadline } from './stop-rules.ts';
import type { DayTake, PageEntry } from './tenant.ts';
import { type At, type ByMessage, end, goOn, loseRequest } from './transitions.ts';

/** Results that were put as an item of their own, because no reply came to read them in this step. */
export interface StepResults {
  readonly item: MessageItem;
  readonly hash: string;
  /** Upper bound on the tokens of the item. */
  readonly tokens: number;
}

/** Everything that can happen to a job. HTTP, workers and the reconciler all go through these. */
export type JobEvent =
  /** A worker takes one step. `hold` is the reserve, 0 when it follows after the tools; `tooDear` when nothing fits. */
  | (At & {
      readonly type: 'claimed';
      readonly lease: Lease;
      readonly hold: number;
      readonly tooDear: number | undefined;
    })
  /** The exact reserve, once the results are known. */
  | (At & { readonly type: 'reserved'; readonly amount: number })
  | Replied
  /** The calls beside a valid answer have run: the answer ends the job, or has to be given again. */
  | (ByMessage & { readonly type: 'answered'; readonly accepted: boolean; readonly results: StepResults })
  /** The model could not be asked now. `billed: 'no'` is proven; otherwise the reserve stays charged. */
  | (ByMessage & {
      readonly type: 'model_unavailable';
      readonly billed: 'no' | 'unknown';
      readonly delayMs: number;
      readonly problem: string;
      readonly results: StepResults | undefined;
    })
  /** Too little of the invocation is left, or the tools were halted by a cancel. No request is under way. */
  | (ByMessage & { readonly type: 'out_of_time'; readonly results: StepResults | undefined })
  /** The results make the next call too dear. */
  | (ByMessage & {
      readonly type: 'unaffordable';
      readonly needed: number;
      readonly results: StepResults | undefined;
    })
  /** The provider will never answer this request: a complete error, not billed. */
  | (ByMessage & {
      readonly type: 'model_refused';
      readonly reason: 'configuration' | 'rejected_request';
      readonly problem: string;
      readonly results: StepResults | undefined;
    })
  /** This worker can never carry the job on: its agent or model is unknown here. */
  | (At & { readonly type: 'given_up'; readonly problem: string })
  | (At & { readonly type: 'cancel_requested' })
  /** One waiting call is decided; `expiresAtMs` is the earliest expiry among those that still wait, 0 for none. */
  | (At & {
      readonly type: 'approval_decided';
      readonly place: number;
      readonly letter: Extract<Letter, 'A' | 'D'>;
      readonly expiresAtMs: number;
    })
  /** Nobody decided in time: these states, and the job ends if one of the tools asks for that. */
  | (At & {
      readonly type: 'approval_expired';
      readonly states: string;
      readonly expiresAtMs: number;
      readonly stopBy: string | undefined;
    })
  | (At & {
      readonly type: 'extended';
      readonly addMicroUsd: number;
      readonly addSteps: number;
      readonly addTokens: number;
      readonly addSeconds: number;
      /** The new expiry of calls that nobody has decided; 0 for none. */
      readonly expiresAtMs: number;
      /** Others are told when the job waits. @default a webhook is */
      readonly told?: boolean;
      /** What was taken for it out of the tenant's pool of the day, where there is one. */
      readonly dayTake?: DayTake | undefined;
    })
  | Retried
  | Fenced
  | FollowedUp
  | Deleted
  | (At & { readonly type: 'deadline_passed' })
  /** The totals of the tenant have it as it was when a page of them was begun. */
  | (At & { readonly type: 'counted'; readonly page: number; readonly entry: PageEntry })
  /** The reconciler sends the same turn again, less and less often. */
  | (At & { readonly type: 'nudged' })
  | (At & { readonly type: 'due_moved'; readonly dueAtMs: number })
  /** The holder is proven dead. */
  | (At & { readonly type: 'lease_lapsed' });

/** What the job becomes. Pure. The caller decided that the event may happen in this state. */
export function evolve(job: Job, event: JobEvent): Job {
  const next = apply(job, event);
  const version = job.version + 1;
  if (!isEnded(next)) return { ...next, version, updatedAtMs: event.nowMs, endedAtMs: 0 };
  if (isEnded(job)) return { ...next, version, updatedAtMs: event.nowMs };
  // It is due once more: its cost has to be counted, and others told of its end.
  const dueAtMs = dueTime(job.dueAtMs, event.nowMs + DUE_AFTER_MS, event.nowMs);
  return { ...next, version, updatedAtMs: event.nowMs, endedAtMs: event.nowMs, dueAtMs };
}

function apply(job: Job, event: JobEvent): Job {
  switch (event.type) {
    case 'claimed':
      return claim(job, event);
    case 'reserved':
      return { ...job, ledger: reserve(job.ledger, event.amount) };
    case 'replied':
      return bookReply(job, event);
    case 'answered':
      return answer(job, event);
    case 'model_unavailable':
      return wait(job, event);
    case 'out_of_time':
      return outOfTime(job, event);
    case 'unaffordable': {
      const left = withResults({ ...job, ledger: release(job.ledger) }, event.results);
      return end(left, cannotPay(left, event.needed));
    }
    case 'model_refused': {
      const left = withResults({ ...job, ledger: release(job.ledger) }, event.results);
      return end(left, ending(event.reason, event.problem));
    }
    case 'given_up':
      return end(job, ending('configuration', event.problem));
    case 'cancel_requested':
      return cancel(job, event.nowMs);
    case 'approval_decided':
      return decideCall(job, event);
    case 'approval_expired':
      return expire(job, event);
    case 'extended':
      return extend(job, event);
    case 'retried':
      return again({ ...job, ...event.start, deadlineMs: freshDeadline(job, event.nowMs) }, event);
    case 'fenced':
      return { ...job, fence: job.fence + 1 };
    case 'followed_up': {
      const deadlineMs = freshDeadline(job, event.nowMs);
      const told = { ...withResults(job, event.results), lastReply: 'ok', deadlineMs } as const;
      return again(told, { ...event, expiresAtMs: 0 });
    }
    case 'deleted':
      return remove(job, event.nowMs);
    case 'deadline_passed':
      return end(job, pastDeadline(job, event.nowMs) ?? ending('deadline'));
    case 'nudged':
      return {
        ...job,
        nudges: job.nudges + 1,
        dueAtMs: event.nowMs + Math.min(DUE_AFTER_MS * 2 ** job.nudges, MAX_DELAY_SECONDS * 1000),
      };
    case 'due_moved':
      return { ...job, dueAtMs: event.dueAtMs };
    case 'counted':
      return count(job, event);
    case 'lease_lapsed':
      return job.status.type === 'running'
        ? { ...job, status: { type: 'running', lease: { ...job.status.lease, untilMs: 0 } } }
        : job;
    default:
      return event satisfies never;
  }
}

type Of<Type extends JobEvent['type']> = Extract<JobEvent, { readonly type: Type }>;

function withResults(job: Job, results: StepResults | undefined): Job {
  if (results === undefined) return job;
  return {
    ...job,
    count: job.count + 1,
    observed: true,
    pending: undefined,
    needsReview: job.needsReview || results.item.review,
    transcriptHash: results.hash,
    promptBound: job.promptBound + results.tokens,
  };
}

function claim(job: Job, event: Of<'claimed'>): Job {
  const lapsed = job.status.type === 'running';
  const settled = lapsed ? loseRequest(job) : job;
  const how = firstEnding(claimRules, { job: settled, nowMs: event.nowMs, lapsed, tooDear: event.tooDear });
  if (how !== undefined) return end(settled, how);
  const leaseEndMs = event.lease.untilMs;
  return {
    ...settled,
    status: { type: 'running', lease: event.lease },
    fence: job.fence + 1,
    claimed: true,
    attempts: job.attempts + 1,
    nudges: 0,
    ledger: reserve(settled.ledger, event.hold),
    dueAtMs: dueTime(job.dueAtMs, leaseEndMs, event.nowMs),
  };
}

function answer(job: Job, event: Of<'answered'>): Job {
  const states = job.pending?.states;
  const left = withResults({ ...job, ledger: release(job.ledger), attempts: 0, waits: 0 }, event.results);
  if (event.accepted && states !== undefined) return end({ ...left, observed: false }, ending('completed'));
  return end(left, allStepsUsed(left));
}

function outOfTime(job: Job, event: Of<'out_of_time'>): Job {
  const released: Job = { ...job, ledger: release(job.ledger) };
  const left =
    event.results === undefined ? released : { ...withResults(released, event.results), attempts: 0 };
  return left.cancelRequested ? end(left, ending('cancelled')) : goOn(left, event, 0);
}

/** Tries of one step in a row before the model counts as unavailable. */
export const MAX_WAITS = 40;

function wait(job: Job, event: Of<'model_unavailable'>): Job {
  const freed = event.billed === 'no' ? { ...job, ledger: release(job.ledger) } : loseRequest(job);
  const left = withResults({ ...freed, attempts: 0, waits: job.waits + 1 }, event.results);
  if (left.cancelRequested) return end(left, ending('cancelled'));
  if (left.waits >= MAX_WAITS) return end(left, ending('model_unavailable', event.problem));
  return goOn(left, event, event.delayMs);
}

function cancel(job: Job, nowMs: number): Job {
  if (job.status.type !== 'running') return end({ ...job, cancelRequested: true }, ending('cancelled'));
  const dueAtMs = Math.min(job.dueAtMs, Math.max(nowMs, job.status.lease.untilMs));
  return { ...job, cancelRequested: true, dueAtMs };
}

function resume(job: Job, pending: Pending, nowMs: number): Job {
  // The clock stood still while a person was asked.
  const deadlineMs = job.deadlineMs + (nowMs - pending.sinceMs);
  return goOn({ ...job, pending, deadlineMs }, { nowMs, msg: '' }, 0);
}

function decideCall(job: Job, event: Of<'approval_decided'>): Job {
  if (job.pending === undefined) return job;
  const { states } = job.pending;
  const pending: Pending = {
    ...job.pending,
    states: states.slice(0, event.place) + event.letter + states.slice(event.place + 1),
    expiresAtMs: event.expiresAtMs,
    decidedAtMs: event.nowMs,
  };
  return pending.states.includes('W')
    ? { ...job, pending, dueAtMs: dueTime(job.dueAtMs, event.expiresAtMs, event.nowMs) }
    : resume(job, pending, event.nowMs);
}

function expire(job: Job, event: Of<'approval_expired'>): Job {
  if (job.pending === undefined) return job;
  const pending: Pending = { ...job.pending, states: event.states, expiresAtMs: event.expiresAtMs };
  if (event.stopBy !== undefined) return end({ ...job, pending }, ending('approval_expired', event.stopBy));
  return pending.states.includes('W')
    ? { ...job, pending, dueAtMs: event.expiresAtMs }
    : resume(job, pending, event.nowMs);
}

/** A job that has changed meanwhile keeps its due time: what is new of it has to be counted once it has ended. */
function count(job: Job, { page, entry }: Of<'counted'>): Job {
  const { steps, settled, unsettled } = entry;
  // An extension may have come between, with money of another day: of that, nothing has been given back.
  const returned = job.dayPool?.day === entry.poolDay ? entry.returned : job.counted.returned;
  const dueAtMs = job.version === entry.version ? 0 : job.dueAtMs;
  return { ...job, dueAtMs, counted: { page, steps, settled, unsettled, returned } };
}

function extend(job: Job, event: Of<'extended'>): Job {
  const { limits, ledger } = job;
  const idleMs = event.nowMs - job.endedAtMs;
  const deadlineMs =
    Math.max(job.deadlineMs + idleMs, event.addSeconds > 0 ? event.nowMs : 0) + event.addSeconds * 1000;
  const more: Job = {
    ...job,
    poolCut: job.poolCut && event.addMicroUsd === 0,
    deadlineMs,
    ledger: { ...ledger, ceiling: ledger.ceiling + event.addMicroUsd },
    limits: {
      ...limits,
      maxSteps: limits.maxSteps + event.addSteps,
      maxTokens: limits.maxTokens + event.addTokens,
      timeoutSeconds: limits.timeoutSeconds + event.addSeconds,
    },
  };
  return again(more, event);
}

/** The clock of a job starts anew when a person sets it going again. */
function freshDeadline(job: Job, nowMs: number): number {
  return nowMs + job.limits.timeoutSeconds * 1000;
}
