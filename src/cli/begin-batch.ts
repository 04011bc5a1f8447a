import { batchIdOf, createBatch, type NewRow } from '../app/batches.ts';
import { extendBatch } from '../app/manage-batch.ts';
import type { World } from '../app/world.ts';
import type { Agent } from '../core/agent.ts';
import { type Batch, isTurning } from '../core/batch.ts';
import { TerminalError } from '../core/errors.ts';
import { freeze } from '../core/frozen-agent.ts';
import { microUsd } from '../core/job.ts';
import type { PriceTable } from '../core/prices.ts';
import type { ChosenModel } from '../local/choose-model.ts';
import { ticketRow } from '../ticket-rows.ts';
import { poolUsd } from './announce.ts';
import type { Input } from './read-input.ts';
import type { Terminal } from './terminal.ts';
import type { TriageOptions } from './triage.ts';

/** All that one run of `triage` on this machine works with. */
export interface LocalWork {
  readonly options: TriageOptions;
  readonly terminal: Terminal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly agents: readonly Agent[];
  readonly agent: Agent;
  readonly input: Input;
  readonly prices: PriceTable;
  readonly model: ChosenModel;
  readonly dataPath: string;
  /** The run before this one was killed. */
  readonly killed: boolean;
}

const TENANT = 'default';

/** The key by which the same rows, agent and limits find their batch again. */
function runKey({ agent, input }: LocalWork, world: World): string {
  const version = world.ids.hash(freeze(agent));
  return world.ids.hash(JSON.stringify([version, agent.limits, input.tally.accepted, input.digest]));
}

async function* rowsOf({ agent, input }: LocalWork): AsyncGenerator<NewRow> {
  for await (const row of input.rows()) yield ticketRow(row, agent);
}

/** An unfinished run of other rows or limits would go on beside this one, outside its budget and its totals. */
export async function refuseOtherRun(work: LocalWork, world: World): Promise<void> {
  const mine = batchIdOf(world, TENANT, runKey(work, world));
  const live = await world.store.listOf('live_batches', TENANT, { limit: 100 });
  const heads = await world.store.loadBatches(live.map(({ id }) => id));
  if ([...heads.values()].some((batch) => batch.id !== mine && isTurning(batch)))
    throw unfinishedRun(work.dataPath);
}

export function unfinishedRun(dataPath: string): TerminalError {
  return new TerminalError(
    'unfinished_run',
    `${dataPath} holds an unfinished run of other tickets or limits: finish it with the command that began it, ` +
      'name another folder with --data or --out, or give it up with --fresh',
  );
}

/** Said where an earlier command began the run: its tickets are neither sent nor paid for again. */
export function carriedOnText(ended: number, rows: number): string {
  return `Carries on with a run begun before: ${ended} of its ${rows} tickets have ended.\n`;
}

interface Begun {
  readonly batch: Batch;
  /** It was over before. */
  readonly again: boolean;
  /** It was begun before, and is not over. */
  readonly carriesOn: boolean;
}

const begun = (batch: Batch): Begun => ({ batch, again: !isTurning(batch), carriesOn: isTurning(batch) });

/** Creates the batch of this run, or finds the one that the same rows, agent and limits made before. */
export async function beginBatch(work: LocalWork, world: World): Promise<Begun> {
  const { agent, options } = work;
  const key = runKey(work, world);
  const budget = microUsd(poolUsd({ ...work, ceilingUsd: agent.limits.maxCostUsd }));
  const before = await world.store.loadBatch(batchIdOf(world, TENANT, key));
  if (before === undefined) {
    const { concurrency } = options;
    const wanted = { tenant: TENANT, agent: agent.name, key, rows: rowsOf(work), budget, concurrency };
    return { batch: await createBatch(world, wanted), again: false, carriesOn: false };
  }
  const more = Math.max(0, budget - before.budget);
  if (more > 0 || options.concurrency !== before.concurrency) {
    const { concurrency } = options;
    const wanted = { tenant: TENANT, batchId: before.id, addMicroUsd: more, concurrency };
    const extended = await extendBatch(world, wanted);
    if (extended.type === 'accepted') return begun(extended.batch);
  }
  return begun(before);
}
