import { approvalsOf, judge } from '../../app/approve.ts';
import { cancel } from '../../app/cancel.ts';
import { deleteJob } from '../../app/delete-job.ts';
import { extend } from '../../app/extend.ts';
import { followUp } from '../../app/follow-up.ts';
import { retry } from '../../app/retry.ts';
import type { World } from '../../app/world.ts';
import type { Action } from './scenario.ts';
import type { Process, Sim } from './sim.ts';

/** Whose job somebody acts on, and the batch of the schedule. */
export interface Subject {
  readonly jobId: string;
  readonly tenant: string;
  /** Empty for none. */
  readonly batchId: string;
  /** The jobs of the batch. */
  readonly rows: readonly string[];
}

/** A stranger is told that there is nothing. */
export function strangerHears(sim: Sim, action: Action, { jobId }: Subject, answer: string): 'done' {
  if (action.stranger && answer !== 'not_found')
    sim.referee.fail('9 isolation', jobId, `${action.type} by another tenant was answered ${answer}`);
  return 'done';
}

export const tenantOf = ({ stranger }: Action, { tenant }: Subject): string =>
  stranger ? `not ${tenant}` : tenant;

/** One person, one thing. Says `again` while it makes no sense yet. */
export async function actOnJob(
  sim: Sim,
  world: World,
  process: Process,
  action: Action,
  subject: Subject,
): Promise<'done' | 'again'> {
  const { jobId } = subject;
  const tenant = tenantOf(action, subject);
  const over = (answer: string): 'done' => strangerHears(sim, action, subject, answer);
  switch (action.type) {
    case 'cancel': {
      if (!action.stranger) sim.referee.cancelling([jobId]);
      const answer = await cancel(world, tenant, jobId);
      if (answer.type === 'accepted') sim.referee.cancelled(jobId);
      return answer.type === 'not_found' && !action.stranger ? 'again' : over(answer.type);
    }
    case 'approve':
    case 'deny': {
      const job = await world.store.loadJob(jobId);
      const waiting = job && (await approvalsOf(world, job)).find(({ status }) => status === 'pending');
      if (waiting === undefined) return 'again';
      process.meant = `${waiting.callId} ${action.type === 'approve' ? 'A' : 'D'}`;
      const { callId, inputHash } = waiting;
      return over((await judge(world, { tenant, jobId, callId, inputHash, decision: action.type })).type);
    }
    case 'delete': {
      process.wish = { type: 'delete' };
      const answer = await deleteJob(world, tenant, jobId);
      if (answer.type === 'deleted') sim.referee.deleted(jobId);
      return answer.type === 'conflict' ? 'again' : over(answer.type);
    }
    default: {
      const answer = await letGoOn(sim, world, process, action, { tenant, jobId });
      return answer === 'conflict' ? 'again' : over(answer);
    }
  }
}

/** Keys and contents of follow-ups: few, so that people use the same ones twice. */
const contents = ['more', 'and more'] as const;

async function letGoOn(
  sim: Sim,
  world: World,
  process: Process,
  { type, n, add }: Action,
  job: { readonly tenant: string; readonly jobId: string },
): Promise<string> {
  switch (type) {
    case 'extend': {
      const adds = { microUsd: add, steps: 2, tokens: 50_000, seconds: 600 };
      process.adds = adds;
      process.wish = { type: 'extend' };
      const { steps, tokens, seconds } = adds;
      const more = { addMicroUsd: add, addSteps: steps, addTokens: tokens, addSeconds: seconds };
      return (await extend(world, { ...job, ...more })).type;
    }
    case 'retry': {
      const fromStep = n < 4 ? undefined : 1 + (n % 3);
      process.wish = { type: 'retry', fromStep };
      return (await retry(world, fromStep === undefined ? job : { ...job, fromStep })).type;
    }
    case 'follow up': {
      const content = contents[n % 2] ?? '';
      const key = n < 4 ? undefined : `k${n % 3}`;
      process.wish = { type: 'follow up', content, key };
      const answer = await followUp(world, { ...job, content, ...(key === undefined ? {} : { key }) });
      sim.referee.followedUp(process, job.jobId, answer.type);
      return answer.type;
    }
    default:
      throw new Error(`${type} lets no job go on`);
  }
}
