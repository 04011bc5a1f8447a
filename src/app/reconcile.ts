import { earliestExpiry, expiryOf } from '../core/approvals.ts';
import { type Batch, evolveBatch, isOver, isResting, isTurning } from '../core/batch.ts';
import { LAPSE_GRACE_MS } from '../core/decide.ts';
import { evolve } from '../core/evolve.ts';
import { isEnded, type Job } from '../core/job.ts';
import { pastDeadline } from '../core/stop-rules.ts';
import { apiCommit, batchHeads, jobHeads, type Wish } from './api-commit.ts';
import { callsAt } from './approve.ts';
import { arrivalOf, arrivedChunks } from './batch-rows.ts';
import { isStopped } from './control.ts';
import { countEnded, PAGE_JOBS } from './count.ts';
import { purge } from './delete-job.ts';
import { describe } from './describe.ts';
import { duePages } from './due-pages.ts';
import { inTurns } from './in-turns.ts';
import { noteBatch, noteJob, noteNow } from './notices.ts';
import { observeEnd } from './observe.ts';
import { sendBatchTurn, sendTurn } from './send.ts';
import type { Due } from './store.ts';
import { lookAtNotice } from './tell.ts';
import type { World } from './world.ts';

/** How long one run goes on looking, and then counting, in milliseconds; what is left is still due in the next. */
const LOOK_MS = 30_000;
const COUNT_MS = 45_000;
const AT_ONCE = 10;
/** Sent again so often with no commit of a worker in between, a job is stalled: four minutes at the least. */
const STALLED_NUDGES = 4;

export interface Reconciled {
  readonly looked: number;
  readonly failed: number;
  /** Jobs that were sent again, although they had been sent again and again before and no worker has moved them. */
  readonly stalled: number;
  /** What the jobs added to their tenants' totals, in micro-dollars: booked, and of unknown outcome. */
  readonly settled: number;
  readonly unsettled: number;
}

/** One run, and what it has found. */
interface Run {
  readonly world: World;
  readonly startMs: number;
  looked: number;
  failed: number;
  stalled: number;
  settled: number;
  unsettled: number;
  /** Jobs to be added to their tenants' totals. */
  readonly ended: Map<string, string[]>;
}

/**
 * Looks at everything that is overdue, whatever the cause, and sends it again, ends it or moves it, or adds it to its
 * tenant's totals. It acts on the consistently read head, never on the index row, and may run twice at once.
 */
export async function reconcile(world: World): Promise<Reconciled> {
  const startMs = world.clock.now();
  const none = { looked: 0, failed: 0, stalled: 0, settled: 0, unsettled: 0 };
  const run: Run = { world, startMs, ...none, ended: new Map() };
  for await (const page of duePages(world, startMs, startMs + LOOK_MS)) {
    await lookAtPage(run, page);
    await countPages(run, PAGE_JOBS);
  }
  await countPages(run, 1);
  const { looked, failed, stalled, settled, unsettled } = run;
  return { looked, failed, stalled, settled, unsettled };
}

/** A failure is one thing's own: the next are looked at all the same. */
async function attempt(
  run: Run,
  what: Readonly<Record<string, unknown>>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    run.failed += 1;
    run.world.log('error', 'something due could not be looked at', { ...what, ...describe(error) });
  }
}

async function lookAtPage(run: Run, page: readonly Due[]): Promise<void> {
  const jobIds = page.filter(({ kind }) => kind === 'job').map(({ id }) => id);
  const heads = await headsOf(run.world, jobIds);
  await inTurns(page, AT_ONCE, async (due) => {
    run.looked += 1;
    await attempt(run, due, () => lookAt(run, due, heads));
  });
}

