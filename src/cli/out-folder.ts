import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { TerminalError } from '../core/errors.ts';
import { hasCode } from '../local/folder-lock.ts';
import { makeFolder } from '../local/make-folder.ts';

/** What a run writes into its out folder, whatever stood there. */
const written = ['results.jsonl', 'results.csv', 'report.html', 'rejected.jsonl'];

/** Makes the folder of the results before money is spent on them. Refused where a result would replace a file of tickets. */
export async function openOut(out: string, files: readonly string[]): Promise<void> {
  await makeFolder(out).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT', 'EEXIST', 'ENOTDIR')) throw error;
    throw new TerminalError('usage', `--out ${out}: no folder can be made there`, { cause: error });
  });
  const results = await Promise.all(written.map((name) => placeOf(join(out, name))));
  for (const file of files.filter((name) => name !== '-')) {
    const place = await placeOf(file);
    if (place === undefined || !results.includes(place)) continue;
    const why = `${file} would be replaced by the results of its own tickets`;
    throw new TerminalError('usage', `${why}: name another folder with --out`);
  }
}

/** Undefined where nothing is there. */
async function placeOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}
