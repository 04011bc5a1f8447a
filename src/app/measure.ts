import { LETTER_MS } from '../core/dead-letter.ts';
import { DUE_SLACK_MS, type Job, usd } from '../core/job.ts';
import type { Measures } from '../core/metrics.ts';
import { dueShards } from '../core/table.ts';
import { lateness } from './health.ts';
import type { Reconciled } from './reconcile.ts';
import type { World } from './world.ts';

/** An approval is about to expire when it has less than this left. */
const EXPIRES_SOON_MS = 3_600_000;
/**
 * Things of each shard that are looked at: those that are due last within the hour. Jobs that run or are queued are due
 * within eighteen minutes, so that a call is among these when its last hour begins; later there may be more before it.
 * The index of what is open would not help: it is by tenant and by the time since when, not by the time until.
 */
const PER_SHARD = 100;
const MAX_LETTERS = 1_000;

/** How the whole deployment is after a run of the reconciler, from a bounded number of reads. */
export async function measure(world: World, reconciled: Reconciled): Promise<Measures> {
  const { oldestDueSeconds } = await lateness(world);
  const { stalled, settled, unsettled } = reconciled;
  return {
    oldestDueSeconds,
    stalledJobs: stalled,
    openDeadLetters: await world.store.countOpenLetters(world.clock.now() - LETTER_MS, MAX_LETTERS),
    approvalsExpiring: await approvalsExpiring(world),
    spentUsd: usd(settled + unsettled),
    unsettledUsd: usd(unsettled),
  };
}

/** A job that waits for a person is due when its first call expires, or a little later. */
async function approvalsExpiring(world: World): Promise<number> {
  const nowMs = world.clock.now();
  const untilMs = nowMs + EXPIRES_SOON_MS;
  const shards = await Promise.all(
    dueShards.map((shard) => world.store.listDueLast(shard, untilMs + DUE_SLACK_MS, PER_SHARD)),
  );
  const ids = shards.flat().flatMap(({ kind, id, at }) => (kind === 'job' && at > nowMs ? [id] : []));
  const jobs = await world.store.loadJobs(ids);
  const soon = ({ status, pending }: Job): boolean =>
    status.type === 'awaiting_approval' &&
    pending !== undefined &&
    pending.expiresAtMs > nowMs &&
    pending.expiresAtMs <= untilMs;
  return [...jobs.values()].filter(soon).length;
}
