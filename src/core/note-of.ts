import { callId } from './approvals.ts';
import { type Batch, isOver, rowsOf } from './batch.ts';
import { isEnded, type Job, usd } from './job.ts';
import { charged } from './ledger.ts';
import { type Note, newNote } from './note.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * The notice that a job has ended or waits for a person; undefined where it does neither, or nobody is told. Fences never
 * repeat, and an extension raises them: the same end has the same key whoever writes it down, the next end another.
 */
export function noteOfJob(job: Job, events: boolean, nowMs: number): Note | undefined {
  const { pending, webhook } = job;
  if (!events && !webhook) return undefined;
  const about = { jobId: job.id, agent: job.agent, batchId: job.batchId || null };
  const to = { of: job.id, tenant: job.tenant, events, webhook };
  if (isEnded(job)) {
    const data = {
      ...about,
      status: job.status.type,
      stop: { reason: job.status.stop.reason },
      steps: job.steps,
      needsReview: job.needsReview,
      cost: { spentUsd: usd(charged(job.ledger)), unsettledUsd: usd(job.ledger.unsettled) },
      finishedAt: iso(job.endedAtMs),
    };
    const key = `ended-${job.fence}`;
    return newNote({ ...to, key, type: 'job.ended', atMs: job.endedAtMs, item: 0, data }, nowMs);
  }
  if (job.status.type !== 'awaiting_approval' || pending === undefined) return undefined;
  const callIds = [...pending.states].flatMap((state, place) =>
    state === 'W' ? [callId(pending.born, place)] : [],
  );
  const data = { ...about, expiresAt: iso(pending.expiresAtMs), callIds };
  const facts = { type: 'job.awaiting_approval', atMs: pending.sinceMs, item: pending.item } as const;
  return newNote({ ...to, ...facts, key: `waiting-${job.fence}`, data }, nowMs);
}

/** The notice that a batch has ended; undefined where it has not, or nobody is told. Going on raises its turn. */
export function noteOfBatch(batch: Batch, events: boolean, nowMs: number): Note | undefined {
  const webhook = batch.webhook !== '';
  if (!isOver(batch) || (!events && !webhook)) return undefined;
  const data = {
    batchId: batch.id,
    agent: batch.agent,
    status: batch.status,
    rows: rowsOf(batch) + batch.rejected,
    counts: { ...batch.counts, rejected: batch.rejected },
    spentUsd: usd(batch.spent),
    finishedAt: iso(batch.endedAtMs),
  };
  const { id: of, tenant } = batch;
  const facts = { type: 'batch.ended', atMs: batch.endedAtMs, item: 0 } as const;
  return newNote({ of, tenant, events, webhook, ...facts, key: `ended-${batch.turn}`, data }, nowMs);
}
