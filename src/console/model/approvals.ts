import type { Approval } from '../../client.ts';
import { span } from './figures.ts';
import { isObject, textOfValue } from './text.ts';

/** A call and its job name an approval: a call's id alone repeats. */
export const keyOf = ({ jobId, callId }: Pick<Approval, 'jobId' | 'callId'>): string => `${jobId}/${callId}`;

/** How much time is left to decide. */
export interface Countdown {
  readonly text: string;
  readonly urgent: boolean;
  readonly over: boolean;
}

const URGENT_MS = 3_600_000;

export function countdown(expiresAt: string, nowMs: number): Countdown {
  const left = Date.parse(expiresAt) - nowMs;
  if (left <= 0) return { text: 'the time to decide is over', urgent: true, over: true };
  return { text: `${span(left)} left`, urgent: left < URGENT_MS, over: false };
}

/** The arguments of a call, one line for each; of one that is no object a single line. */
export function argumentsOf(input: unknown): readonly { readonly name: string; readonly text: string }[] {
  if (!isObject(input)) return [{ name: 'input', text: textOfValue(input) }];
  return Object.entries(input).map(([name, value]) => ({ name, text: textOfValue(value) }));
}

/** What became of a decision, in this visit. */
export type Outcome =
  | { readonly type: 'approved' | 'denied' }
  | { readonly type: 'refused'; readonly why: string };

export function sentenceOf(outcome: Outcome): string {
  switch (outcome.type) {
    case 'approved':
      return 'Approved. The call is run with exactly these arguments, and the job goes on.';
    case 'denied':
      return 'Denied. The model is told, and the job goes on without the call.';
    case 'refused':
      return `Nothing was decided: ${outcome.why}.`;
    default:
      return outcome satisfies never;
  }
}

/**
 * What waits, oldest first, and among it what was decided here: it keeps its place, so that whoever works through the list
 * sees what happened and nothing jumps.
 */
export function withDecided(
  pending: readonly Approval[],
  shown: readonly Approval[],
  decided: ReadonlyMap<string, Outcome>,
): readonly Approval[] {
  const live = new Map(pending.map((approval) => [keyOf(approval), approval]));
  const kept = shown.flatMap((approval) => {
    const key = keyOf(approval);
    const now = live.get(key);
    live.delete(key);
    if (now !== undefined) return [now];
    return decided.has(key) ? [approval] : [];
  });
  return [...kept, ...live.values()];
}

/** The next approval that is not decided yet, from a place on and round the end; the same place where there is none. */
export function nextOpen(
  approvals: readonly Approval[],
  decided: ReadonlyMap<string, Outcome>,
  from: number,
): number {
  for (let step = 1; step <= approvals.length; step += 1) {
    const at = (from + step) % approvals.length;
    const approval = approvals[at];
    if (approval !== undefined && !decided.has(keyOf(approval))) return at;
  }
  return from;
}
