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
  throw gone(asking, id);
}

/**
 * A remembered run as its deployment has it. A batch that was closed and is open was made anew under its key, so that rows
 * are to be sent. Where the batch is gone nobody asked to pay for it again: another tenant's looks the same.
 */
export async function findRun(run: RemoteRun, asking: Asking): Promise<RemoteRun> {
  if (run.batchId === null) return run;
  const batch = await batchIfThere(asking, run.batchId);
  const empty = run.sent && batch?.status === 'open' && batch.rows === 0;
  if (batch === undefined || (run.finished && empty)) throw gone(asking, run.batchId);
  return { ...run, sent: run.sent && batch.status !== 'open' };
}

function gone({ endpoint }: Pick<Asking, 'endpoint'>, batchId: string): TerminalError {
  const why = `${endpoint} has no ${batchId} of this run (any more, or for who asks now)`;
  return new TerminalError('batch_gone', `${why}: --fresh begins a new run, which costs again`);
}
