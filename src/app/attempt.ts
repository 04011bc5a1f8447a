import type { JobEvent } from '../core/evolve.ts';
import type { Unanswered } from '../core/facts.ts';
import type { Job } from '../core/job.ts';
import type { Delivery } from './delivery.ts';
import type { Plan } from './prepare.ts';

/** One attempt at a step: its owner token, what it works on, and how it commits. */
export interface Attempt {
  readonly owner: string;
  readonly delivery: Delivery;
  readonly plan: Plan;
  /** From when the message might be taken until this delivery began: waits that were asked for are not in it. */
  readonly queueMs: number;
  /** `unanswered`: the request of this step that brought no reply. */
  readonly commit: (job: Job, event: JobEvent, unanswered?: Unanswered) => Promise<Job | undefined>;
}