/** The heads in one read; undefined where one of them cannot be read, and each has to be looked at by itself. */
async function headsOf(
  world: World,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, Job> | undefined> {
  try {
    return await world.store.loadJobs(jobIds);
  } catch {
    return undefined;
  }
}

async function lookAt(run: Run, due: Due, heads: ReadonlyMap<string, Job> | undefined): Promise<void> {
  const { world } = run;
  const { id } = due;
  switch (due.kind) {
    case 'notice':
      return lookAtNotice(world, id, due.note);
    case 'batch':
      return lookAtBatch(world, id);
    case 'job': {
      const job = heads === undefined ? await world.store.loadJob(id) : heads.get(id);
      if (job === undefined) return;
      if (isEnded(job)) return lookAtEnded(run, job);
      if (await isStopped(world, job.tenant)) return;
      if (((await lookAtJob(world, id))?.nudges ?? 0) >= STALLED_NUDGES) run.stalled += 1;
      return;
    }
    default:
      return due satisfies never;
  }
}

/** Others are told of its end before it is counted: once that is done, nobody looks at it any more. */
async function lookAtEnded({ world, ended }: Run, job: Job): Promise<void> {
  if (job.dueAtMs === 0 || job.dueAtMs > world.clock.now()) return;
  await noteJob(world, job);
  if (job.deleted) await purge(world, job.id);
  const ofTenant = ended.get(job.tenant) ?? [];
  ended.set(job.tenant, ofTenant);
  ofTenant.push(job.id);
}

/** Counts, tenant by tenant, pages of so many jobs at the least. */
async function countPages(run: Run, atLeast: number): Promise<void> {
  const { world, ended, startMs } = run;
  for (const [tenant, jobIds] of ended) {
    while (jobIds.length >= atLeast && world.clock.now() < startMs + COUNT_MS) {
      const page = jobIds.splice(0, PAGE_JOBS);
      await attempt(run, { tenant, jobs: page.length }, async () => {
        const added = await countEnded(world, tenant, page);
        run.settled += added?.settled ?? 0;
        run.unsettled += added?.unsettled ?? 0;
      });
    }
  }
}

type Nothing = 'nothing';

/** Gives the head as it was changed, if it was. */
export async function lookAtJob(world: World, jobId: string): Promise<Job | undefined> {
  const result = await apiCommit(world, jobHeads(world), jobId, async (job): Promise<Wish<Job, Nothing>> => {
    const nowMs = world.clock.now();
    if (job === undefined || job.dueAtMs === 0 || job.dueAtMs > nowMs) return { answer: 'nothing' };
    await noteJob(world, job);
    switch (job.status.type) {
      case 'queued':
        return {
          change: evolve(
            job,
            pastDeadline(job, nowMs) ? { type: 'deadline_passed', nowMs } : { type: 'nudged', nowMs },
          ),
        };
      case 'running': {
        const lapsesMs = job.status.lease.untilMs + LAPSE_GRACE_MS;
        if (lapsesMs >= nowMs)
          return { change: evolve(job, { type: 'due_moved', nowMs, dueAtMs: lapsesMs + 1 }) };
        return { change: evolve(job, { type: 'nudged', nowMs }) };
      }
      case 'awaiting_approval':
        return { change: await expired(world, job, nowMs) };
      case 'succeeded':
      case 'stopped':
      case 'failed':
      case 'cancelled':
        // Counted in its turn, with the others of its tenant.
        return { answer: 'nothing' };
      default:
        return job.status satisfies never;
    }
  });
  if ('answer' in result) return undefined;
  const job = result.committed;
  const lapsed =
    job.status.type === 'running' && job.status.lease.untilMs + LAPSE_GRACE_MS < world.clock.now();
  if (job.status.type === 'queued' || lapsed) await sendTurn(world, job);
  observeEnd(world, job);
  if (isEnded(job) && job.dueAtMs > 0) await noteNow(world, noteJob(world, job));
  return job;
}

/** The waiting calls whose time is over become expired; the others keep the job waiting until theirs. */
async function expired(world: World, job: Job, nowMs: number): Promise<Job> {
  const { pending } = job;
  if (pending === undefined) return evolve(job, { type: 'due_moved', nowMs, dueAtMs: 0 });
  if (pending.expiresAtMs > nowMs) {
    return evolve(job, { type: 'due_moved', nowMs, dueAtMs: pending.expiresAtMs });
  }
  const calls = await callsAt(world, job, pending.item);
  const tools = world.agents.get(job.agent)?.tools ?? new Map();
  const over = calls.map(
    (call, place) => pending.states[place] === 'W' && expiryOf(pending, tools.get(call.name)) <= nowMs,
  );
  for (const [place, expires] of over.entries()) {
    const ask = { reason: '', who: '', atMs: nowMs };
    if (expires) await world.store.putAsk({ jobId: job.id, born: pending.born, place }, 'X', ask);
  }
  const states = [...pending.states].map((letter, place) => (over[place] === true ? 'X' : letter)).join('');
  const stopBy = calls.find(
    (call, place) => over[place] === true && tools.get(call.name)?.gate?.onExpiry === 'stop',
  )?.name;
  const expiresAtMs = earliestExpiry(pending, states, calls, tools);
  return evolve(job, { type: 'approval_expired', nowMs, states, expiresAtMs, stopBy });
}

export async function lookAtBatch(world: World, batchId: string): Promise<void> {
  const result = await apiCommit(
    world,
    batchHeads(world),
    batchId,
    async (batch): Promise<Wish<Batch, Nothing>> => {
      const nowMs = world.clock.now();
      if (batch === undefined || batch.dueAtMs === 0 || batch.dueAtMs > nowMs) return { answer: 'nothing' };
      if (isOver(batch)) {
        await noteBatch(world, batch);
        return { change: evolveBatch(batch, { type: 'noted', nowMs }) };
      }
      if (await isStopped(world, batch.tenant)) return { answer: 'nothing' };
      // Whoever added rows may have died before the head could list them.
      const arrived = isResting(batch) ? (await arrivedChunks(world, batch)).map(arrivalOf) : [];
      if (arrived.length > 0) return { change: evolveBatch(batch, { type: 'rows_added', nowMs, arrived }) };
      return { change: evolveBatch(batch, { type: 'nudged', nowMs }) };
    },
  );
  if ('committed' in result && isTurning(result.committed)) await sendBatchTurn(world, result.committed);
}
