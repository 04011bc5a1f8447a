import type { Client, Job } from '../../client.ts';
import { printedJson } from '../../core/printed.ts';
import { exitCode } from '../exit-codes.ts';
import type { Asking } from './asking.ts';
import { confirmed } from './confirm.ts';
import { jobLine } from './shown.ts';

/** Changes a job, and says how it stands then. */
export async function changeJob(
  { client, terminal, json }: Asking,
  change: (client: Client) => Promise<Job>,
): Promise<number> {
  const job = await change(client);
  terminal.out(json ? `${printedJson(job)}\n` : jobLine(job, terminal.color));
  return exitCode.done;
}

/** Deletes what an ended job holds. On a terminal a person is asked first. */
export async function deleteJob(asking: Asking, id: string, yes: boolean): Promise<number> {
  const { client, terminal, json } = asking;
  const question = `Delete the input, transcript and results of ${id} for good?`;
  if (!yes && !(await confirmed(asking, question))) {
    terminal.err('Nothing is deleted.\n');
    return exitCode.error;
  }
  await client.deleteJob(id);
  if (!json) terminal.out(`${id}  deleted: its cost and the reason of its end stay\n`);
  return exitCode.done;
}
