import { Command, InvalidArgumentError, Option } from 'commander';
import { TerminalError } from '../../src/core/errors.ts';
import { type ChaosSwitches, readChaosSwitches } from '../../src/local/chaos-switches.ts';

export interface ChaosOptions {
  readonly jobs: number;
  readonly steps: number;
  /** Mean seconds between two kills; 0 for none. */
  readonly killEvery: number;
  readonly seed: number;
  readonly workers: number;
  readonly chaos: ChaosSwitches;
  /** Seconds after which jobs that have not ended count as lost. */
  readonly patience: number;
}

const USUAL = 'duplicate=0.1,lost-answer=0.05,throttle=0.02';

function whole(from: number, to: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    throw new InvalidArgumentError(`it is a whole number from ${from} to ${to}.`);
  };
}

function seconds(text: string): number {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value === 0 || (value >= 0.1 && value <= 3_600)) return value;
  throw new InvalidArgumentError('it is a number of seconds from 0.1 to 3600, or 0 for none.');
}

function switchesOf(text: string): ChaosSwitches {
  try {
    return readChaosSwitches(text);
  } catch (error) {
    if (error instanceof TerminalError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/** Reads the command line. Throws commander's own error, whose text has been printed, for wrong usage. */
export function readOptions(args: readonly string[]): ChaosOptions {
  return new Command('chaos')
    .description(
      'Runs many jobs while workers are killed and requests go wrong, and checks what came of them',
    )
    .option('--jobs <n>', 'jobs to run', whole(1, 10_000), 200)
    .option('--steps <n>', 'model steps of each job', whole(1, 50), 6)
    .option('--kill-every <s>', 'mean seconds between two kills of a worker, 0 for none', seconds, 2)
    .option('--seed <n>', 'what is drawn when', whole(0, 2_147_483_647), 1)
    .option('--workers <n>', 'worker processes', whole(1, 16), 4)
    .option('--patience <s>', 'seconds after which a job that has not ended is lost', whole(1, 3_600), 600)
    .addOption(
      new Option('--chaos <switches>', 'shares of crash, duplicate, lost-answer and throttle')
        .argParser(switchesOf)
        .default(readChaosSwitches(USUAL), USUAL),
    )
    .exitOverride()
    .parse(args, { from: 'user' })
    .opts<ChaosOptions>();
}
