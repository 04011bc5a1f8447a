import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** One changed place in the source: `find` stands exactly once in `file`. */
export interface Edit {
  /** From the root of the project. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The file with the edit made. Throws when its text does not stand there exactly once. */
export async function edited({ file, find, replace }: Edit): Promise<string> {
  const text = await readFile(join(root, file), 'utf8');
  const places = text.split(find).length - 1;
  if (places !== 1) throw new Error(`${file}: the text to change stands there ${places} times: ${find}`);
  return text.replace(find, () => replace);
}

/** Bundles the simulating process into one file, which starts and runs faster than its sources; with an edit, if one is given. */
export async function bundleWorker(edit?: Edit): Promise<{ file: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'treadle-simulate-'));
  const file = join(folder, 'worker.mjs');
  const contents = edit === undefined ? undefined : await edited(edit);
  await build({
    entryPoints: [join(root, 'scripts/simulate/worker.ts')],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    plugins: [
      {
        name: 'edit',
        setup: ({ onLoad }) => {
          if (edit === undefined || contents === undefined) return;
          const path = resolve(root, edit.file);
          onLoad({ filter: /\.ts$/ }, (args) =>
            args.path === path ? { contents, loader: 'ts' } : undefined,
          );
        },
      },
    ],
  });
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}
