import type { Job, StopReason } from '../core/job.ts';
import { approvalsIn } from './approve.ts';
import { jobsOfBatch } from './batch-views.ts';
import { readShown, type Shown } from './job-items.ts';
import { isOwn } from './own.ts';
import type { Place } from './store.ts';
import { approvalView, type JobView, viewJobs } from './views.ts';
import type { World } from './world.ts';

export interface Page {
  /** Where the page before ended. @default the beginning */
  readonly after?: Place;
  /** 1 to 200. */
  readonly limit: number;
}

export interface JobFilter {
  readonly status?: Job['status']['type'];
  readonly stop?: StopReason;
  readonly agent?: string;
  readonly batch?: string;
}

/** Heads that one request looks at, however few of them match. */
const MAX_LOOKED = 1_000;
/** Heads that are read at once where a filter may pass over most of them. */
const FILTERED_READ = 200;

/**
 * A tenant's jobs, newest first; those of a batch in the order of its rows, the last one first. A filter may give fewer
 * than asked for, with a place to go on from.
 */
export async function listJobs(
  world: World,
  tenant: string,
  filter: JobFilter,
  page: Page,
): Promise<{ readonly jobs: readonly JobView[]; readonly next: Place | undefined }> {
  const filtered = Object.values(filter).some((value) => value !== undefined);
  const found: Job[] = [];
  const { batch } = filter;
  const places: Places =
    batch === undefined
      ? (at) => world.store.listOf('jobs', tenant, at)
      : async (at) => (await jobsOfBatch(world, tenant, batch, at)) ?? [];
  const next = await walk(world, places, tenant, {
    after: page.after,
    atOnce: filtered ? FILTERED_READ : page.limit + 1,
    take: async (jobs) => {
      for (const [at, job] of jobs.entries()) {
        if (job !== undefined && matches(job, filter)) found.push(job);
        if (found.length === page.limit) return at + 1;
      }
      return undefined;
    },
  });
  return { jobs: await viewJobs(world, found), next };
}

function matches(job: Job, { status, stop, agent, batch }: JobFilter): boolean {
  if (status !== undefined && job.status.type !== status) return false;
  if (stop !== undefined && !('stop' in job.status && job.status.stop.reason === stop)) return false;
  if (agent !== undefined && job.agent !== agent) return false;
  return batch === undefined || job.batchId === batch;
}

/** A call that waits for a person, with what its job is about. */
export type ApprovalItem = Readonly<Record<string, unknown>>;

/**
 * The calls of a tenant that wait for a person, the job that waits longest first. A page goes on to the next job only
 * where all calls of it fit, and holds at least one job's.
 */
export async function listApprovals(
  world: World,
  tenant: string,
  page: Page,
): Promise<{ readonly approvals: readonly ApprovalItem[]; readonly next: Place | undefined }> {
  const found: ApprovalItem[] = [];
  const places: Places = (at) => world.store.listOf('waiting', tenant, at);
  const next = await walk(world, places, tenant, {
    after: page.after,
    atOnce: page.limit + 1,
    take: async (jobs) => {
      const waiting = jobs.filter((job) => job?.status.type === 'awaiting_approval');
      const shown = await readShown(
        world,
        waiting.filter((job) => job !== undefined),
      );
      for (const [at, job] of jobs.entries()) {
        const seen = job && shown.get(job.id);
        const more = job === undefined || seen === undefined ? [] : pendingOf(world, job, seen);
        if (found.length > 0 && found.length + more.length > page.limit) return at;
        found.push(...more);
        if (found.length >= page.limit) return at + 1;
      }
      return undefined;
    },
  });
  return { approvals: found, next };
}

function pendingOf(world: World, job: Job, { info, asked }: Shown): readonly ApprovalItem[] {
  const nowMs = world.clock.now();
  return approvalsIn(world, job, asked)
    .filter(({ status, expiresAtMs }) => status === 'pending' && expiresAtMs > nowMs)
    .map((approval) => ({
      ...approvalView(approval),
      jobId: job.id,
      agent: job.agent,
      batchId: info?.batchId ?? null,
      rowId: info?.rowId ?? null,
      metadata: info === undefined ? {} : (JSON.parse(info.metadata) as unknown),
    }));
}

/** A page of a list that is walked along; fewer places than asked for are the last. */
type Places = (page: { readonly after?: Place; readonly limit: number }) => Promise<readonly Place[]>;

interface Walk {
  readonly after: Place | undefined;
  readonly atOnce: number;
  /**
   * Takes the heads of some places, undefined for one that is not there any more; how many of them the page holds once
   * it is full, else undefined.
   */
  readonly take: (jobs: readonly (Job | undefined)[]) => Promise<number | undefined>;
}

/** Walks along a list, some heads at a time. Returns the place to go on from; undefined at the end of the list. */
async function walk(
  world: World,
  places: Places,
  tenant: string,
  { after, atOnce, take }: Walk,
): Promise<Place | undefined> {
  let from = after;
  for (let looked = 0; looked < MAX_LOOKED; looked += atOnce) {
    const found = await places({ limit: atOnce, ...(from === undefined ? {} : { after: from }) });
    const last = found.length < atOnce;
    const heads = await world.store.loadJobs(found.map(({ id }) => id));
    const jobs = found.map(({ id }) => {
      const job = heads.get(id);
      return isOwn(world, tenant, job) ? job : undefined;
    });
    const taken = await take(jobs);
    if (taken !== undefined) return last && taken === found.length ? undefined : (found[taken - 1] ?? from);
    if (last) return undefined;
    from = found.at(-1);
  }
  return from;
}
