import type { Batch, Client, Job } from '../../client.ts';
import { codeOf, exitCode, limits } from '../exit-codes.ts';
import { itemsOf } from './pages.ts';

/** The exit code by how a job ended; one that waits for a person is done as far as a program can do it. */
export function codeOfJob({ status, stop }: Job): number {
  if (status === 'awaiting_approval' || status === 'succeeded') return exitCode.done;
  return codeOf({
    rejected: 0,
    stopReasons: stop === null ? {} : { [stop.reason]: 1 },
    jobs: { notStarted: 0, failed: 0, cancelled: 0, stopped: 0, ...{ [status]: 1 } },
  });
}

/** The exit code by how the rows of a batch stand that has ended, is paused, or waits for people. */
export async function codeOfBatch(client: Client, batch: Batch): Promise<number> {
  const { failed, cancelled, stopped, queued, rejected } = batch.counts;
  const limited = stopped > 0 && (await anyLimited(client, batch.id));
  return codeOf({
    rejected,
    stopReasons: limited ? { max_steps: 1 } : {},
    jobs: { failed, cancelled, stopped, notStarted: queued },
  });
}

/** The counts of a batch say how many were stopped, its jobs by what. */
async function anyLimited(client: Client, batch: string): Promise<boolean> {
  const stopped = itemsOf((page) => client.jobs({ batch, status: 'stopped', ...page }));
  for await (const { stop } of stopped) {
    if (stop !== null && limits.has(stop.reason)) return true;
  }
  return false;
}
