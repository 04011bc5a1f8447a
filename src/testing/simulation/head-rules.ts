import type { Tool } from '../../core/agent.ts';
import type { Item } from '../../ports.ts';
import { approvalRules } from './approval-rules.ts';
import { callRules } from './call-rules.ts';
import type { JobWatch } from './job-watch.ts';
import { limitRules } from './limit-rules.ts';
import { type HeadSeen, hasEnded } from './records.ts';
import { reopenRules } from './reopen-rules.ts';
import type { Process } from './sim.ts';

/** The invariants, by their numbers and names in the documentation of the proof. */
export type Invariant =
  | '1 money'
  | '2 steps'
  | '3 effects'
  | '4 progress'
  | '5 transcript'
  | '6 final is final'
  | '7 paid replies'
  | '8 approvals'
  | '9 isolation'
  | '10 flat'
  | '11 notices'
  | '12 kill switch'
  | '13 keys'
  | 'a rule of the tools'
  | 'unexpected error';

/** One accepted write of a job's head. */
export interface HeadChange {
  readonly process: Process;
  readonly watch: JobWatch;
  readonly before: HeadSeen | undefined;
  readonly after: HeadSeen;
  /** The writer's own clock. */
  readonly nowMs: number;
  readonly read: (at: number) => Item | undefined;
  /** The journal of a call of this job. */
  readonly callAt: (born: number, place: number) => Item | undefined;
  /** A tool of the job's agent. */
  readonly toolOf: (name: string) => Tool | undefined;
}

/** A rule of the referee: what is wrong with a change, or undefined. */
export interface HeadRule {
  readonly invariant: Invariant;
  readonly check: (change: HeadChange) => string | undefined;
}

const money = ({ watch, after }: HeadChange): string | undefined => {
  const { settled, reserved, unsettled, charged, ceiling } = after;
  if (settled < 0 || reserved < 0 || unsettled < 0)
    return `the ledger holds less than nothing: ${settled} settled, ${reserved} reserved, ${unsettled} unsettled`;
  if (charged > ceiling) return `${charged} micro-dollars are charged, the ceiling is ${ceiling}`;
  if (watch.billed > charged) return `the provider billed ${watch.billed}, only ${charged} are charged`;
  return undefined;
};

const grows = ({ process, before, after }: HeadChange): string | undefined => {
  if (before === undefined) return after.version === 1 ? undefined : 'a new head is not of version 1';
  if (after.version !== before.version + 1) return `version ${before.version} became ${after.version}`;
  for (const name of ['turn', 'fence', 'count', 'steps', 'settled', 'maxSteps', 'ceiling'] as const) {
    // How far a retry may cut the transcript back is judged where that is known.
    if (name === 'count' && hasEnded(before) && process.wish?.type === 'retry') continue;
    if (after[name] < before[name]) return `${name} went back from ${before[name]} to ${after[name]}`;
  }
  return undefined;
};

/** Only a claim after the end of the last lease, or a change from outside, may come between a holder and its commit. */
const attempts = ({ before, after }: HeadChange): string | undefined =>
  before !== undefined && after.steps > before.steps + 1
    ? `${after.steps - before.steps} steps were taken in one commit`
    : undefined;

/** Attempts at one step that must have died before a job is given up. */
const ATTEMPTS = 6;

/** A job never fails for what is none of its own. */
const healthy = ({ watch, before, after }: HeadChange): string | undefined => {
  if (before === undefined || hasEnded(before) || !hasEnded(after)) return undefined;
  switch (after.stop) {
    case 'configuration':
      return 'a healthy job failed';
    case 'internal':
      return watch.claims < ATTEMPTS ? `given up after ${watch.claims} attempts at one step` : undefined;
    case 'cancelled':
      return watch.cancelWanted ? undefined : 'cancelled, and nobody asked for it';
    case 'max_steps':
      return after.steps < after.maxSteps ? `stopped at step ${after.steps} of ${after.maxSteps}` : undefined;
    default:
      return undefined;
  }
};

/** Checked in this order at every accepted write of a head. */
export const headRules: readonly HeadRule[] = [
  ...reopenRules,
  { invariant: '6 final is final', check: grows },
  { invariant: '1 money', check: money },
  {
    invariant: '2 steps',
    check: ({ after }) =>
      after.steps > after.maxSteps
        ? `${after.steps} steps are committed, the most is ${after.maxSteps}`
        : undefined,
  },
  { invariant: '2 steps', check: attempts },
  {
    invariant: '4 progress',
    check: ({ after }) =>
      !hasEnded(after) && after.dueMs === 0 ? 'a live job is in no index of what is due' : undefined,
  },
  { invariant: '4 progress', check: healthy },
  ...approvalRules,
  ...limitRules,
  ...callRules,
];
