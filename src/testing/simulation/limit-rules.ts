import type { HeadChange, HeadRule } from './head-rules.ts';
import { hasEnded } from './records.ts';

/** No step begins after the deadline, or before the model allows it; no reply that uses a limit up is followed by another. */
const holds = ({ watch, before, after, nowMs }: HeadChange): string | undefined => {
  if (before === undefined || hasEnded(after)) return undefined;
  if (after.state === 'r' && after.fence > before.fence) {
    if (after.updatedMs >= after.deadlineMs) return 'a step begins after the deadline';
    const earliestMs = Math.max(before.notBeforeMs, watch.retryAtMs);
    if (before.state === 'q' && nowMs < earliestMs)
      return `a step begins ${earliestMs - nowMs} ms before its time`;
  }
  if (after.steps === before.steps || after.pending?.states.includes('V') === true) return undefined;
  if (after.tokens >= after.maxTokens)
    return `goes on after ${after.tokens} tokens, the most is ${after.maxTokens}`;
  if (after.failures >= after.maxFailures)
    return `goes on after ${after.failures} failures, the most is ${after.maxFailures}`;
  return undefined;
};

/** A job is stopped by a limit only when it has reached it. */
const reached = ({ watch, before, after }: HeadChange): string | undefined => {
  if (before === undefined || hasEnded(before) || !hasEnded(after)) return undefined;
  switch (after.stop) {
    case 'deadline':
      return after.updatedMs < after.deadlineMs ? 'stopped before its deadline' : undefined;
    case 'token_budget':
      return after.tokens < after.maxTokens ? `stopped after ${after.tokens} tokens` : undefined;
    case 'consecutive_failures':
      return after.failures < after.maxFailures ? `stopped after ${after.failures} failures` : undefined;
    case 'cost_ceiling':
      return watch.poolCut ? 'stopped by its ceiling, and the pool was used up' : undefined;
    case 'pool_exhausted':
      return watch.poolCut ? undefined : 'stopped by the pool, and its ceiling was whole';
    default:
      return undefined;
  }
};

/** Replies that end a job, whatever else it has left: a refusal, a full window, and what went wrong twice in a row. */
const over = ({ before, after, read }: HeadChange): string | undefined => {
  if (before === undefined || after.steps === before.steps || hasEnded(after)) return undefined;
  const item = read(after.count);
  const stop = String(item?.['stop']);
  if (stop === 'max_tokens' && item?.['shrunk'] === true) return 'goes on after a reply that the ceiling cut';
  if (stop === 'refusal' || stop === 'model_context_window_exceeded') return `goes on after ${stop}`;
  const last = after.raw['lr'];
  return last !== undefined && last === before.raw['lr']
    ? `goes on after two replies in a row that were ${String(last)}`
    : undefined;
};

/** What only a reply changes: the last reply's kind, usage and savings, the place of the last text, the failures in a row. */
const byReply = ['lr', 'us', 'sv', 'ta', 'fa'] as const;

/** What a reply has set stands until the next one, and what calls for a person's look stands for ever. */
const stands = ({ before, after }: HeadChange): string | undefined => {
  if (before === undefined) return undefined;
  if (before.needsReview && !after.needsReview) return 'a job that needs a look needs none any more';
  if (after.steps > before.steps || hasEnded(before)) return undefined;
  if (before.raw['cr'] === true && after.raw['cr'] !== true) return 'a cancel is forgotten';
  const changed = byReply.find((name) => String(before.raw[name]) !== String(after.raw[name]));
  return changed === undefined ? undefined : `"${changed}" changed, and there was no reply`;
};

/** A job whose cancel is known ends by it; a step that could not ask leaves that to the next claim. */
const cancelled = ({ process, before, after }: HeadChange): string | undefined => {
  if (before?.raw['cr'] !== true || hasEnded(before) || after.state === 'c') return undefined;
  if (hasEnded(after)) return `a job that was to be cancelled ended with ${after.stop}`;
  const asked = process.fence === before.fence && process.request !== 'none';
  return after.fence > before.fence || (asked && after.state !== 'r')
    ? 'a job that is to be cancelled goes on'
    : undefined;
};

const granted = ['ceiling', 'maxSteps', 'maxTokens', 'maxFailures', 'seconds'] as const;

/** Limits are what the extensions that people asked for have made them, and an extension starts its counters anew. */
const raised = ({ process, before, after }: HeadChange): string | undefined => {
  if (before === undefined) return undefined;
  const extends_ = hasEnded(before) && !hasEnded(after);
  const adds = extends_ ? process.adds : undefined;
  const due = {
    ceiling: adds?.microUsd ?? 0,
    maxSteps: adds?.steps ?? 0,
    maxTokens: adds?.tokens ?? 0,
    maxFailures: 0,
    seconds: adds?.seconds ?? 0,
  };
  for (const name of granted) {
    if (after[name] !== before[name] + due[name])
      return `${process.actor} made ${name} ${after[name]} of ${before[name]}, ${due[name]} more was asked for`;
  }
  if (!extends_) return undefined;
  if (after.fence === before.fence) return 'an extension leaves the fence as it was';
  if (adds !== undefined && after.deadlineMs < after.updatedMs + adds.seconds * 1000)
    return 'an extension leaves less time than it added';
  if (after.pending?.states.includes('W') === true && after.pending.sinceMs !== after.updatedMs)
    return 'an extension leaves a person less time than the tool gives';
  const stale = ['at', 'wa', 'fa'].find((name) => after.raw[name] !== undefined);
  return stale === undefined ? undefined : `an extension leaves "${stale}" at ${String(after.raw[stale])}`;
};

/** The clock of a job stands still while a person is asked, and at no other time. */
const clock = ({ before, after }: HeadChange): string | undefined => {
  if (before === undefined || hasEnded(before)) return undefined;
  const still = before.state === 'w' && after.state !== 'w' && !hasEnded(after);
  const stoodMs = still ? after.updatedMs - (before.pending?.sinceMs ?? 0) : 0;
  return after.deadlineMs === before.deadlineMs + stoodMs
    ? undefined
    : `the deadline moved by ${after.deadlineMs - before.deadlineMs} ms, the clock stood still for ${stoodMs}`;
};

/** Only a request that may have been billed is charged without a reply. */
const unbilled = ({ process, before, after }: HeadChange): string | undefined =>
  before?.state === 'r' &&
  process.fence === before.fence &&
  process.request !== 'under way' &&
  after.unsettled > before.unsettled
    ? `${after.unsettled - before.unsettled} stay charged for a request that was ${process.request === 'none' ? 'not made' : 'not billed'}`
    : undefined;

export const limitRules: readonly HeadRule[] = [
  { invariant: '2 steps', check: holds },
  { invariant: '2 steps', check: reached },
  { invariant: '2 steps', check: over },
  { invariant: '2 steps', check: stands },
  { invariant: '6 final is final', check: cancelled },
  { invariant: '1 money', check: raised },
  { invariant: '2 steps', check: clock },
  { invariant: '1 money', check: unbilled },
];
