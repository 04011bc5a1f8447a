import type { EndedType, Job, Stop, StopReason } from './job.ts';
import { available, charged } from './ledger.ts';
import type { MessageItem } from './message-item.ts';
import type { ReplyReading } from './read-reply.ts';

/** How a job ends: its state and why. */
export interface Ending {
  readonly type: EndedType;
  readonly stop: Stop;
}

const endedBy: Readonly<Record<StopReason, EndedType>> = {
  completed: 'succeeded',
  cancelled: 'cancelled',
  max_steps: 'stopped',
  cost_ceiling: 'stopped',
  token_budget: 'stopped',
  consecutive_failures: 'stopped',
  deadline: 'stopped',
  pool_exhausted: 'stopped',
  max_output_tokens: 'stopped',
  context_window: 'stopped',
  refusal: 'stopped',
  approval_expired: 'stopped',
  invalid_output: 'failed',
  rejected_request: 'failed',
  model_unavailable: 'failed',
  configuration: 'failed',
  internal: 'failed',
};

/** `detail` is cut to 120 UTF-8 bytes at most (it is kept to ASCII), so that the head stays under 1 KB. */
export function ending(reason: StopReason, detail = ''): Ending {
  return {
    type: endedBy[reason],
    stop: { reason, detail: detail.replaceAll(/[^ -~]/g, '?').slice(0, 120) },
  };
}

export const resumableReasons: ReadonlySet<StopReason> = new Set<StopReason>([
  'max_steps',
  'cost_ceiling',
  'token_budget',
  'consecutive_failures',
  'deadline',
  'pool_exhausted',
]);

/** A reply that has just been booked: `job` already counts it. */
export interface Booked {
  readonly before: Job;
  readonly job: Job;
  readonly reading: ReplyReading;
  readonly item: MessageItem;
}

export interface StopRule<Subject> {
  readonly name: string;
  readonly check: (subject: Subject) => Ending | undefined;
}

const money = (micro: number): string => `$${(micro / 1_000_000).toFixed(6)}`;

/** Why money ended a job: the reason depends on whose ceiling it was. */
export function outOfMoney(job: Job, detail: string): Ending {
  return ending(job.poolCut ? 'pool_exhausted' : 'cost_ceiling', detail);
}

/** The stop for a call that cannot be paid, naming the figure that was needed. */
export function cannotPay(job: Job, neededMicroUsd: number): Ending {
  const left = Math.max(0, available(job.ledger));
  return outOfMoney(job, `the next call costs up to ${money(neededMicroUsd)}, ${money(left)} is left`);
}

export function usedTokens(job: Job): number {
  const { input, output, cacheWrite, cacheRead } = job.usage;
  return input + output + cacheWrite + cacheRead;
}

function tokenBudget(job: Job): Ending | undefined {
  const used = usedTokens(job);
  return used >= job.limits.maxTokens
    ? ending('token_budget', `${used} of ${job.limits.maxTokens} tokens used`)
    : undefined;
}

function maxSteps(job: Job): Ending | undefined {
  return job.steps >= job.limits.maxSteps ? allStepsUsed(job) : undefined;
}

/** The stop of a job that has used its last step. */
export function allStepsUsed({ limits: { maxSteps: most } }: Job): Ending {
  return ending('max_steps', `${most} ${most === 1 ? 'step' : 'steps'} used`);
}

/** The answer that other calls stand beside takes no step: its limits are not checked. */
const answerInHand = (job: Job): boolean => job.pending?.states.includes('V') === true;

