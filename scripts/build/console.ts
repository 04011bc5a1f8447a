import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { bundleConsole } from '../../src/bundle-console.ts';

const folder = 'dist/console';

/** Writes the console's assets, as `dev` and `console` serve them. */
export async function buildConsole(): Promise<void> {
  const assets = await bundleConsole();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of assets) {
    writeFileSync(`${folder}/${name}`, bytes);
    const kilobytes = (gzipSync(bytes).length / 1000).toFixed(0).padStart(6);
    process.stdout.write(`${kilobytes} KB  ${folder}/${name}, compressed\n`);
  }
}
