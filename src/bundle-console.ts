import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { TerminalError } from './core/errors.ts';
import { installation } from './module-options.ts';

/** Everything that the console is made of beside its page, by file name. */
export type ConsoleAssets = ReadonlyMap<string, Uint8Array>;

const sources = join(installation, 'src/console');
const built = join(installation, 'dist/console');

/** Bundles the console for browsers: one script, one style sheet, nothing that is fetched from elsewhere. */
export async function bundleConsole(): Promise<ConsoleAssets> {
  try {
    const { outputFiles } = await build({
      absWorkingDir: installation,
      entryPoints: [
        { in: 'src/console/main.tsx', out: 'console' },
        { in: 'src/console/styles/console.css', out: 'console' },
      ],
      outdir: built,
      write: false,
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      logLevel: 'silent',
    });
    return new Map(outputFiles.map(({ path, contents }) => [path.slice(built.length + 1), contents]));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n').slice(0, 3).join(' ') : 'unknown';
    throw new TerminalError('unbundled', `the console cannot be bundled: ${why}`, { cause });
  }
}

/** The assets as they were built, or bundled now where the sources are newer: a clone needs no build first. */
export async function loadConsole(): Promise<ConsoleAssets> {
  if (!existsSync(built) || oldestIn(built) < newestIn(sources)) return bundleConsole();
  return new Map(readdirSync(built).map((name) => [name, readFileSync(join(built, name))]));
}

const timesIn = (folder: string): readonly number[] =>
  readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, String(name))).mtimeMs);
const newestIn = (folder: string): number => Math.max(...timesIn(folder));
const oldestIn = (folder: string): number => Math.min(...timesIn(folder));
