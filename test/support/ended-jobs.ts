import type { World } from '../../src/app/world.ts';
import type { Job, Ledger } from '../../src/core/job.ts';
import type { Total } from '../../src/core/totals.ts';
import { aJob } from './a-job.ts';

/** What somebody put of an ended job; its money in micro-dollars. */
export interface Ended {
  readonly id: string;
  readonly tenant?: string;
  readonly agent?: string;
  readonly batchId?: string;
  readonly steps?: number;
  readonly ledger?: Partial<Ledger>;
  readonly dayPool?: Job['dayPool'];
}

/** Puts a job that has just ended by its last step and is due. */
export async function putEnded(world: World, ended: Ended): Promise<Job> {
  const nowMs = world.clock.now();
  const job = aJob({
    ...{ tenant: 'default', agent: 'triage', batchId: '', steps: 1, dayPool: undefined },
    ...ended,
    status: { type: 'stopped', stop: { reason: 'max_steps', detail: '' } },
    ledger: { ceiling: 1_000, settled: 100, reserved: 0, unsettled: 0, ...ended.ledger },
    ...{ createdAtMs: nowMs, updatedAtMs: nowMs, endedAtMs: nowMs, dueAtMs: nowMs },
  });
  await world.store.createJob(job);
  return job;
}

/** A job that goes on, as an extension leaves it. */
export async function reopen(world: World, jobId: string): Promise<Job> {
  const job = await loaded(world, jobId);
  const nowMs = world.clock.now();
  const next: Job = {
    ...job,
    ...{ version: job.version + 1, fence: job.fence + 1, turn: job.turn + 1 },
    ...{ status: { type: 'queued' }, endedAtMs: 0, updatedAtMs: nowMs, dueAtMs: nowMs + 90_000 },
  };
  await world.store.commitJob(next);
  return next;
}

/** The same job at its end, a step and so many micro-dollars later. */
export async function endAgain(world: World, jobId: string, settled: number): Promise<Job> {
  const job = await loaded(world, jobId);
  const nowMs = world.clock.now();
  const next: Job = {
    ...job,
    version: job.version + 1,
    steps: job.steps + 1,
    ledger: { ...job.ledger, settled: job.ledger.settled + settled },
    status: { type: 'stopped', stop: { reason: 'max_steps', detail: '' } },
    ...{ endedAtMs: nowMs, updatedAtMs: nowMs, dueAtMs: nowMs },
  };
  await world.store.commitJob(next);
  return next;
}

export async function loaded(world: World, jobId: string): Promise<Job> {
  const job = await world.store.loadJob(jobId);
  if (job === undefined) throw new Error(`${jobId} is not there`);
  return job;
}

/** Everything that a tenant's totals of days hold, as one. */
export async function allTotals(world: World, tenant = 'default'): Promise<Omit<Total, 'page'>> {
  const totals = (await world.store.listDayTotals(tenant)).map(({ total }) => total);
  const sum = (of: (total: Total) => number): number => totals.reduce((all, total) => all + of(total), 0);
  return {
    jobs: sum((total) => total.jobs),
    steps: sum((total) => total.steps),
    settled: sum((total) => total.settled),
    unsettled: sum((total) => total.unsettled),
  };
}
