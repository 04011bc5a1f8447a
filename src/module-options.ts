import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

/** The folder of this installation. */
export const installation = fileURLToPath(new URL('..', import.meta.url));

/** Resolves names as the modules of this installation do. */
export const resolveHere = createRequire(import.meta.url).resolve;

/**
 * How modules are bundled for Node: functions and the agents of users alike, so that agents that load here do so on
 * Lambda. `treadle` and `zod` are those of this installation, whatever stands beside the module: a schema of another
 * zod would not be known as one. The names in the banner are nobody else's, because a module may make its own `require`.
 */
export const moduleOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  mainFields: ['module', 'main'],
  logLevel: 'silent',
  alias: {
    treadle: join(installation, 'src/index.ts'),
    zod: dirname(resolveHere('zod/package.json')),
  },
  banner: {
    js: "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);",
  },
} as const satisfies BuildOptions;
