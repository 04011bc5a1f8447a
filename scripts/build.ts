import { rmSync } from 'node:fs';
import { build } from 'esbuild';

const functions = ['worker', 'api', 'reconciler', 'dead-letter'];

rmSync('dist', { recursive: true, force: true });
const result = await build({
  entryPoints: Object.fromEntries(functions.map((name) => [`${name}/index`, `functions/${name}.ts`])),
  outdir: 'dist/functions',
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
for (const [file, { bytes }] of Object.entries(result.metafile.outputs)) {
  process.stdout.write(`${(bytes / 1000).toFixed(0).padStart(6)} KB  ${file}\n`);
}
