import type { StepResults } from './evolve.ts';
import { waitDue } from './evolve-reply.ts';
import type { Job, Pending } from './job.ts';
import { type DayTake, withDayTake } from './tenant.ts';
import { type At, goOn } from './transitions.ts';

/** Where a step starts: everything of a head that follows from the transcript before it. */
export type StepStart = Pick<
  Job,
  'count' | 'transcriptHash' | 'promptBound' | 'textAt' | 'lastReply' | 'observed' | 'pending'
>;

/** A person lets an ended job go on, in the step that did not commit or from the start of an earlier one. */
export type Retried = At & {
  readonly type: 'retried';
  readonly start: StepStart;
  /** The expiry of calls that nobody has decided; 0 for none. */
  readonly expiresAtMs: number;
  /** Others are told when the job waits. @default a webhook is */
  readonly told?: boolean;
  readonly dayTake?: DayTake | undefined;
};

/** The fence of an ended job goes up: its next item is the caller's, and an older writer's no more. */
export type Fenced = At & { readonly type: 'fenced' };

/** A user message was put as an item of its own, the results of open calls first: the job goes on with it. */
export type FollowedUp = At & {
  readonly type: 'followed_up';
  readonly results: StepResults;
  readonly dayTake?: DayTake | undefined;
};

/** An ended job is to lose its transcript, input and results. */
export type Deleted = At & { readonly type: 'deleted' };

/** Longer than any invocation lives: after this no sleeping worker writes any more. */
const LAST_WRITE_MS = 20 * 60_000;

/**
 * The start of the step that did not commit. The last reply counts as a good one: what was wrong with it ended the job,
 * and the next one may be asked for again. Where expired approvals stopped the job, a person is asked anew.
 */
export function standingStart(job: Job): StepStart {
  const { count, transcriptHash, promptBound, textAt, observed } = job;
  const pending = approvalExpired(job) ? askedAnew(job.pending) : job.pending;
  return { count, transcriptHash, promptBound, textAt, observed, lastReply: 'ok', pending };
}

function approvalExpired(job: Job): boolean {
  return 'stop' in job.status && job.status.stop.reason === 'approval_expired';
}

function askedAnew(pending: Pending | undefined): Pending | undefined {
  return pending && { ...pending, states: pending.states.replaceAll('X', 'W') };
}

/** An ended job goes on: queued, or waiting where a call is undecided. Only what had run out of patience starts anew. */
export function again(
  job: Job,
  event: At & {
    readonly expiresAtMs: number;
    readonly told?: boolean;
    readonly dayTake?: DayTake | undefined;
  },
): Job {
  const { nowMs, expiresAtMs, told = job.webhook } = event;
  const fresh: Job = {
    ...withDayTake(job, event.dayTake),
    fence: job.fence + 1,
    attempts: 0,
    waits: 0,
    failures: 0,
    cancelRequested: false,
  };
  if (job.pending?.states.includes('W') !== true) return goOn(fresh, { nowMs, msg: '' }, 0);
  return {
    ...fresh,
    status: { type: 'awaiting_approval' },
    pending: { ...job.pending, sinceMs: nowMs, expiresAtMs },
    dueAtMs: told ? waitDue(job, expiresAtMs, event) : expiresAtMs,
  };
}

/** It is due once more when the last worker that may still write to it is dead, to be purged of what that one wrote. */
export function remove(job: Job, nowMs: number): Job {
  return { ...job, deleted: true, fence: job.fence + 1, dueAtMs: nowMs + LAST_WRITE_MS };
}
