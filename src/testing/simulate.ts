import type { Agent } from '../core/agent.ts';
import { builtInPrices, type PriceTable } from '../core/prices.ts';
import { createTally, explore, type Found, playSeed } from './simulation/explore.ts';
import type { Cast } from './simulation/random-scenario.ts';
import type { Brain, Rates } from './simulation/sim-model.ts';

export interface SimulationOptions {
  /** At least one. Their tools run for real, so they must work in memory, and wait for nothing but promises. */
  readonly agents: readonly Agent[];
  /** Stands in for the model. */
  readonly brain: Brain;
  /** Inputs that the jobs are submitted with. @default ['please'] */
  readonly inputs?: readonly string[];
  /** Random schedules to play, whole, over 0. @default 500 */
  readonly seeds?: number;
  /** The first seed. @default 1 */
  readonly from?: number;
  /** Plays the first seed alone, with exactly these faults. @default the seed's own */
  readonly faults?: readonly string[];
  /** Called before each schedule: the tools' world forgets everything. @default nothing */
  readonly reset?: () => void;
  /** Called when a schedule has come to rest: says what is wrong with the tools' world. @default nothing is */
  readonly judge?: () => string | undefined;
  /** @default the built-in table */
  readonly prices?: PriceTable;
}

export interface SimulationResult {
  /** The first schedule that broke a rule, with no more faults than it takes; undefined when none did. */
  readonly found: Found | undefined;
  readonly schedules: number;
  /** Deliveries of messages that workers handled. */
  readonly steps: number;
}

function ratesFrom(prices: PriceTable): (model: string) => Rates {
  return (model) => {
    const { input = 0, output = 0, cacheWrite5m = 0, cacheRead = 0 } = prices[model] ?? {};
    return {
      input: input / 1e6,
      output: output / 1e6,
      cacheWrite: cacheWrite5m / 1e6,
      cacheRead: cacheRead / 1e6,
    };
  };
}

/**
 * Runs agents in simulated worlds: several workers, jobs, batches and people, and faults wherever a process meets the
 * world. After every event the invariants are checked, and `judge` in the end. Deterministic: a seed plays the same
 * schedule everywhere. Takes a few milliseconds a schedule. Models priced by steps are billed at their first step.
 */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { agents, brain, prices = builtInPrices, from = 1, faults } = options;
  const cast: Cast = {
    ...{ agents, brain, prices },
    ratesOf: ratesFrom(prices),
    inputs: options.inputs ?? ['please'],
    reset: options.reset ?? (() => undefined),
    judge: options.judge ?? (() => undefined),
  };
  if (faults !== undefined) {
    const { violation, steps } = await playSeed(from, cast, faults);
    return { found: violation && { seed: from, job: '', violation, faults }, schedules: 1, steps };
  }
  const tally = createTally();
  const found = await explore(cast, from, options.seeds ?? 500, tally);
  return { found, schedules: tally.schedules, steps: tally.steps };
}