/** Checked in this order when a reply is committed. To add a stop condition, add a rule. */
export const replyRules: readonly StopRule<Booked>[] = [
  { name: 'cancelled', check: ({ job }) => (job.cancelRequested ? ending('cancelled') : undefined) },
  {
    name: 'refusal',
    check: ({ reading, item }) =>
      reading.kind === 'refusal' ? ending('refusal', item.category ?? 'no category named') : undefined,
  },
  {
    name: 'context_window',
    check: ({ reading }) => (reading.kind === 'context_window' ? ending('context_window') : undefined),
  },
  {
    name: 'cut by the ceiling',
    check: ({ job, reading, item }) =>
      reading.kind === 'cut' && item.shrunk
        ? outOfMoney(job, `the ceiling left ${item.bound[1]} output tokens and the reply was cut`)
        : undefined,
  },
  {
    name: 'max_output_tokens',
    check: ({ before, reading, item }) =>
      reading.kind === 'cut' && before.lastReply === 'cut'
        ? ending('max_output_tokens', `cut at ${item.bound[1]} output tokens, twice in a row`)
        : undefined,
  },
  {
    name: 'completed',
    check: ({ reading }) => (reading.kind === 'answer' ? ending('completed') : undefined),
  },
  {
    name: 'invalid_output',
    check: ({ before, reading }) =>
      (reading.kind === 'missing' || reading.kind === 'invalid_answer') && before.lastReply === 'bad'
        ? ending(
            'invalid_output',
            reading.kind === 'missing' ? 'no answer, twice in a row' : 'twice in a row',
          )
        : undefined,
  },
  {
    name: 'cost_ceiling',
    check: ({ job }) =>
      charged(job.ledger) > job.ledger.ceiling
        ? outOfMoney(job, `${money(charged(job.ledger))} spent, the ceiling is ${money(job.ledger.ceiling)}`)
        : undefined,
  },
  { name: 'max_steps', check: ({ job }) => (answerInHand(job) ? undefined : maxSteps(job)) },
  { name: 'token_budget', check: ({ job }) => (answerInHand(job) ? undefined : tokenBudget(job)) },
  {
    name: 'consecutive_failures',
    check: ({ job, item }) =>
      !answerInHand(job) && job.failures >= job.limits.maxConsecutiveFailures
        ? ending(
            'consecutive_failures',
            `${job.failures} in a row, the last: ${item.failedTool || 'a reply that could not be used'}`,
          )
        : undefined,
  },
];

/** A claim: the job with its dead attempt's reserve already unsettled. */
export interface Claiming {
  readonly job: Job;
  readonly nowMs: number;
  /** Whether a dead attempt's reply may still be adopted: it may cure what steps and money would stop. */
  readonly lapsed: boolean;
  /** What the smallest next call costs at most, if that cannot be paid. */
  readonly tooDear: number | undefined;
}

/** Attempts at one turn before the job is given up: each is an invocation that died or timed out. */
export const MAX_ATTEMPTS = 6;

/** Checked in this order at each claim. */
export const claimRules: readonly StopRule<Claiming>[] = [
  { name: 'cancelled', check: ({ job }) => (job.cancelRequested ? ending('cancelled') : undefined) },
  {
    name: 'attempts',
    check: ({ job }) =>
      job.attempts >= MAX_ATTEMPTS
        ? ending('internal', `${job.attempts} attempts at one step died`)
        : undefined,
  },
  { name: 'deadline', check: ({ job, nowMs }) => pastDeadline(job, nowMs) },
  {
    name: 'max_steps',
    check: ({ job, lapsed }) => (lapsed || answerInHand(job) ? undefined : maxSteps(job)),
  },
  {
    name: 'token_budget',
    check: ({ job, lapsed }) => (lapsed || answerInHand(job) ? undefined : tokenBudget(job)),
  },
  {
    name: 'cost_ceiling',
    check: ({ job, lapsed, tooDear }) =>
      lapsed || tooDear === undefined ? undefined : cannotPay(job, tooDear),
  },
];

export function pastDeadline(job: Job, nowMs: number): Ending | undefined {
  return nowMs >= job.deadlineMs ? ending('deadline', `${job.limits.timeoutSeconds} s are over`) : undefined;
}

/** The first rule that applies. */
export function firstEnding<Subject>(
  rules: readonly StopRule<Subject>[],
  subject: Subject,
): Ending | undefined {
  for (const rule of rules) {
    const found = rule.check(subject);
    if (found !== undefined) return found;
  }
  return undefined;
}
