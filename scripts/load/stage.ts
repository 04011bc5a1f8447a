import { setTimeout as sleep } from 'node:timers/promises';
import type { Batch, Client } from '../../src/client.ts';

/** What a run works with, and what it has found so far. */
export interface Stage {
  readonly client: Client;
  readonly tell: (line: string) => void;
  /** What was not as it was promised. */
  readonly problems: string[];
  polls: number;
}

const ROWS_A_CALL = 2_500;
const POLL_MS = 250;
const BUDGET_USD = 100;
/** A run that has not ended by then never will. */
const PATIENCE_MS = 30 * 60_000;

const rowsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `row-${first + at}`, input: `ticket ${first + at}` }));

export interface Accepted {
  readonly id: string;
  readonly calls: number;
  readonly acceptedMs: number;
}

/** A batch in as many calls as it takes: it is open until the last. */
export async function submit({ client, tell }: Stage, name: string, rows: number): Promise<Accepted> {
  const startMs = performance.now();
  const first = rowsFrom(0, Math.min(rows, ROWS_A_CALL));
  const wanted = { agent: 'one-step', budgetUsd: BUDGET_USD, open: true, rows: first };
  const { id } = await client.submitBatch(wanted, { idempotencyKey: name });
  let calls = 2;
  for (let sent = first.length; sent < rows; sent += ROWS_A_CALL) {
    await client.addRows(id, rowsFrom(sent, Math.min(ROWS_A_CALL, rows - sent)));
    calls += 1;
  }
  await client.closeBatch(id);
  const acceptedMs = performance.now() - startMs;
  tell(`accepted ${rows} rows in ${seconds(acceptedMs)}`);
  return { id, calls, acceptedMs };
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export const ended = ({ counts }: Batch): number =>
  counts.succeeded + counts.stopped + counts.failed + counts.cancelled;

/** Looks at the batch until it is so; at every look its counts add up to its rows, and its money is within the pool. */
export async function until(
  stage: Stage,
  id: string,
  is: (batch: Batch) => boolean,
  pollMs = POLL_MS,
): Promise<Batch> {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const batch = await stage.client.batch(id);
    stage.polls += 1;
    stage.problems.push(...wrongWith(batch));
    if (stage.polls % 40 === 0) stage.tell(`${ended(batch)} of ${batch.rows} rows have ended`);
    if (is(batch)) return batch;
    if (performance.now() > endMs) throw new Error(`batch ${id} does not get on: ${JSON.stringify(batch)}`);
    await sleep(pollMs);
  }
}

function wrongWith(batch: Batch): readonly string[] {
  const sum = Object.values(batch.counts).reduce((total, count) => total + count, 0);
  const { spentUsd, reservedUsd, budgetUsd } = batch.cost;
  const over = budgetUsd !== null && spentUsd + reservedUsd > budgetUsd + 1e-9;
  return [
    ...(sum === batch.rows ? [] : [`counts add up to ${sum}, there are ${batch.rows} rows`]),
    ...(over ? [`$${spentUsd + reservedUsd} spent and reserved, the pool is $${budgetUsd}`] : []),
  ];
}
