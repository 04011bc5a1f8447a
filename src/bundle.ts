import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, type Metafile } from 'esbuild';

/** The functions that are deployed, by the names of their files. */
export const functionNames = ['worker', 'api', 'reconciler', 'dead-letter'] as const;
export type FunctionName = (typeof functionNames)[number];

export interface BundleOptions {
  /** Where the functions go. What is in it is removed. */
  readonly outDir: string;
}

export interface Bundled {
  /** What a function needs, and nothing else: the folder to be zipped, whose handler is `index.handler`. */
  readonly folderOf: (name: FunctionName) => string;
  readonly metafile: Metafile;
}

const root = fileURLToPath(new URL('..', import.meta.url));

/** Bundles all functions, each to `<outDir>/<name>/index.mjs`. Synchronous, because constructs are. */
export function bundleFunctions({ outDir }: BundleOptions): Bundled {
  const out = resolve(outDir);
  rmSync(out, { recursive: true, force: true });
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(functionNames.map((name) => [`${name}/index`, `functions/${name}.ts`])),
    outdir: out,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    metafile: true,
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return { folderOf: (name) => join(out, name), metafile };
}
