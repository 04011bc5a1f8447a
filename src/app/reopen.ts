import { evolve, type JobEvent } from '../core/evolve.ts';
import { type EndedType, isEnded, type Job, type Pending, type Stop } from '../core/job.ts';
import { charged } from '../core/ledger.ts';
import type { DayTake } from '../core/tenant.ts';
import { apiCommit, jobHeads, type Wish } from './api-commit.ts';
import { callsAt } from './approve.ts';
import { takeToGoOn } from './day-pool.ts';
import { grant } from './grant.ts';
import { noteJob, noteNow } from './notices.ts';
import { isOwn } from './own.ts';
import { sendTurn, sentOrDue } from './send.ts';
import { MAX_JOB_DAYS } from './table-store.ts';
import type { World } from './world.ts';

export type EndedJob = Job & { readonly status: { readonly type: EndedType; readonly stop: Stop } };

/** When it goes on, and what its tenant's pool of the day has given for it. */
export interface OnceMore {
  readonly nowMs: number;
  readonly dayTake: DayTake | undefined;
}

/** How an ended job may go on: by this event, on this very head; or why it may not. */
export type GoingOn =
  | { readonly on: Job; readonly event: (at: OnceMore) => JobEvent }
  | { readonly why: string }
  | 'overtaken';

export interface Reopening {
  readonly tenant: string;
  readonly jobId: string;
  /** Micro-dollars on top of its ceiling. */
  readonly addMicroUsd: number;
  /** Asked again on every fresh head. */
  readonly plan: (job: EndedJob) => Promise<GoingOn>;
}

export type Reopened =
  | { readonly type: 'reopened'; readonly job: Job }
  | { readonly type: 'not_found' }
  | { readonly type: 'conflict'; readonly why: string };

const MAX_TRIES = 5;
const BACK_OFF_MS = 100;
const DAY_MS = 86_400_000;

/**
 * Lets an ended job go on. The money of a batch's job is taken from the pool first, in the batch's own head, and so is
 * that of the tenant's pool of the day. Only on the
 * very version that the pool granted for: a later one has to ask the pool again, and of two requests one comes too late.
 */
export async function reopen(
  world: World,
  { tenant, jobId, addMicroUsd, plan }: Reopening,
): Promise<Reopened> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    // Who is overtaken again and again lets the others finish: two follow-ups could overtake each other in turns.
    if (tries > 1) await world.clock.sleep(BACK_OFF_MS * tries * (1 + world.ids.random()));
    const job = await world.store.loadJob(jobId);
    if (!isOwn(world, tenant, job)) return { type: 'not_found' };
    if (!isEnded(job)) return conflict(`the job has not ended: ${job.status.type}`);
    const lost = pastCarryingOn(world, job);
    if (lost !== undefined) return conflict(lost);
    // Once it goes on, nobody can see any more that it had ended.
    await noteJob(world, job);
    const planned = await plan(job);
    if (planned === 'overtaken') continue;
    if ('why' in planned) return conflict(planned.why);
    const granted = await grant(world, planned.on, addMicroUsd);
    if (granted === 'overtaken') continue;
    if (granted !== 'granted') return conflict(granted.why);
    const ceiling = planned.on.ledger.ceiling + addMicroUsd;
    const taken = await takeToGoOn(world, planned.on, ceiling);
    if (taken?.type === 'spent') return conflict(dayLacks(planned.on, ceiling, taken.left));
    const result = await commitOn(world, planned.on, (nowMs) => planned.event({ nowMs, dayTake: taken }));
    if (result !== 'overtaken') return result;
  }
  return conflict('the job is being changed by others; try again');
}

function dayLacks({ ledger }: Job, ceiling: number, left: number): string {
  const needed = ceiling - charged(ledger);
  return `the tenant has $${left / 1e6} left for today, the job needs $${needed / 1e6}`;
}

const conflict = (why: string): Reopened => ({ type: 'conflict', why });

/** Why nothing can carry this job on any more. Records of it may be removed once it is older than the longest life. */
function pastCarryingOn(world: World, job: Job): string | undefined {
  if (job.deleted) return 'the job was deleted';
  const days = (world.clock.now() - job.createdAtMs) / DAY_MS;
  return days > MAX_JOB_DAYS ? `the job was made more than ${MAX_JOB_DAYS} days ago` : undefined;
}

async function commitOn(
  world: World,
  seen: Job,
  event: (nowMs: number) => JobEvent,
): Promise<Reopened | 'overtaken'> {
  const result = await apiCommit(world, jobHeads(world), seen.id, (job): Wish<Job, 'overtaken'> => {
    if (job === undefined || job.version !== seen.version) return { answer: 'overtaken' };
    return { once: true, change: evolve(job, event(world.clock.now())) };
  });
  if ('answer' in result) return result.answer;
  const { committed } = result;
  if (committed.status.type === 'queued') await sentOrDue(world, sendTurn(world, committed));
  else await noteNow(world, noteJob(world, committed));
  return { type: 'reopened', job: result.committed };
}

/** When the calls that nobody has decided expire if they are asked about now; 0 for none. */
export async function newExpiry(world: World, job: Job, pending: Pending | undefined): Promise<number> {
  if (pending?.states.includes('W') !== true) return 0;
  const calls = await callsAt(world, job, pending.item);
  const tools = world.agents.get(job.agent)?.tools;
  const seconds = calls.flatMap((call, place) =>
    pending.states[place] === 'W' ? [tools?.get(call.name)?.gate?.expiresInSeconds ?? 0] : [],
  );
  return world.clock.now() + Math.min(...seconds) * 1000;
}
