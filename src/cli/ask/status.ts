import type { Approval, Batch, Client, Health, Job } from '../../client.ts';
import { printedJson } from '../../core/printed.ts';
import { needOf } from '../../tickets/need.ts';
import { exitCode } from '../exit-codes.ts';
import type { Asking } from './asking.ts';
import { statusText } from './status-text.ts';

/** A job that was stopped or failed, without what it read and wrote. */
export type Stopped = Pick<
  Job,
  | 'id'
  | 'agent'
  | 'batchId'
  | 'rowId'
  | 'metadata'
  | 'status'
  | 'stop'
  | 'steps'
  | 'cost'
  | 'updatedAt'
  | 'finishedAt'
>;

/** What `treadle status` found, and prints with `--json`. Money in US dollars. */
export interface Status {
  /** Of the newest jobs; there are older ones where `more` says so. */
  readonly jobs: {
    readonly lookedAt: number;
    readonly more: boolean;
    readonly running: number;
    readonly queued: number;
    readonly awaitingApproval: number;
  };
  /** Those that are not over, newest first. */
  readonly batches: readonly Batch[];
  readonly cost: {
    /** Today in UTC. */
    readonly day: string;
    /** By jobs that have ended and are counted for this day. */
    readonly countedUsd: number;
    /** By those of the newest that have ended and are in no sum yet. */
    readonly uncountedUsd: number;
    readonly uncountedJobs: number;
    /** So far, by those of the newest that have not ended. */
    readonly openUsd: number;
  };
  /** The newest jobs that were stopped or failed. */
  readonly stops: readonly Stopped[];
  readonly needs: {
    readonly approvals: readonly Approval[];
    readonly moreApprovals: boolean;
    /** Of the newest jobs. */
    readonly toCheck: number;
    readonly deadLetters: number;
  };
  readonly health: Health;
}

const MOST = 200;

/** What is under way, what it costs, why things stopped and what needs a person, on one screen. */
export async function showStatus({ client, terminal, json, clock, endpoint }: Asking): Promise<number> {
  const status = await readStatus(client, clock.now());
  const { color } = terminal;
  terminal.out(json ? `${printedJson(status)}\n` : statusText(status, clock.now(), { color, endpoint }));
  return exitCode.done;
}

async function readStatus(client: Client, nowMs: number): Promise<Status> {
  const [health, jobs, batches, approvals, days] = await Promise.all([
    client.health(),
    client.jobs({ limit: MOST }),
    client.batches({ limit: MOST }),
    client.approvals({ limit: MOST }),
    client.costs('day', { limit: 1 }),
  ]);
  const stand = (status: Job['status']): readonly Job[] => jobs.items.filter((job) => job.status === status);
  const [running, queued, waiting] = [stand('running'), stand('queued'), stand('awaiting_approval')];
  return {
    jobs: {
      lookedAt: jobs.items.length,
      more: jobs.cursor !== null,
      ...{ running: running.length, queued: queued.length, awaitingApproval: waiting.length },
    },
    batches: batches.items.filter(({ status }) => ['open', 'running', 'paused'].includes(status)),
    cost: costOf(days, [...running, ...queued, ...waiting], nowMs),
    stops: jobs.items.filter(({ status }) => status === 'stopped' || status === 'failed').map(stoppedOf),
    needs: {
      approvals: approvals.items,
      moreApprovals: approvals.cursor !== null,
      toCheck: jobs.items.filter((job) => needOf(job) === 'review').length,
      deadLetters: health.deadLetters,
    },
    health,
  };
}

function stoppedOf(job: Job): Stopped {
  const { id, agent, batchId, rowId, metadata, status, stop, steps, cost, updatedAt, finishedAt } = job;
  return { id, agent, batchId, rowId, metadata, status, stop, steps, cost, updatedAt, finishedAt };
}

type Days = Awaited<ReturnType<Client['costs']>>;

function costOf({ items, uncounted }: Days, open: readonly Job[], nowMs: number): Status['cost'] {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const openMicro = open.reduce((sum, { cost }) => sum + Math.round(cost.spentUsd * 1e6), 0);
  return {
    day,
    countedUsd: items.find(({ key }) => key === day)?.spentUsd ?? 0,
    uncountedUsd: uncounted?.spentUsd ?? 0,
    uncountedJobs: uncounted?.jobs ?? 0,
    openUsd: openMicro / 1e6,
  };
}
