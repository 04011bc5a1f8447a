import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../src/client.ts';
import { type Interactive, interactive, takePlaces } from './full-house.ts';
import { type Running, startDev, startModel, startServers } from './processes.ts';
import { type Accepted, ended, type Stage, seconds, submit, until } from './stage.ts';

export interface Measured {
  readonly rows: number;
  readonly accepted: Accepted;
  readonly doneMs: number;
  readonly interactive: Interactive;
  readonly cancelled: Cancelled;
  readonly polls: number;
  /** Of `dev`, whose stand-ins and model are in other processes. */
  readonly peakMb: number;
  readonly problems: readonly string[];
}

/** What a cancel in the middle of a batch came to. */
interface Cancelled {
  readonly rows: number;
  /** Rows that had ended before. */
  readonly ended: number;
  /** From the request until nothing of the batch is open, in milliseconds. */
  readonly ms: number;
}

/** Rows of the second batch beyond those of the run: so many may be admitted before the places are seen to be busy. */
const SPARE_ROWS = 200;
const ADMISSIBLE = 1_000;
/** It is cancelled when one row in so many has ended. */
const MIDDLE = 20;

/** Two batches, one to its last result, one cancelled in its middle, on servers in processes of their own. */
export async function measure(folder: string, rows: number, tell: (line: string) => void): Promise<Measured> {
  const running: Running[] = [];
  const begun = async (process: Promise<Running>): Promise<Running> => {
    running.unshift(await process);
    return process;
  };
  try {
    const starting = [begun(startServers(folder)), begun(startModel())] as const;
    // Should one not start, the other is stopped all the same.
    await Promise.allSettled(starting);
    const [{ line }, { line: modelUrl }] = await Promise.all(starting);
    const servers = JSON.parse(line);
    const dev = await begun(startDev({ ...servers, model: modelUrl }));
    const client = createClient({ endpoint: JSON.parse(dev.line).api });
    const stage: Stage = { client, tell, problems: [], polls: 0 };
    const played = await play(stage, modelUrl, rows);
    const { polls, problems } = stage;
    return { rows, ...played, polls, peakMb: dev.peakMb(), problems };
  } finally {
    for (const process of running) await process.stop();
  }
}

type Played = Pick<Measured, 'accepted' | 'doneMs' | 'interactive' | 'cancelled'>;

async function play(stage: Stage, modelUrl: string, rows: number): Promise<Played> {
  const { client } = stage;
  const startMs = performance.now();
  const accepted = await submit(stage, 'whole', rows);
  await until(stage, accepted.id, (batch) => ended(batch) > 0);
  await pauses(stage, accepted.id);
  await until(stage, accepted.id, ({ status }) => status === 'done');
  const doneMs = performance.now() - startMs;
  await allSucceeded(stage, accepted.id, rows);

  const second = await submit(stage, 'middle', rows + SPARE_ROWS);
  await client.pauseBatch(second.id);
  const longSteps = await takePlaces(stage);
  await client.resumeBatch(second.id);
  const single = await interactive(stage, second.id, longSteps.length);
  if (single.rowsAdmissible < Math.min(rows, ADMISSIBLE))
    stage.problems.push(`only ${single.rowsAdmissible} rows could be admitted when a job was submitted`);
  await Promise.all(longSteps.map((id) => client.cancel(id)));
  await until(stage, second.id, (batch) => ended(batch) >= rows / MIDDLE);
  const cancelled = await cancels(stage, second.id);
  await billed(stage, modelUrl, [accepted.id, second.id], [...longSteps, ...single.ids]);
  return { accepted, doneMs, interactive: single, cancelled };
}

/** Once the turn has seen it, a pause admits nothing. */
async function pauses(stage: Stage, id: string): Promise<void> {
  const { client, problems, tell } = stage;
  await client.pauseBatch(id);
  const at = await until(stage, id, ({ counts }) => counts.running === 0);
  await sleep(1_500);
  const later = await client.batch(id);
  if (later.counts.queued < at.counts.queued)
    problems.push(`${at.counts.queued - later.counts.queued} rows were admitted while the batch was paused`);
  tell(`paused with ${later.counts.queued} rows to go`);
  await client.resumeBatch(id);
}

async function allSucceeded(stage: Stage, id: string, rows: number): Promise<void> {
  const { counts } = await stage.client.batch(id);
  if (counts.succeeded !== rows) stage.problems.push(`${counts.succeeded} of ${rows} rows succeeded`);
  await oneResultEach(stage, id, rows);
}

async function oneResultEach({ client, problems }: Stage, id: string, rows: number): Promise<void> {
  const seen = new Set<string>();
  let cursor: string | null | undefined;
  do {
    const page = await client.results(id, { limit: 200, ...(cursor ? { cursor } : {}) });
    for (const result of page.items) seen.add(result.id);
    cursor = page.cursor;
  } while (cursor !== null);
  if (seen.size !== rows) problems.push(`${seen.size} results for ${rows} rows`);
}

/** Cancels a batch: everything of it ends, and nothing of it is left. */
async function cancels(stage: Stage, id: string): Promise<Cancelled> {
  const { client, problems } = stage;
  const before = await client.batch(id);
  const startMs = performance.now();
  await client.cancelBatch(id);
  const { rows, counts, status: end } = await until(stage, id, ({ finishedAt }) => finishedAt !== null);
  const ms = performance.now() - startMs;
  if (end !== 'cancelled') problems.push(`a cancelled batch is ${end}`);
  const left = counts.queued + counts.running + counts.awaiting_approval;
  if (left > 0) problems.push(`${left} rows of a cancelled batch have not ended`);
  for (const status of ['queued', 'running'] as const) {
    const { items } = await client.jobs({ batch: id, status, limit: 200 });
    if (items.length > 0) problems.push(`${items.length} jobs of a cancelled batch are ${status}`);
  }
  await oneResultEach(stage, id, rows);
  stage.tell(`cancelled ${rows} rows in ${seconds(ms)}`);
  return { rows, ended: ended(before), ms };
}

/** The bill of the model is what batches and single jobs are charged, or less. */
async function billed(
  { client, problems }: Stage,
  modelUrl: string,
  batchIds: readonly string[],
  jobIds: readonly string[],
): Promise<void> {
  const parts = [
    ...(await Promise.all(batchIds.map((id) => client.batch(id)))),
    ...(await Promise.all(jobIds.map((id) => client.job(id)))),
  ];
  const charged = parts.reduce((sum, { cost }) => sum + Math.round(cost.spentUsd * 1e6), 0);
  const answer = await fetch(`${modelUrl}/_bill`);
  const { billedMicroUsd } = (await answer.json()) as { readonly billedMicroUsd: number };
  if (billedMicroUsd > charged)
    problems.push(`the model billed ${billedMicroUsd} micro-dollars, ${charged} are charged`);
}
