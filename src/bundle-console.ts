import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { TerminalError } from './core/errors.ts';
import { installation } from './module-options.ts';

/** Everything that the console is made of, by file name: its page, one script, one style sheet. */
export type ConsoleAssets = ReadonlyMap<string, Uint8Array>;

export const CONSOLE_PAGE = 'index.html';

const sources = join(installation, 'src/console');
const built = join(installation, 'dist/console');

/** Bundles the console for browsers: nothing in it is fetched from elsewhere. */
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
      // The same code for a browser, which has no Buffer.
      alias: { 'csv-stringify/sync': 'csv-stringify/browser/esm/sync' },
      logLevel: 'silent',
    });
    const bundled = outputFiles.map(
      ({ path, contents }) => [path.slice(built.length + 1), contents] as const,
    );
    return new Map([[CONSOLE_PAGE, readFileSync(join(sources, CONSOLE_PAGE))], ...bundled]);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n').slice(0, 3).join(' ') : 'unknown';
    throw new TerminalError('unbundled', `the console cannot be bundled: ${why}`, { cause });
  }
}

/** The package brings the built assets and no sources; a clone has the sources, which are bundled as they are now. */
export async function loadConsole(): Promise<ConsoleAssets> {
  if (existsSync(sources)) return bundleConsole();
  return new Map(readdirSync(built).map((name) => [name, readFileSync(join(built, name))]));
}
