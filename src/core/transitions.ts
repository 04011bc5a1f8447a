import { MAX_DELAY_SECONDS } from './decide.ts';
import { DUE_AFTER_MS, dueTime, type Job } from './job.ts';
import { unsettle } from './ledger.ts';
import { type Ending, ending } from './stop-rules.ts';

export type At = { readonly nowMs: number };
/** `msg` is the id of the queue message being handled; empty for the API and the reconciler. */
export type ByMessage = At & { readonly msg: string };

/**
 * Ends a job: whatever was still reserved may have been billed, so it stays charged. A job that was told to be cancelled
 * ends cancelled and in no other way, whatever else would end it at the same moment.
 */
export function end(job: Job, how: Ending): Job {
  const status = job.cancelRequested ? ending('cancelled') : how;
  return { ...loseRequest(job), status, dueAtMs: 0, notBeforeMs: 0 };
}

/** Attempts of one step that are told apart: more than can be without a person who lets the job go on again and again. */
const MAX_LOST = 50;

/** The outcome of the request in flight is unknown: what is held for it stays charged, and is remembered for its step. */
export function loseRequest(job: Job): Job {
  const { reserved } = job.ledger;
  if (reserved === 0) return job;
  const lost =
    job.lost.length < MAX_LOST
      ? [...job.lost, reserved]
      : job.lost.with(-1, reserved + (job.lost.at(-1) ?? 0));
  return { ...job, ledger: unsettle(job.ledger), lost };
}

/** A new turn, which nobody has claimed; `msg` alone may send it again. */
export function nextTurn(job: Job, msg: string): Job {
  return { ...job, turn: job.turn + 1, from: msg, claimed: false, nudges: 0 };
}

/** Back to the queue under a new turn, which makes every older message stale. */
export function goOn(job: Job, event: ByMessage, delayMs: number): Job {
  const notBeforeMs = delayMs === 0 ? 0 : event.nowMs + delayMs;
  const woken = delayMs > MAX_DELAY_SECONDS * 1000;
  const neededMs = event.nowMs + delayMs + (woken ? 0 : DUE_AFTER_MS);
  return {
    ...nextTurn(job, event.msg),
    status: { type: 'queued' },
    notBeforeMs,
    dueAtMs: woken ? neededMs : dueTime(job.dueAtMs, neededMs, event.nowMs),
  };
}
