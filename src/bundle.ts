import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildSync, type Metafile } from 'esbuild';
import { TerminalError } from './core/errors.ts';
import { installation, moduleOptions, resolveHere } from './module-options.ts';
import type { ModelProvider } from './settings.ts';

/** The functions that are deployed, by the names of their files. */
export const functionNames = ['worker', 'api', 'reconciler', 'dead-letter'] as const;
export type FunctionName = (typeof functionNames)[number];

export interface BundleOptions {
  /** Where the functions go. What is in it is removed. */
  readonly outDir: string;
  /** A module that exports `agents`: TypeScript or JavaScript, anywhere. @default the shipped agent `triage` */
  readonly agents?: string;
  /** Who serves the model. The worker must be told the same by `MODEL_PROVIDER`. @default 'anthropic' */
  readonly provider?: ModelProvider;
  /** The functions are to send telemetry, where their environment says to whom. @default false */
  readonly telemetry?: boolean;
}

export interface Bundled {
  /** What a function needs, and nothing else: the folder to be zipped, whose handler is `index.handler`. */
  readonly folderOf: (name: FunctionName) => string;
  /** Of all functions; its paths are relative to the installation. */
  readonly metafile: Metafile;
}

/** The optional packages by which the others are reached: only their bundles hold them. */
const packages = {
  anthropic: undefined,
  'claude-platform': '@anthropic-ai/aws-sdk',
  bedrock: '@anthropic-ai/bedrock-sdk',
} as const satisfies Record<ModelProvider, string | undefined>;

/**
 * Bundles all functions, each to a folder `<outDir>/<name>` of its own. One run for each, because chunks shared by all
 * would be more and smaller, and each costs at a cold start. Synchronous, because constructs are.
 */
export function bundleFunctions(options: BundleOptions): Bundled {
  const { outDir, agents, provider = 'anthropic', telemetry = false } = options;
  const out = resolve(outDir);
  // What the functions import by a name of ours, so that it can be another module in a bundle.
  const alias = {
    ...moduleOptions.alias,
    '@aws-sdk/credential-provider-node': join(installation, 'src/adapters/function-credentials.ts'),
    '#agents': agents === undefined ? join(installation, 'src/agents/deployed.ts') : resolve(agents),
    '#provider': join(installation, `src/providers/${provider}.ts`),
    '#telemetry': join(installation, `src/telemetry/${telemetry ? 'otlp' : 'none'}.ts`),
  };
  mustBeInstalled(provider);
  rmSync(out, { recursive: true, force: true });
  const metafiles = functionNames.map((name) => withoutOrphans(bundleOne(name, join(out, name), alias)));
  return {
    folderOf: (name) => join(out, name),
    metafile: {
      inputs: Object.assign({}, ...metafiles.map(({ inputs }) => inputs)),
      outputs: Object.assign({}, ...metafiles.map(({ outputs }) => outputs)),
    },
  };
}

function bundleOne(name: FunctionName, outdir: string, alias: Readonly<Record<string, string>>): Metafile {
  try {
    return buildSync({
      ...moduleOptions,
      absWorkingDir: installation,
      alias: { ...alias },
      entryPoints: { index: `functions/${name}.ts` },
      outdir,
      outExtension: { '.js': '.mjs' },
      chunkNames: 'chunks/[name]-[hash]',
      minify: true,
      splitting: true,
      // The credential chain for machines of persons: the clients of AWS bring the one that functions use.
      external: ['@aws-sdk/credential-providers'],
      metafile: true,
    }).metafile;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n').slice(0, 3).join(' ') : 'unknown';
    throw new TerminalError('unbundled', `the function ${name} cannot be bundled: ${why}`, { cause });
  }
}

/** Removes chunks that nothing loads: esbuild writes them for imports that it then drops. */
function withoutOrphans({ inputs, outputs }: Metafile): Metafile {
  const loaded = new Set(
    Object.keys(outputs).filter((path) => outputs[path]?.entryPoint?.startsWith('functions/')),
  );
  for (const path of loaded) {
    for (const { path: next, external } of outputs[path]?.imports ?? [])
      if (external !== true) loaded.add(next);
  }
  const kept = Object.entries(outputs).filter(([path]) => {
    if (!loaded.has(path)) rmSync(join(installation, path));
    return loaded.has(path);
  });
  return { inputs, outputs: Object.fromEntries(kept) };
}

function mustBeInstalled(provider: ModelProvider): void {
  const name = packages[provider];
  if (name === undefined) return;
  try {
    resolveHere(name);
  } catch (cause) {
    const message = `the provider ${provider} needs a package that is not there: npm install ${name}`;
    throw new TerminalError('missing_package', message, { cause });
  }
}
