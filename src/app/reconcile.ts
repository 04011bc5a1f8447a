import { earliestExpiry, expiryOf } from '../core/approvals.ts';
import { type Batch, evolveBatch, isResting } from '../core/batch.ts';
import { LAPSE_GRACE_MS } from '../core/decide.ts';
import { evolve } from '../core/evolve.ts';
import type { Job } from '../core/job.ts';
import { pastDeadline } from '../core/stop-rules.ts';
import { dueShards } from '../core/table.ts';
import { apiCommit, batchHeads, jobHeads, type Wish } from './api-commit.ts';
import { callsAt } from './approve.ts';
import { arrivalOf, arrivedChunks } from './batch-rows.ts';
import { describe } from './handle.ts';
import { sendBatchTurn, sendTurn } from './send.ts';
import type { Due } from './store.ts';
import type { World } from './world.ts';

/** Rows of one shard looked at in one run; the rest is still due in the next. */
const MAX_PER_SHARD = 200;

export interface Reconciled {
  readonly looked: number;
  readonly failed: number;
}

/**
 * Looks at everything that is overdue, whatever the cause, and sends it again, ends it or moves it. It acts on the
 * consistently read head, never on the index row, and may run twice at once.
 */
export async function reconcile(world: World): Promise<Reconciled> {
  let looked = 0;
  let failed = 0;
  for (const shard of dueShards) {
    for (const due of await world.store.listDue(shard, world.clock.now(), MAX_PER_SHARD)) {
      looked += 1;
      try {
        await lookAt(world, due);
      } catch (error) {
        failed += 1;
        world.log('error', 'something due could not be looked at', { ...due, ...describe(error) });
      }
    }
  }
  return { looked, failed };
}

async function lookAt(world: World, due: Due): Promise<void> {
  return due.kind === 'job' ? lookAtJob(world, due.id) : lookAtBatch(world, due.id);
}

type Nothing = 'nothing';

export async function lookAtJob(world: World, jobId: string): Promise<void> {
  const result = await apiCommit(world, jobHeads(world), jobId, async (job): Promise<Wish<Job, Nothing>> => {
    const nowMs = world.clock.now();
    if (job === undefined || job.dueAtMs === 0 || job.dueAtMs > nowMs) return { answer: 'nothing' };
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
        return { change: evolve(job, { type: 'due_moved', nowMs, dueAtMs: 0 }) };
      default:
        return job.status satisfies never;
    }
  });
  if ('answer' in result) return;
  const job = result.committed;
  const lapsed =
    job.status.type === 'running' && job.status.lease.untilMs + LAPSE_GRACE_MS < world.clock.now();
  if (job.status.type === 'queued' || lapsed) await sendTurn(world, job);
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
      // Whoever added rows may have died before the head could list them.
      const arrived = isResting(batch) ? (await arrivedChunks(world, batch)).map(arrivalOf) : [];
      if (arrived.length > 0) return { change: evolveBatch(batch, { type: 'rows_added', nowMs, arrived }) };
      return { change: evolveBatch(batch, { type: 'nudged', nowMs }) };
    },
  );
  if ('committed' in result && !isResting(result.committed)) await sendBatchTurn(world, result.committed);
}
