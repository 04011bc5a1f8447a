import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { TerminalError } from '../core/errors.ts';
import { hasCode } from '../local/folder-lock.ts';

const remoteRun = z.object({
  /** Equal for the same tickets, agent and limits. */
  print: z.string(),
  endpoint: z.string(),
  agentVersion: z.string(),
  /** The idempotency key of its batch: with the same body it is the same batch, however often it is asked for. */
  key: z.string(),
  /** The pool that its batch was made with. */
  budgetUsd: z.number(),
  /** Null until the deployment has answered. */
  batchId: z.string().nullable(),
  /** All rows were sent, and the batch was closed. */
  sent: z.boolean(),
  /** The batch is over, and its results were written. */
  finished: z.boolean(),
});
const stored = z.object({ v: z.literal(1), runs: z.array(remoteRun) });

/** What is remembered of a run on a deployment. */
export type RemoteRun = Readonly<z.infer<typeof remoteRun>>;

export interface RunMemory {
  /** Unfinished runs that `fresh` has made forgotten: their deployments know nothing of it. */
  readonly forgotten: readonly RemoteRun[];
  readonly runs: () => readonly RemoteRun[];
  /** Puts a run in the place of the one with its key, or of another one, and writes all of them down before it returns. */
  readonly save: (run: RemoteRun, insteadOf?: RemoteRun) => Promise<void>;
}

/** The runs on deployments that a data folder remembers; with `fresh` none. The folder must be ours alone. */
export async function openRunMemory(folder: string, fresh: boolean): Promise<RunMemory> {
  const file = join(folder, 'deployment-runs.json');
  const before = await readRuns(file).catch((error: unknown) => {
    if (fresh && error instanceof TerminalError) return [];
    throw error;
  });
  let runs = fresh ? [] : before;
  return {
    forgotten: fresh ? before.filter(({ batchId, finished }) => batchId !== null && !finished) : [],
    runs: () => runs,
    save: async (run, insteadOf = run) => {
      runs = [...runs.filter(({ key }) => key !== run.key && key !== insteadOf.key), run];
      await writeFile(`${file}.new`, `${JSON.stringify({ v: 1, runs })}\n`);
      await rename(`${file}.new`, file);
    },
  };
}

async function readRuns(file: string): Promise<readonly RemoteRun[]> {
  try {
    return stored.parse(JSON.parse(await readFile(file, 'utf8'))).runs;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
    const why = 'it is none of this version: name another folder with --data, or give it up with --fresh';
    throw new TerminalError('invalid_data_dir', `${file} cannot be used: ${why}`, { cause: error });
  }
}
