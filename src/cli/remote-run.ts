import { ApiError, type Approval, type Batch, type Job } from '../client.ts';
import { isObject } from '../core/content.ts';
import { TerminalError } from '../core/errors.ts';
import type { Asking } from './ask/asking.ts';
import { createRest } from './ask/at-rest.ts';
import { itemsOf, pagesOf } from './ask/pages.ts';
import { watchedBatch } from './gone-batch.ts';
import { hint } from './hint.ts';
import type { RowSpool } from './row-spool.ts';
import type { Run, RunEnd, RunState, StartedRow } from './run.ts';
import { createSpool } from './spool.ts';
import { ticketIn } from './ticket-text.ts';

export interface RemoteParts {
  readonly asking: Asking;
  readonly batchId: string;
  readonly rows: RowSpool;
  /** Of each job, in US dollars. */
  readonly ceilingUsd: number;
  /** Told of the batch each time it is looked at. */
  readonly seen: (batch: Batch) => void;
}

/** A run of which batch and jobs are on a deployment; its rows are those that were read here. */
export function createRemoteRun(parts: RemoteParts): Run {
  const { asking, batchId, rows } = parts;
  const { client, clock } = asking;
  const atRest = createRest(clock.now);
  return {
    state: async () => {
      const batch = await watchedBatch(asking, batchId);
      parts.seen(batch);
      return stateOf(batch, atRest(batch));
    },
    waiting: async () => {
      const calls: (Approval & { readonly expiresAtMs: number })[] = [];
      for await (const call of itemsOf(client.approvals)) {
        if (call.batchId === batchId) calls.push({ ...call, expiresAtMs: Date.parse(call.expiresAt) });
      }
      return calls;
    },
    ticketOf: async ({ jobId }) => {
      const job = await client.job(jobId);
      return { id: ticketOf(job) ?? jobId, ...ticketIn(job.input) };
    },
    decide: async ({ jobId, callId, inputHash }, decision) => {
      try {
        await client.decide(jobId, callId, { decision, inputHash });
      } catch (error) {
        if (!(error instanceof ApiError && [404, 409].includes(error.status))) throw error;
      }
    },
    end: async () => endOf(await watchedBatch(asking, batchId), parts),
    rows: rows.pages,
    jobs: () => rowsWithJobs(parts),
    steps: async (jobId) => {
      const steps = [];
      for await (const step of itemsOf((page) => client.steps(jobId, page))) steps.push(step);
      return steps;
    },
  };
}

function stateOf({ rows, counts, cost }: Batch, atRest: boolean): RunState {
  const { succeeded, stopped, failed, cancelled, rejected } = counts;
  return {
    rows: rows - rejected,
    ended: succeeded + stopped + failed + cancelled,
    running: counts.running,
    waiting: counts.awaiting_approval,
    spentUsd: cost.spentUsd,
    budgetUsd: cost.budgetUsd ?? 0,
    atRest,
  };
}

const exact = (dollars: number): number => Math.round(dollars * 1e6) / 1e6;

function endOf(batch: Batch, { asking, ceilingUsd }: RemoteParts): RunEnd {
  const { id, counts, cost } = batch;
  const budgetUsd = cost.budgetUsd ?? 0;
  const leftUsd = exact(budgetUsd - cost.spentUsd - cost.reservedUsd);
  const resume = hint(`batch resume ${id}`, asking.endpoint);
  const paused = batch.status === 'paused' ? `Somebody paused the batch: ${resume} lets it go on.` : '';
  return {
    agent: batch.agent,
    startedAt: batch.createdAt,
    cancelled: batch.status === 'cancelled',
    budgetUsd,
    stopped: batch.stop?.message ?? paused,
    pool: counts.awaiting_approval === 0 ? undefined : { ceilingUsd, leftUsd, heldUsd: cost.reservedUsd },
  };
}

/** The id of the ticket that a job is about, as it was sent along. */
function ticketOf({ metadata }: Pick<Job, 'metadata'>): string | undefined {
  const ticket = isObject(metadata) ? metadata['ticket'] : undefined;
  return typeof ticket === 'string' ? ticket : undefined;
}

/** Rows were sent in their order, so that both sides are walked once. */
async function* rowsWithJobs(parts: RemoteParts): AsyncGenerator<readonly StartedRow[]> {
  const jobs = jobsInOrder(parts);
  try {
    let next = await jobs.next();
    for await (const page of parts.rows.pages()) {
      const started: StartedRow[] = [];
      for (const row of page) {
        const job = next.done === true || ticketOf(next.value) !== row.id ? undefined : next.value;
        started.push({ row, job });
        if (job !== undefined) next = await jobs.next();
      }
      yield started;
    }
    if (next.done !== true) {
      const what = `${parts.batchId} has jobs that are about no ticket of these files`;
      throw new TerminalError(
        'foreign_rows',
        `${what}: ${hint(`batch results ${parts.batchId}`, parts.asking.endpoint)} has all of them`,
      );
    }
  } finally {
    await jobs.return(undefined);
  }
}

/**
 * The jobs of a batch in the order of its rows, without those that were deleted. The API lists them the other way round, so
 * that its pages wait in a temporary file. Its results would do with less, but hold no job that waits for a person.
 */
async function* jobsInOrder({ asking: { client }, batchId }: RemoteParts): AsyncGenerator<Job, void> {
  const spool = await createSpool();
  const pages: { readonly at: number; readonly length: number }[] = [];
  try {
    for await (const { items } of pagesOf((page) => client.jobs({ batch: batchId, ...page }), {
      all: true,
    })) {
      const text = Buffer.from(JSON.stringify(items));
      pages.push({ at: spool.size(), length: text.length });
      await spool.write(text);
    }
    for (const { at, length } of pages.reverse()) {
      const jobs = JSON.parse(String(await spool.part(at, length))) as readonly Job[];
      yield* jobs.filter((job) => ticketOf(job) !== undefined).reverse();
    }
  } finally {
    await spool.close();
  }
}
