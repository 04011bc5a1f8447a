import { rmSync, writeFileSync } from 'node:fs';
import { bundleFunctions } from '../src/bundle.ts';
import { buildConsole } from './build/console.ts';

rmSync('dist', { recursive: true, force: true });
const { metafile } = bundleFunctions({ outDir: 'dist/functions' });
// For whoever asks what a function is made of: https://esbuild.github.io/analyze/ reads it.
writeFileSync('dist/metafile.json', JSON.stringify(metafile));
for (const [file, { bytes }] of Object.entries(metafile.outputs)) {
  process.stdout.write(`${(bytes / 1000).toFixed(0).padStart(6)} KB  ${file}\n`);
}
await buildConsole();
