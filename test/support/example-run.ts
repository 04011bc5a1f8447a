import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createClaude } from '../../src/adapters/claude.ts';
import { createScriptedModel, type ScriptedModel } from '../../src/adapters/scripted-model/model.ts';
import { scriptedFetch } from '../../src/adapters/scripted-model/scripted-fetch.ts';
import { ticketPrompt } from '../../src/agents/triage.ts';
import { rowJobId, rowKeyAt } from '../../src/app/batch-turn.ts';
import type { NewRow } from '../../src/app/batches.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { type BatchState, readBatchState } from '../../src/cli/watch-batch.ts';
import type { Job } from '../../src/core/job.ts';
import { exampleBrain } from '../../src/local/brains/index.ts';
import type { Model } from '../../src/ports.ts';
import { readTickets } from '../../src/tickets/read.ts';
import { sourceOf } from '../../src/tickets/source.ts';
import { handleOne, VISIBILITY_MS } from './drive.ts';
import type { TestWorld } from './world.ts';

/** The accepted rows of a shipped ticket file. */
export async function exampleRows(path: string): Promise<readonly NewRow[]> {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const rows: NewRow[] = [];
  for await (const outcome of readTickets(sourceOf(file, await readFile(file)))) {
    if (outcome.type !== 'accepted') continue;
    const { ticket, line } = outcome;
    rows.push({ id: ticket.id, line, input: ticketPrompt(ticket), metadata: {} });
  }
  return rows;
}

/** The strict model by rules, asked through the real SDK without a socket. */
export function strictModel(): { readonly model: ScriptedModel; readonly client: Model } {
  const model = createScriptedModel({ brain: exampleBrain });
  return {
    model,
    client: createClaude({ apiKey: 'x', baseURL: 'http://scripted', fetch: scriptedFetch(model) }),
  };
}

/** Runs a batch until nothing more happens without a person. */
export async function restingBatch(
  world: TestWorld,
  batchId: string,
): Promise<{ readonly state: BatchState; readonly jobs: readonly Job[] }> {
  for (let handled = 0; handled < 5_000; handled += 1) {
    const [message] = world.queue.receive(1, VISIBILITY_MS);
    if (message !== undefined) {
      await handleOne(world, message);
      continue;
    }
    const state = await readBatchState(world, batchId);
    if (state.atRest) return { state, jobs: await jobsOf(world, state) };
    const next = world.queue.nextVisibleMs() ?? world.clock.now() + 60_000;
    await world.clock.advance(Math.max(0, next - world.clock.now()));
    await reconcile(world);
  }
  throw new Error('the batch does not come to rest');
}

async function jobsOf(world: TestWorld, { batch }: BatchState): Promise<readonly Job[]> {
  const ids = await Promise.all(
    Array.from({ length: batch.cursor }, async (_, at) =>
      rowJobId(world, batch, await rowKeyAt(world, batch, at)),
    ),
  );
  return [...(await world.store.loadJobs(ids)).values()];
}
