import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { type Measured, measure } from './load/measure.ts';
import { seconds } from './load/stage.ts';

const command = new Command('load')
  .description('Runs batches of one-step rows on the local stack and holds them to what a batch promises.')
  .option('--rows <n>', 'rows of the batch', Number, 1_000)
  .option('--compare <n>', 'rows of a smaller batch that is run first, for its memory', Number, 0);
const { rows, compare } = command.parse().opts<{ rows: number; compare: number }>();

/** What a run may take of memory beyond the smaller one. */
const MORE_MB = 100;

const say = (line: string): boolean => process.stdout.write(`${line}\n`);

async function run(count: number): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-load-'));
  try {
    const measured = await measure(folder, count, (line) => process.stderr.write(`${line}\n`));
    describe(measured);
    return measured;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function describe({ rows: count, accepted, doneMs, interactive, cancelled, ...found }: Measured): void {
  const { longSteps, rowsRunning, rowsAdmissible, startMs } = interactive;
  say(`${count} rows:`);
  say(
    `  accepted in ${seconds(accepted.acceptedMs)} by ${accepted.calls} calls, done after ${seconds(doneMs)}`,
  );
  say(
    `  a single job started after ${seconds(startMs)}: all places were busy (${longSteps} long steps, ${rowsRunning} rows), ${rowsAdmissible} rows waited`,
  );
  say(
    `  ${cancelled.rows} rows cancelled when ${cancelled.ended} had ended: over after ${seconds(cancelled.ms)}`,
  );
  say(`  counts added up at ${found.polls} polls, memory peaked at ${found.peakMb.toFixed(0)} MB`);
  for (const problem of found.problems) say(`  BROKEN: ${problem}`);
}

const small = compare > 0 ? await run(compare) : undefined;
const large = await run(rows);
let broken = [small, large].some((one) => (one?.problems.length ?? 0) > 0);
if (small !== undefined) {
  const more = large.peakMb - small.peakMb;
  say(`${rows} rows took ${more.toFixed(0)} MB more than ${compare}`);
  if (more > MORE_MB) {
    say(`  BROKEN: more than ${MORE_MB} MB`);
    broken = true;
  }
}
process.exitCode = broken ? 1 : 0;
