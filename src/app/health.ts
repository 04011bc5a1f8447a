import { LAPSE_GRACE_MS } from '../core/decide.ts';
import { isEnded, type Job } from '../core/job.ts';
import { dueShards } from '../core/table.ts';
import { isStopped } from './control.ts';
import { countDeadLetters, type LetterScope } from './letters.ts';
import type { Due } from './store.ts';
import type { World } from './world.ts';

export interface Health {
  readonly ok: boolean;
  /** Since when the oldest thing is overdue that somebody should have looked at; what is stopped does not count. */
  readonly oldestDueSeconds: number;
  /** Overdue jobs whose worker is gone. */
  readonly lapsedLeases: number;
  /** Of the caller's, that nobody has sent again. */
  readonly deadLetters: number;
  /** The caller or everything is stopped. */
  readonly stopped: boolean;
}

/** Overdue things of each shard that are looked at: the oldest. */
const PER_SHARD = 12;
/** The reconciler runs every minute: what is overdue for longer than this says that it does not, or cannot keep up. */
export const LATE_SECONDS = 300;

/** How the system is, from a bounded number of reads. */
export async function health(world: World, scope: LetterScope): Promise<Health> {
  const { oldestDueSeconds, lapsedLeases } = await lateness(world);
  const { stopped: everything } = await world.store.loadControl();
  return {
    ok: oldestDueSeconds < LATE_SECONDS && !everything,
    oldestDueSeconds,
    lapsedLeases,
    deadLetters: await countDeadLetters(world, scope),
    stopped: everything || (await isStopped(world, scope.tenant)),
  };
}

/** What is overdue, by the oldest things of each shard. */
export async function lateness(world: World): Promise<Pick<Health, 'oldestDueSeconds' | 'lapsedLeases'>> {
  const nowMs = world.clock.now();
  const shards = await Promise.all(dueShards.map((shard) => world.store.listDue(shard, nowMs, PER_SHARD)));
  const overdue = shards.flat().sort((a, b) => a.at - b.at);
  const jobs = await world.store.loadJobs(overdue.filter(({ kind }) => kind === 'job').map(({ id }) => id));
  const oldest = await oldestOf(world, overdue, jobs);
  const lapsed = [...jobs.values()].filter(
    ({ status }) => status.type === 'running' && status.lease.untilMs < nowMs - LAPSE_GRACE_MS,
  );
  return {
    oldestDueSeconds: oldest === undefined ? 0 : Math.max(0, Math.floor((nowMs - oldest) / 1000)),
    lapsedLeases: lapsed.length,
  };
}

/** The time of the oldest thing that is not stopped and is still due as the index says. */
async function oldestOf(
  world: World,
  overdue: readonly Due[],
  jobs: ReadonlyMap<string, Job>,
): Promise<number | undefined> {
  for (const due of overdue) {
    const head = due.kind === 'job' ? jobs.get(due.id) : await world.store.loadBatch(due.id);
    if (head === undefined || head.dueAtMs !== due.at) continue;
    const counts = 'ledger' in head && isEnded(head);
    if (counts || !(await isStopped(world, head.tenant))) return due.at;
  }
  return undefined;
}
