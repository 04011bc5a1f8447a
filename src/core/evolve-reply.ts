import { DUE_AFTER_MS, dueTime, type Job, type LastReply, type Pending } from './job.ts';
import { adopt, settle } from './ledger.ts';
import type { MessageItem } from './message-item.ts';
import { MESSAGE_TOKENS } from './quote.ts';
import type { ReplyReading } from './read-reply.ts';
import { firstEnding, replyRules } from './stop-rules.ts';
import { end, goOn, nextTurn } from './transitions.ts';

/** A reply whose item is durable. `adopted`: a dead attempt made it, and its reserve had become unsettled. */
export interface Replied {
  readonly type: 'replied';
  readonly nowMs: number;
  readonly msg: string;
  readonly item: MessageItem;
  readonly reading: ReplyReading;
  readonly hash: string;
  readonly adopted: boolean;
  /** Others are told when the job waits: somebody looks soon whether they were. @default a webhook is */
  readonly told?: boolean;
}

/** Books a reply and says what the job becomes: ended, waiting for a person, or queued again. */
export function bookReply(before: Job, event: Replied): Job {
  const job = book(before, event);
  const how = firstEnding(replyRules, { before, job, reading: event.reading, item: event.item });
  if (how !== undefined) return end(job, how);
  if (job.pending?.states.includes('W') === true) {
    return {
      ...nextTurn(job, event.msg),
      status: { type: 'awaiting_approval' },
      dueAtMs: waitDue(job, job.pending.expiresAtMs, event),
    };
  }
  return goOn(job, event, 0);
}

/** When somebody must look at a job that begins to wait: at its expiry, or soon once where others are told of it. */
export function waitDue(
  { webhook, dueAtMs }: Pick<Job, 'webhook' | 'dueAtMs'>,
  expiresAtMs: number,
  { nowMs, told = webhook }: { readonly nowMs: number; readonly told?: boolean },
): number {
  return dueTime(dueAtMs, told ? Math.min(nowMs + DUE_AFTER_MS, expiresAtMs) : expiresAtMs, nowMs);
}

function book(job: Job, { item, reading, hash, adopted, nowMs }: Replied): Job {
  const count = job.count + 1;
  // A reply that does not say what it used counts as its bounds: as nothing, the token budget would never end.
  const [input, output, cacheWrite, cacheRead] = item.usage ?? [...item.bound, 0, 0];
  const ledger = adopted ? adopt(job.ledger, item.cost, item.reserved) : settle(job.ledger, item.cost);
  return {
    ...job,
    ledger,
    // Attempts after the one whose reply was adopted are told with the next step.
    lost: adopted ? job.lost.slice((item.lost?.length ?? 0) + 1) : [],
    count,
    steps: job.steps + 1,
    attempts: 0,
    waits: 0,
    observed: false,
    notBeforeMs: 0,
    failures: failures(job, item, reading),
    lastReply: lastReply(reading),
    pending: pendingOf(reading, item, count, nowMs),
    usage: {
      input: job.usage.input + input,
      output: job.usage.output + output,
      cacheWrite: job.usage.cacheWrite + cacheWrite,
      cacheRead: job.usage.cacheRead + cacheRead,
    },
    savedByCacheMicroUsd: job.savedByCacheMicroUsd + item.saved,
    promptBound: promptBound(item, reading.kept),
    textAt: reading.hasText ? count : job.textAt,
    needsReview: job.needsReview || item.review || reading.lowConfidence || item.cost > item.reserved,
    transcriptHash: hash,
  };
}

/** A step counts as failed once, whether a tool failed in it or its reply could not be used. */
function failures(job: Job, item: MessageItem, reading: ReplyReading): number {
  const unusable = reading.kind === 'cut' || reading.kind === 'unusable';
  if (item.tools === 'failed' || unusable) return job.failures + 1;
  return item.tools === 'ok' ? 0 : job.failures;
}

export function lastReply(reading: ReplyReading): LastReply {
  if (reading.kind === 'cut') return 'cut';
  return reading.kind === 'missing' || reading.kind === 'invalid_answer' ? 'bad' : 'ok';
}

function pendingOf(
  reading: ReplyReading,
  item: MessageItem,
  count: number,
  nowMs: number,
): Pending | undefined {
  if (reading.states === '' || reading.kind === 'answer') return undefined;
  const waits = reading.states.includes('W');
  return {
    item: count,
    born: item.born,
    states: reading.states,
    sinceMs: nowMs,
    expiresAtMs: waits ? nowMs + reading.expiresInSeconds * 1000 : 0,
    decidedAtMs: 0,
  };
}

/** Prompt and, where it is kept, reply, as an upper bound on tokens: both are in the next prompt. Without usage the bounds that were reserved stand. */
export function promptBound(item: MessageItem, kept: boolean): number {
  const [input, output, cacheWrite, cacheRead] = item.usage ?? [...item.bound, 0, 0];
  return input + cacheWrite + cacheRead + (kept ? output + MESSAGE_TOKENS : 0);
}
