import { LETTER_MS } from '../core/dead-letter.ts';
import { DUE_SLACK_MS, type Job, usd } from '../core/job.ts';
import type { Measures } from '../core/metrics.ts';
import { dueShards } from '../core/table.ts';
import { lateness } from './health.ts';
import type { Reconciled } from './reconcile.ts';
import type { World } from './world.ts';

/** An approval is about to expire when it has less than this left. */
const EXPIRES_SOON_MS = 3_600_000;
/** Jobs of each shard that are looked at: those that are due last, because whoever waits for a person is due late. */
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
