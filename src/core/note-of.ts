import { callId } from './approvals.ts';
import { type Batch, isOver, rowsOf } from './batch.ts';
import { isEnded, type Job, usd } from './job.ts';
import { charged } from './ledger.ts';
import { type Note, newNote } from './note.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * The same for one end or wait whoever writes it down, and another for the next: bookkeeping on an ended head raises its
 * version, and may raise its fence, but changes neither its turn nor the time; going on raises the turn, or comes later.
 */
const keyOf = (what: 'ended' | 'waiting', turn: number, ms: number): string =>
  `${what}-${turn}-${ms.toString(36)}`;

/** The notice that a job has ended or waits for a person; undefined where it does neither, or nobody is told. */
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
    const key = keyOf('ended', job.turn, job.endedAtMs);
    const facts = { type: 'job.ended', atMs: job.endedAtMs, item: 0 } as const;
    return newNote({ ...to, ...facts, key, data }, nowMs);
  }
  if (job.status.type !== 'awaiting_approval' || pending === undefined) return undefined;
  const callIds = [...pending.states].flatMap((state, place) =>
    state === 'W' ? [callId(pending.born, place)] : [],
  );
  const data = { ...about, expiresAt: iso(pending.expiresAtMs), callIds };
  const facts = { type: 'job.awaiting_approval', atMs: pending.sinceMs, item: pending.item } as const;
  return newNote({ ...to, ...facts, key: keyOf('waiting', job.turn, pending.sinceMs), data }, nowMs);
}

/** The notice that a batch has ended; undefined where it has not, or nobody is told. */
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
  const key = keyOf('ended', batch.turn, batch.endedAtMs);
  const facts = { type: 'batch.ended', atMs: batch.endedAtMs, item: 0 } as const;
  return newNote({ of, tenant, events, webhook, ...facts, key, data }, nowMs);
}
