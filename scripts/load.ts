import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { type Measured, measure } from './load/measure.ts';

const command = new Command('load')
  .description('Runs a batch of one-step rows on the local stack and holds it to what a batch promises.')
  .option('--rows <n>', 'rows of the batch', Number, 1_000)
  .option('--compare <n>', 'rows of a smaller batch that is run first, for its memory', Number, 0);
const { rows, compare } = command.parse().opts<{ rows: number; compare: number }>();

async function run(count: number): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-load-'));
  try {
    const measured = await measure(folder, count, (line) => process.stderr.write(`${line}\n`));
    process.stdout.write(`${describe(measured)}\n`);
    return measured;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function describe(measured: Measured): string {
  const { rows: count, acceptedMs, calls, doneMs, peakMb, polls, interactiveMs, problems } = measured;
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  return [
    `${count} rows: accepted in ${seconds(acceptedMs)} by ${calls} calls, done after ${seconds(doneMs)},`,
    `counts added up at ${polls} polls, memory peaked at ${peakMb.toFixed(0)} MB,`,
    `a single job beside them started after ${seconds(interactiveMs)}`,
    ...problems.map((problem) => `\n  BROKEN: ${problem}`),
  ].join(' ');
}

const small = compare > 0 ? await run(compare) : undefined;
const large = await run(rows);
if (small !== undefined) {
  const more = large.peakMb - small.peakMb;
  process.stdout.write(`${rows} rows took ${more.toFixed(0)} MB more than ${compare}\n`);
}
process.exitCode = [small, large].some((one) => (one?.problems.length ?? 0) > 0) ? 1 : 0;
