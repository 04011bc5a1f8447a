import type { Job } from './job.ts';

/** Clocks of workers may differ by this much before a lease counts as lapsed. */
export const LAPSE_GRACE_MS = 2_000;
/** The longest delay a queue message can have. A longer wait sends nothing; the due index wakes it. */
export const MAX_DELAY_SECONDS = 900;

/** What to do with a message for a job. */
export type Decision =
  /** Nothing is left to do: the message may go. */
  | { readonly type: 'done' }
  /** Not ours to judge: let the queue deliver it again. */
  | { readonly type: 'leave' }
  /** The holder's own message is the safety net of its lease: keep it hidden until then. */
  | { readonly type: 'hide'; readonly untilMs: number }
  /** Send the current turn (once its wait allows), then the message may go. */
  | { readonly type: 'send'; readonly delaySeconds: number | undefined }
  | { readonly type: 'claim'; readonly lapsed: boolean };

const done: Decision = { type: 'done' };

/** The message that has come: its turn and its id in the queue. */
export interface Arrival {
  readonly turn: number;
  readonly id: string;
}

/** What must be sent so that the current turn is handled; undefined where the reconciler will wake it. */
export function restOfDelay(notBeforeMs: number, nowMs: number): number | undefined {
  const seconds = Math.max(0, Math.ceil((notBeforeMs - nowMs) / 1000));
  return seconds > MAX_DELAY_SECONDS ? undefined : seconds;
}

/** Says what to do next with a message. Pure: the head, the message and the time decide. */
export function decide(job: Job | undefined, arrival: Arrival, nowMs: number): Decision {
  if (job === undefined) return done;
  const { status } = job;
  switch (status.type) {
    case 'queued':
      return decideReady(job, arrival, nowMs);
    case 'running':
      if (arrival.turn > job.turn) return { type: 'leave' };
      if (arrival.turn < job.turn) return done;
      if (status.lease.untilMs < nowMs - LAPSE_GRACE_MS) return { type: 'claim', lapsed: true };
      // Leaving duplicates of a held step in the queue would burn receives until a live message is dead-lettered.
      return status.lease.msg === arrival.id
        ? { type: 'hide', untilMs: status.lease.untilMs + LAPSE_GRACE_MS + 1_000 }
        : done;
    case 'awaiting_approval':
      return arrival.turn > job.turn ? { type: 'leave' } : done;
    case 'succeeded':
    case 'stopped':
    case 'failed':
    case 'cancelled':
      return done;
    default:
      return status satisfies never;
  }
}

function decideReady(job: Job, arrival: Arrival, nowMs: number): Decision {
  if (arrival.turn > job.turn) return { type: 'leave' };
  if (arrival.turn === job.turn && nowMs >= job.notBeforeMs) return { type: 'claim', lapsed: false };
  // Only the message that made the commit may send its follow-up again: otherwise every duplicate breeds another.
  const mine = arrival.turn === job.turn || (job.from === arrival.id && !job.claimed);
  return mine ? { type: 'send', delaySeconds: restOfDelay(job.notBeforeMs, nowMs) } : done;
}
