import type { Job } from '../core/job.ts';
import { resumableReasons } from '../core/stop-rules.ts';
import { isJobTold } from './notices.ts';
import { newExpiry, reopen } from './reopen.ts';
import type { World } from './world.ts';

export interface Extension {
  readonly tenant: string;
  readonly jobId: string;
  /** Micro-dollars. @default 0 */
  readonly addMicroUsd?: number;
  readonly addSteps?: number;
  readonly addTokens?: number;
  readonly addSeconds?: number;
}

export type Extended =
  | { readonly type: 'extended'; readonly job: Job }
  | { readonly type: 'not_found' }
  | { readonly type: 'conflict'; readonly why: string };

/** Raises the limits of a job that one of them stopped; it goes on from where it stopped. */
export async function extend(world: World, extension: Extension): Promise<Extended> {
  const { tenant, jobId, addMicroUsd = 0, addSteps = 0, addTokens = 0, addSeconds = 0 } = extension;
  const result = await reopen(world, {
    tenant,
    jobId,
    addMicroUsd,
    plan: async (job) => {
      const { reason } = job.status.stop;
      if (!resumableReasons.has(reason)) return { why: `a job that ended with ${reason} cannot be extended` };
      const expiresAtMs = await newExpiry(world, job, job.pending);
      const more = { addMicroUsd, addSteps, addTokens, addSeconds };
      const told = isJobTold(world, job);
      return { on: job, event: (at) => ({ type: 'extended', ...at, ...more, expiresAtMs, told }) };
    },
  });
  return result.type === 'reopened' ? { type: 'extended', job: result.job } : result;
}
