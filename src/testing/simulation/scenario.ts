import type { JobLimits } from '../../core/job.ts';
import type { Machines } from './machines.ts';

/** A job that somebody submits. */
export interface JobPlan {
  readonly tenant: string;
  readonly agent: string;
  readonly input: string;
  readonly atMs: number;
  /** Micro-dollars. */
  readonly ceiling: number;
  readonly limits: Partial<JobLimits>;
  /** Its end and its waits are told to an address. */
  readonly webhook: boolean;
  /** Somebody submits another body under its key at the same time: one of them is refused. */
  readonly rival: boolean;
}

/** A batch that somebody submits. */
export interface BatchPlan {
  readonly tenant: string;
  readonly agent: string;
  /** The input of each row. */
  readonly rows: readonly string[];
  readonly atMs: number;
  readonly budget: number;
  readonly ceiling: number;
  readonly limits: Partial<JobLimits>;
  readonly concurrency: number;
  /** `known`: made of rows that are known to be right; the others as a caller gives them, and rows may be added to an open one. */
  readonly kind: 'known' | 'closed' | 'open';
  /** Its end is told to an address. */
  readonly webhook: boolean;
  /** Somebody submits other rows under its key at the same time. */
  readonly rival: boolean;
}

/** Ids that the rows of an open batch have, those that are added later among them. */
export const ROW_IDS = 9;

export type ActionType =
  | 'cancel'
  | 'approve'
  | 'deny'
  | 'extend'
  | 'retry'
  | 'follow up'
  | 'delete'
  | 'cancel batch'
  | 'extend batch'
  | 'add rows'
  | 'close batch'
  | 'pause batch'
  | 'resume batch'
  | 'stop';

/** What people do meanwhile. `job` counts the jobs first, then the rows of the batch. */
export interface Action {
  readonly type: ActionType;
  readonly job: number;
  readonly atMs: number;
  /** Somebody of another tenant tries: nothing may come of it. */
  readonly stranger: boolean;
  /** What an extension adds, in micro-dollars. */
  readonly add: number;
  /** Does not wait until it makes sense. */
  readonly hasty: boolean;
  /** From 0 to 11: which step, key, content or rows it is about. */
  readonly n: number;
}

/** Who is told of ends and waits. */
export interface Listeners {
  /** The deployment has an event bus. */
  readonly events: boolean;
  /** It can sign webhooks. */
  readonly webhook: boolean;
  /** Nobody who is told ever answers. */
  readonly deaf: boolean;
}

/** Who does what, with which machines, until when things go wrong. */
export interface Scenario {
  readonly jobs: readonly JobPlan[];
  readonly batch: BatchPlan | undefined;
  readonly actions: readonly Action[];
  readonly machines: Machines;
  /** When the last fault may strike, in virtual milliseconds from the start. */
  readonly faultyMs: number;
  readonly longestSleepMs: number;
  /** How long before midnight in UTC it starts, in milliseconds. */
  readonly beforeMidnightMs: number;
  /** What the jobs of one tenant may cost on one day, in micro-dollars; undefined for no bound. */
  readonly dailyMicroUsd: number | undefined;
  readonly listeners: Listeners;
}
