import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildSync, type Metafile } from 'esbuild';
import type { Bundled, FunctionName } from '../../src/bundle.ts';
import { zipFolder } from './zip.ts';

export interface Sizes {
  readonly name: FunctionName;
  /** Bytes that are loaded before the first event: what `index.mjs` imports statically, and what that does. */
  readonly startBytes: number;
  readonly startFiles: number;
  readonly allBytes: number;
  readonly zipBytes: number;
  /** Of what is loaded at the start, those of our own sources. */
  readonly ownBytes: number;
}

type Outputs = Metafile['outputs'];

function entryOf(outputs: Outputs, name: FunctionName): string {
  const found = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === `functions/${name}.ts`);
  if (found === undefined) throw new Error(`no output for ${name}`);
  return found;
}

/** The files that are loaded with an entry; those of dynamic imports apart. */
function loadedWith(outputs: Outputs, entry: string): ReadonlySet<string> {
  const loaded = new Set([entry]);
  for (const path of loaded) {
    for (const { path: next, kind, external } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && external !== true) loaded.add(next);
    }
  }
  return loaded;
}

const isOwn = (input: string): boolean => /^(src|functions)\//.test(input);

export function measure({ metafile: { outputs }, folderOf }: Bundled, name: FunctionName): Sizes {
  const entry = entryOf(outputs, name);
  const start = [...loadedWith(outputs, entry)];
  const sum = (paths: readonly string[]): number =>
    paths.reduce((bytes, path) => bytes + (outputs[path]?.bytes ?? 0), 0);
  const own = start
    .flatMap((path) => Object.entries(outputs[path]?.inputs ?? {}))
    .filter(([input]) => isOwn(input))
    .reduce((bytes, [, { bytesInOutput }]) => bytes + bytesInOutput, 0);
  return {
    name,
    startBytes: sum(start),
    startFiles: start.length,
    allBytes: sum(Object.keys(outputs).filter((path) => path.startsWith(join(entry, '..')))),
    zipBytes: zipFolder(folderOf(name)).length,
    ownBytes: own,
  };
}

/** What has no place on Lambda: the local system, tests, the stack, build tools, sign-on, the languages of zod's messages. */
const foreign =
  /^(src\/(local|testing|cli)|test|scripts|infra)\/|node_modules\/(aws-cdk-lib|constructs|esbuild|dynalite|fauxqs|tsx)\/|credential-provider-(sso|ini|process|login)\/|zod\/v\d\/locales\/(?!(en|index)\.)/;

/** Inputs of any function that have no place in it, if only with a byte. */
export function foreignInputs({ metafile: { outputs } }: Bundled): readonly string[] {
  const used = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
  );
  return [...new Set(used)].filter((input) => foreign.test(input.replace(/^(\.\.\/)+/, '')));
}

/** Our own code of a function alone, minified and compressed: its part of the archive. */
export function ownZipBytes(root: string, name: FunctionName, alias: Record<string, string>): number {
  const { outputFiles } = buildSync({
    ...{ absWorkingDir: root, alias, entryPoints: [`functions/${name}.ts`], write: false },
    ...{
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
    },
  });
  return outputFiles.reduce((bytes, { contents }) => bytes + gzipSync(contents).length, 0);
}
