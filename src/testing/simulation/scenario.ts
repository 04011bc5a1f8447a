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
}

/** What people do meanwhile. `job` counts the jobs first, then the rows of the batch. */
export interface Action {
  readonly type: 'cancel' | 'approve' | 'deny' | 'extend' | 'cancel batch' | 'extend batch';
  readonly job: number;
  readonly atMs: number;
  /** Somebody of another tenant tries: nothing may come of it. */
  readonly stranger: boolean;
  /** What an extension adds, in micro-dollars. */
  readonly add: number;
  /** Does not wait until it makes sense. */
  readonly hasty: boolean;
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
}
