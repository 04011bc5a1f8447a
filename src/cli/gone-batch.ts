import { ApiError, type Batch } from '../client.ts';
import { TerminalError } from '../core/errors.ts';
import type { Asking } from './ask/asking.ts';
import type { RemoteRun } from './run-memory.ts';

/** A batch, or undefined where the deployment knows none of this id. */
export async function batchIfThere(
  { client }: Pick<Asking, 'client'>,
  id: string,
): Promise<Batch | undefined> {
  try {
    return await client.batch(id);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** A batch that is being watched. */
export async function watchedBatch(asking: Pick<Asking, 'client' | 'endpoint'>, id: string): Promise<Batch> {
  const batch = await batchIfThere(asking, id);
  if (batch !== undefined) return batch;
  const why = `${asking.endpoint} has no ${id} any more`;
  throw new TerminalError('batch_gone', `${why}: the same command begins a new run, which costs again`);
}

/** How much of a remembered run is still on its deployment. */
export type Found =
  | { readonly type: 'there'; readonly run: RemoteRun }
  /** Nothing of it: a new run takes its place. */
  | { readonly type: 'gone' };

/**
 * Looks for the batch of a remembered run. A batch that was closed and is open was made anew under its key, so that rows
 * are to be sent. A finished run of which nothing is left is refused: nobody asked to pay for it again.
 */
export async function findRun(run: RemoteRun, asking: Asking): Promise<Found> {
  if (run.batchId === null) return { type: 'there', run };
  const batch = await batchIfThere(asking, run.batchId);
  const empty = run.sent && batch?.status === 'open' && batch.rows === 0;
  if (run.finished && (batch === undefined || empty)) throw goneResults(run, run.batchId);
  if (batch === undefined) {
    asking.terminal.err(
      `${asking.endpoint} has no ${run.batchId} any more: this is a new run, and all tickets are sent again.\n`,
    );
    return { type: 'gone' };
  }
  return { type: 'there', run: { ...run, sent: run.sent && batch.status !== 'open' } };
}

function goneResults({ endpoint }: RemoteRun, batchId: string): TerminalError {
  const why = `this run was finished before, and ${endpoint} has no results of ${batchId} any more`;
  return new TerminalError('batch_gone', `${why}: --fresh runs the tickets again, which costs again`);
}
