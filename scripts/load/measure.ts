import { setTimeout as sleep } from 'node:timers/promises';
import { type Batch, type Client, createClient } from '../../src/client.ts';
import { type Running, startDev, startModel, startServers } from './processes.ts';

export interface Measured {
  readonly rows: number;
  readonly acceptedMs: number;
  readonly calls: number;
  readonly doneMs: number;
  readonly polls: number;
  readonly peakMb: number;
  /** From the request to the first sign of a worker, of a job that was submitted while rows waited. */
  readonly interactiveMs: number;
  readonly problems: readonly string[];
}

interface Stage {
  readonly client: Client;
  readonly dev: Running;
  readonly modelUrl: string;
  readonly tell: (line: string) => void;
  readonly problems: string[];
  polls: number;
  peakMb: number;
  singleId: string;
}

const ROWS_A_CALL = 2_500;
const POLL_MS = 250;
const BUDGET_USD = 100;
/** A run that has not ended by then never will. */
const PATIENCE_MS = 30 * 60_000;

/** One batch from its first row to its last result, on servers in processes of their own. */
export async function measure(folder: string, rows: number, tell: (line: string) => void): Promise<Measured> {
  const running: Running[] = [];
  const begun = async (process: Promise<Running>): Promise<Running> => {
    running.unshift(await process);
    return process;
  };
  try {
    const servers = JSON.parse((await begun(startServers(folder))).line);
    const modelUrl = (await begun(startModel())).line;
    const dev = await begun(startDev({ ...servers, model: modelUrl }));
    const client = createClient({ endpoint: JSON.parse(dev.line).api });
    const stage: Stage = { client, dev, modelUrl, tell, problems: [], polls: 0, peakMb: 0, singleId: '' };
    return await play(stage, rows);
  } finally {
    for (const process of running) await process.stop();
  }
}

async function play(stage: Stage, rows: number): Promise<Measured> {
  const startMs = performance.now();
  const { id, calls } = await submit(stage, rows);
  const acceptedMs = performance.now() - startMs;
  stage.tell(`accepted ${rows} rows in ${(acceptedMs / 1000).toFixed(1)} s`);
  await until(stage, id, (batch) => ended(batch) > 0);
  const interactiveMs = await single(stage);
  await pauses(stage, id);
  await until(stage, id, ({ status }) => status === 'done');
  const doneMs = performance.now() - startMs;
  await judge(stage, id, rows);
  await cancels(stage);
  const { polls, peakMb, problems } = stage;
  return { rows, acceptedMs, calls, doneMs, polls, peakMb, interactiveMs, problems };
}

const rowsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `row-${first + at}`, input: `ticket ${first + at}` }));

/** In as many calls as it takes: the batch is open until the last. */
async function submit(
  { client }: Stage,
  rows: number,
): Promise<{ readonly id: string; readonly calls: number }> {
  const first = rowsFrom(0, Math.min(rows, ROWS_A_CALL));
  const wanted = { agent: 'one-step', budgetUsd: BUDGET_USD, open: true, rows: first };
  const { id } = await client.submitBatch(wanted, { idempotencyKey: 'load' });
  let calls = 2;
  for (let sent = first.length; sent < rows; sent += ROWS_A_CALL) {
    await client.addRows(id, rowsFrom(sent, Math.min(ROWS_A_CALL, rows - sent)));
    calls += 1;
  }
  await client.closeBatch(id);
  return { id, calls };
}

const ended = ({ counts }: Batch): number =>
  counts.succeeded + counts.stopped + counts.failed + counts.cancelled;

/** Looks at the batch until it is so; at every look its counts add up to its rows, and its money is within the pool. */
async function until(stage: Stage, id: string, is: (batch: Batch) => boolean): Promise<Batch> {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const batch = await stage.client.batch(id);
    stage.polls += 1;
    stage.peakMb = Math.max(stage.peakMb, stage.dev.memoryMb());
    const sum = Object.values(batch.counts).reduce((total, count) => total + count, 0);
    if (sum !== batch.rows) stage.problems.push(`counts add up to ${sum}, there are ${batch.rows} rows`);
    const { spentUsd, reservedUsd, budgetUsd } = batch.cost;
    if (budgetUsd !== null && spentUsd + reservedUsd > budgetUsd + 1e-9)
      stage.problems.push(`$${spentUsd + reservedUsd} spent and reserved, the pool is $${budgetUsd}`);
    if (stage.polls % 40 === 0) stage.tell(`${ended(batch)} of ${batch.rows} rows have ended`);
    if (is(batch)) return batch;
    if (performance.now() > endMs) throw new Error(`batch ${id} does not get on: ${JSON.stringify(batch)}`);
    await sleep(POLL_MS);
  }
}

/** A job of its own, while the rows of the batch wait for their places. */
async function single(stage: Stage): Promise<number> {
  const { client } = stage;
  const startMs = performance.now();
  const { id } = await client.submit({ agent: 'one-step', input: 'a person waits' });
  stage.singleId = id;
  for (;;) {
    const { status } = await client.job(id);
    if (status !== 'queued') return performance.now() - startMs;
    await sleep(20);
  }
}

/** Once the turn has seen it, a pause admits nothing. */
async function pauses(stage: Stage, id: string): Promise<void> {
  const { client, problems } = stage;
  await client.pauseBatch(id);
  const at = await until(stage, id, ({ counts }) => counts.running === 0);
  await sleep(2_500);
  const later = await client.batch(id);
  if (later.counts.queued < at.counts.queued)
    problems.push(`${at.counts.queued - later.counts.queued} rows were admitted while the batch was paused`);
  stage.tell(`paused with ${later.counts.queued} rows to go`);
  await client.resumeBatch(id);
}

/** Every row has one result, and the bill of the model is what the rows were charged. */
async function judge(stage: Stage, id: string, rows: number): Promise<void> {
  const { client, modelUrl, problems, singleId } = stage;
  const batch = await client.batch(id);
  if (batch.counts.succeeded !== rows) problems.push(`${batch.counts.succeeded} of ${rows} rows succeeded`);
  const seen = new Set<string>();
  let cursor: string | null | undefined;
  do {
    const page = await client.results(id, { limit: 200, ...(cursor ? { cursor } : {}) });
    for (const result of page.items) seen.add(result.id);
    cursor = page.cursor;
  } while (cursor !== null);
  if (seen.size !== rows) problems.push(`${seen.size} results for ${rows} rows`);
  const answer = await fetch(`${modelUrl}/_calls`);
  const { billedMicroUsd } = (await answer.json()) as { readonly billedMicroUsd: number };
  const charged = batch.cost.spentUsd + (await client.job(singleId)).cost.spentUsd;
  if (billedMicroUsd > Math.round(charged * 1e6))
    problems.push(`the model billed ${billedMicroUsd} micro-dollars, $${charged} are charged`);
}

/** A second batch, cancelled in the middle: everything of it ends. */
async function cancels(stage: Stage): Promise<void> {
  const { id } = await stage.client.submitBatch({ agent: 'one-step', rows: rowsFrom(0, 300) });
  await until(stage, id, (batch) => ended(batch) > 0);
  await stage.client.cancelBatch(id);
  const { counts } = await until(stage, id, ({ status }) => status === 'cancelled');
  if (counts.queued + counts.running > 0)
    stage.problems.push('a cancelled batch has rows that have not ended');
  stage.tell(`cancelled with ${counts.succeeded} of 300 rows done`);
}
