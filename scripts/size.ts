import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSync } from 'esbuild';
import { bundleFunctions, functionNames } from '../src/bundle.ts';
import { installation } from '../src/module-options.ts';
import { compareImports, type ImportTime } from './size/import-time.ts';
import { foreignInputs, measure, ownZipBytes } from './size/measure.ts';

/*
 * How large the functions are, against a budget: exits 1 when over. The worker is what counts, because it starts anew
 * with every rise of the load. Its import is compared with a bundle made without any of our care, by the same machine
 * in the same minute: `npm run size -- --rounds 30` looks longer.
 */
const budget = { startKb: 560, zipKb: 270, ownZipKb: 70, importPercent: 60 } as const;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '11' } } });
const folder = mkdtempSync(join(tmpdir(), 'treadle-size-'));
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const kb = (bytes: number): string => (bytes / 1000).toFixed(1).padStart(8);
const own = {
  '#agents': join(installation, 'src/agents/deployed.ts'),
  '#provider': join(installation, 'src/providers/anthropic.ts'),
  '#telemetry': join(installation, 'src/telemetry/none.ts'),
};

/** One file, everything in it, by esbuild's own choice of what a package offers. */
function plainBundle(): string {
  const outfile = join(folder, 'plain.mjs');
  buildSync({
    ...{ absWorkingDir: installation, alias: own, entryPoints: ['functions/worker.ts'], outfile },
    ...{ bundle: true, minify: true, format: 'esm', platform: 'node', target: 'node20' },
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return outfile;
}

const share = ([ours, others]: readonly [ImportTime, ImportTime]): number =>
  (ours.cpuMs / others.cpuMs) * 100;

/** The best of three comparisons, where the first is over: what else the machine does can only make ours look worse. */
function compareWell(worker: string, plain: string): readonly [ImportTime, ImportTime] {
  const compare = () => compareImports(worker, plain, Number(values.rounds));
  let best = compare();
  for (let left = 2; left > 0 && share(best) > budget.importPercent; left -= 1) {
    const next = compare();
    if (share(next) < share(best)) best = next;
  }
  return best;
}

try {
  const bundled = bundleFunctions({ outDir: join(folder, 'functions') });
  const sizes = functionNames.map((name) => measure(bundled, name));
  say('KB           at start  (files)     all     zip  ours at start');
  for (const { name, startBytes, startFiles, allBytes, zipBytes, ownBytes } of sizes) {
    const cells = [kb(startBytes), String(startFiles).padStart(8), kb(allBytes), kb(zipBytes), kb(ownBytes)];
    say(`${name.padEnd(12)} ${cells.join('')}`);
  }
  const plain = plainBundle();
  const worker = join(bundled.folderOf('worker'), 'index.mjs');
  const [ours, others] = compareWell(worker, plain);
  const [{ startBytes, zipBytes } = { startBytes: Number.NaN, zipBytes: Number.NaN }] = sizes;
  const checks: readonly (readonly [string, number, number])[] = [
    ['worker at start, KB', startBytes / 1000, budget.startKb],
    ['worker zipped, KB', zipBytes / 1000, budget.zipKb],
    ['of which our code, KB', ownZipBytes(installation, 'worker', own) / 1000, budget.ownZipKb],
    ['import, % of a plain bundle', share([ours, others]), budget.importPercent],
    ['modules without a place here', foreignInputs(bundled).length, 0],
  ];
  const line = ({ wallMs, cpuMs }: ImportTime): string =>
    `${cpuMs.toFixed(0)} ms CPU, ${wallMs.toFixed(0)} ms`;
  say(`\nimport: ${line(ours)}; plain bundle: ${line(others)}\n`);
  for (const [what, is, most] of checks) {
    say(
      `${is <= most ? 'ok  ' : 'OVER'}  ${what.padEnd(30)} ${is.toFixed(1).padStart(7)}  (at most ${most})`,
    );
    if (!(is <= most)) process.exitCode = 1;
  }
  for (const input of foreignInputs(bundled)) say(`      ${input}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
