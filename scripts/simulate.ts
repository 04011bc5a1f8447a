import { writeSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { playReference, playSeed } from '../src/testing/simulation/explore.ts';
import { nameOf } from '../src/testing/simulation/faults.ts';
import { referenceJobs } from '../src/testing/simulation/reference-jobs.ts';
import { sampleCast } from '../src/testing/simulation/sample-agents.ts';
import { bundleWorker } from './simulate/bundle.ts';
import { simulateAll, type Total } from './simulate/pool.ts';
import { describeFound, faultTable, rarest } from './simulate/report.ts';
import type { Report, Task } from './simulate/worker.ts';

interface Options {
  readonly seeds: number;
  readonly from: number;
  readonly minutes: number;
  readonly pairs: boolean;
  readonly atLeast: number;
  readonly table: boolean;
  readonly seed?: number;
  readonly job?: string;
  readonly faults?: string;
}

const whole = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new InvalidArgumentError('a whole number from 0 up is due');
  return value;
};
const positive = (text: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('a number over 0 is due');
  return value;
};

const command = new Command('simulate')
  .description(
    'Runs the whole system in simulated worlds that break down everywhere, and judges it after every event.',
  )
  .option('--seeds <n>', 'random schedules', whole, 20_000)
  .option('--from <seed>', 'the first seed', whole, 1)
  .option('--minutes <m>', 'the longest that random schedules may take', positive, 60)
  .option('--pairs', 'every pair of crashes of the reference jobs as well', false)
  .option('--table', 'how often each fault struck at each seam', false)
  .option('--at-least <n>', 'fail when a fault struck at a seam less often', whole, 0)
  .option('--seed <seed>', 'play one schedule again', whole)
  .option('--job <name>', 'of this reference job')
  .option('--faults <names>', 'with exactly these faults, divided by "; "');

const CHUNK = 250;
/** The machine draw that every reference job is played with. */
const REFERENCE_SEED = 1;
const PARTS = 16;

function* tasksOf({ seeds, from, pairs }: Options): Generator<Task> {
  for (const job of referenceJobs.keys()) yield { type: 'singles', job, seed: REFERENCE_SEED };
  if (pairs) {
    for (const job of referenceJobs.keys()) {
      for (let part = 0; part < PARTS; part += 1) yield { type: 'pairs', job, seed: 1, part, of: PARTS };
    }
  }
  for (let at = 0; at < seeds; at += CHUNK)
    yield { type: 'seeds', from: from + at, count: Math.min(CHUNK, seeds - at) };
}

// Written at once, so that a reader who pipes this loses nothing.
const say = (text: string): void => void writeSync(1, `${text}\n`);

const big = (count: number): string => Math.round(count).toLocaleString('en-US');

function progress(options: Options): (total: Total, report: Report) => void {
  let saidMs = Date.now();
  return (total) => {
    if (Date.now() - saidMs < 2_000) return;
    saidMs = Date.now();
    process.stderr.write(
      `${big(total.schedules)} schedules (${big(options.seeds)} random ones wanted), ${big(total.steps)} steps\n`,
    );
  };
}

async function search(options: Options): Promise<number> {
  const endMs = Date.now() + options.minutes * 60_000;
  const startedMs = Date.now();
  const perKind = new Map<string, number>();
  const bundle = await bundleWorker();
  const tell = progress(options);
  const total = await simulateAll({
    file: bundle.file,
    tasks: tasksOf(options),
    goOn: ({ found }) => found.length === 0 && Date.now() < endMs,
    onReport: (sum, report) => {
      const { type } = report.task;
      perKind.set(type, (perKind.get(type) ?? 0) + report.schedules);
      tell(sum, report);
    },
  }).finally(bundle.remove);
  const kinds = { singles: 'with one fault', pairs: 'with two crashes', seeds: 'random' } as const;
  const parts = Object.entries(kinds).flatMap(([type, words]) =>
    perKind.has(type) ? [`${big(perKind.get(type) ?? 0)} ${words}`] : [],
  );
  if (options.table) say(faultTable(total.struck));
  const range = options.seeds === 0 ? '' : `; seeds ${options.from} to ${options.from + options.seeds - 1}`;
  say(`${big(total.schedules)} schedules (${parts.join(', ')}${range})`);
  const cores = total.cpuMs / 1000;
  say(
    `${big(total.steps)} steps, ${big(total.events)} events, ${big([...total.struck.values()].reduce((a, b) => a + b, 0))} faults ` +
      `in ${((Date.now() - startedMs) / 1000).toFixed(1)} s: ${big(total.steps / cores)} steps a second a core`,
  );
  for (const found of total.found) say(describeFound(found));
  if (total.found.length > 0) return 1;
  const rare = rarest(total.struck, options.atLeast);
  for (const [name, count] of rare)
    say(`too seldom: ${name} struck ${count} times, at least ${options.atLeast} are due`);
  say(rare.length > 0 ? 'no rule was broken, and not everything was tried' : 'no rule was broken');
  return rare.length > 0 ? 1 : 0;
}

/** Plays one schedule and shows what struck, and what broke. */
async function replay(options: Options, seed: number): Promise<number> {
  const faults = options.faults?.split('; ').filter((name) => name !== '');
  const job = referenceJobs.find(({ name }) => name === options.job);
  if (options.job !== undefined && job === undefined) {
    say(`no reference job "${options.job}"; they are: ${referenceJobs.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const played =
    job === undefined
      ? await playSeed(seed, sampleCast, faults)
      : await playReference(job, sampleCast, seed, faults ?? []);
  for (const struck of played.struck) say(nameOf(struck));
  say(`${played.steps} steps, ${played.events} events, ${played.requests} requests`);
  const { violation } = played;
  say(
    violation === undefined
      ? 'no rule was broken'
      : `broken: ${violation.invariant}: ${violation.jobId}: ${violation.what}`,
  );
  return violation === undefined ? 0 : 1;
}

const options = command.parse().opts<Options>();
process.exitCode = options.seed === undefined ? await search(options) : await replay(options, options.seed);
