import { approvalsOf, judge } from '../app/approve.ts';
import { rowJobId, rowsAt } from '../app/batch-rows.ts';
import { viewJob, viewSteps } from '../app/views.ts';
import type { World } from '../app/world.ts';
import { type Batch, poolLeft, rowsOf } from '../core/batch.ts';
import type { Row } from '../core/batch-format.ts';
import { isObject } from '../core/content.ts';
import { usd } from '../core/job.ts';
import { stopMessage } from '../core/stop-message.ts';
import type { Run, RunEnd, RunRow, StartedRow, WaitingCall } from './run.ts';
import { ticketIn } from './ticket-text.ts';
import { readBatchState } from './watch-batch.ts';

/** A run of which batch and jobs are in the table of a stack on this machine. */
export function createLocalRun(world: World, { id: batchId, tenant }: Pick<Batch, 'id' | 'tenant'>): Run {
  const load = async (): Promise<Batch> => {
    const batch = await world.store.loadBatch(batchId);
    if (batch === undefined) throw new Error(`batch ${batchId} is gone`);
    return batch;
  };
  return {
    state: async () => {
      const { batch, waiting, spentMicroUsd, ...state } = await readBatchState(world, batchId);
      const money = { spentUsd: usd(spentMicroUsd), budgetUsd: usd(batch.budget) };
      return { ...state, ...money, waiting: waiting.length };
    },
    waiting: () => waitingCalls(world, batchId),
    ticketOf: async ({ jobId }) => ticketOf(world, await load(), jobId),
    decide: async ({ jobId, callId, inputHash }, decision) => {
      const who = 'command line';
      await judge(world, { ...{ tenant, jobId, callId, inputHash, decision, who }, reason: '' });
    },
    end: async () => endOf(await load()),
    rows: async function* () {
      for await (const rows of rowPages(world, await load())) yield rows.map(runRow);
    },
    jobs: async function* () {
      const batch = await load();
      for await (const rows of rowPages(world, batch)) yield await withJobs(world, batch, rows);
    },
    steps: async (jobId) => (await viewSteps(world, tenant, jobId)) ?? [],
  };
}

async function waitingCalls(world: World, batchId: string): Promise<readonly WaitingCall[]> {
  const { waiting } = await readBatchState(world, batchId);
  const calls: WaitingCall[] = [];
  for (const job of waiting) {
    for (const { status, ...call } of await approvalsOf(world, job)) {
      if (status === 'pending') calls.push({ ...call, jobId: job.id });
    }
  }
  return calls;
}

async function ticketOf(world: World, batch: Batch, jobId: string): ReturnType<Run['ticketOf']> {
  const places = batch.open.map(({ ordinal }) => ordinal);
  const rows = [...(await rowsAt(world, batch, places)).values()];
  const row = rows.find(({ key }) => rowJobId(world, batch, key) === jobId);
  return row === undefined ? { id: jobId, subject: '', text: '' } : { id: row.id, ...ticketIn(row.input) };
}

function endOf(batch: Batch): RunEnd {
  const held = batch.open.reduce((sum, row) => sum + row.ceiling, 0);
  const pool = { ceilingUsd: usd(batch.ceiling), leftUsd: usd(poolLeft(batch)), heldUsd: usd(held) };
  return {
    agent: batch.agent,
    startedAt: new Date(batch.createdAtMs).toISOString(),
    cancelled: batch.status === 'cancelled',
    budgetUsd: usd(batch.budget),
    stopped: batch.stop === undefined ? '' : stopMessage(batch.stop),
    pool: batch.open.length === 0 ? undefined : pool,
  };
}

const PAGE = 200;
const AT_ONCE = 20;

async function* rowPages(world: World, batch: Batch): AsyncGenerator<readonly Row[]> {
  const count = rowsOf(batch);
  for (let first = 0; first < count; first += PAGE) {
    const places = Array.from({ length: Math.min(PAGE, count - first) }, (_, at) => first + at);
    const rows = [...(await rowsAt(world, batch, places))];
    yield rows.sort(([one], [other]) => one - other).map(([, row]) => row);
  }
}

async function withJobs(world: World, batch: Batch, rows: readonly Row[]): Promise<readonly StartedRow[]> {
  const page: StartedRow[] = [];
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE).map(async (row) => ({
      row: runRow(row),
      job: await viewJob(world, batch.tenant, rowJobId(world, batch, row.key)),
    }));
    page.push(...(await Promise.all(some)));
  }
  return page;
}

const runRow = (row: Row): RunRow => ({
  ...{ id: row.id, line: row.line, input: row.input },
  fields: fieldsOf(row),
});

/** The columns that nobody recognised went along as metadata, beside the ticket's id. */
function fieldsOf({ id, metadata }: Row): RunRow['fields'] {
  const all: unknown = JSON.parse(metadata);
  if (!isObject(all)) return {};
  const fields = Object.entries(all).filter(([name, value]) => name !== 'ticket' || value !== id);
  return Object.fromEntries(fields.map(([name, value]) => [name, String(value)]));
}
