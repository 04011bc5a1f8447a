import { type StepStart, standingStart } from '../core/evolve-ended.ts';
import type { Job } from '../core/job.ts';
import { isJobTold } from './notices.ts';
import { type EndedJob, newExpiry, reopen } from './reopen.ts';
import { startOfStep } from './step-start.ts';
import type { World } from './world.ts';

export interface Retry {
  readonly tenant: string;
  readonly jobId: string;
  /** As `/steps` counts them: 1 to one more than there are. @default the step that did not commit */
  readonly fromStep?: number;
}

export type Retried =
  | { readonly type: 'retried'; readonly job: Job }
  | { readonly type: 'not_found' }
  | { readonly type: 'conflict'; readonly why: string };

/**
 * Lets a failed or stopped job go on, under the limits that it has: counts and ceiling stand, also where steps are taken
 * back. One that a limit stopped is therefore stopped by it again, unless the limit is one of patience (time, failures in a
 * row); raising limits is `extend`, which needs no other permission than this.
 */
export async function retry(world: World, { tenant, jobId, fromStep }: Retry): Promise<Retried> {
  const result = await reopen(world, {
    tenant,
    jobId,
    addMicroUsd: 0,
    plan: async (job) => {
      const { type } = job.status;
      if (type === 'succeeded' || type === 'cancelled')
        return {
          why: `a job that ${type === 'cancelled' ? 'was cancelled' : 'succeeded'} cannot be retried`,
        };
      const start = await startOf(world, job, fromStep);
      if ('why' in start) return start;
      const expiresAtMs = await newExpiry(world, job, start.pending);
      const told = isJobTold(world, job);
      return { on: job, event: (at) => ({ type: 'retried', ...at, start, expiresAtMs, told }) };
    },
  });
  return result.type === 'reopened' ? { type: 'retried', job: result.job } : result;
}

async function startOf(
  world: World,
  job: EndedJob,
  fromStep: number | undefined,
): Promise<StepStart | { readonly why: string }> {
  return fromStep === undefined ? standingStart(job) : startOfStep(world, job, fromStep);
}
