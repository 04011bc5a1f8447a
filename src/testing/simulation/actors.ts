import { reconcile } from '../../app/reconcile.ts';
import type { World } from '../../app/world.ts';
import type { Machines } from './machines.ts';
import { createPool } from './pool.ts';
import type { Setup } from './process-world.ts';
import { createRunners, type Runners } from './runners.ts';
import type { Process, Sim } from './sim.ts';

const RECONCILE_MS = 60_000;
/** Even with nothing due the reconciler looks now and then. */
const IDLE_SWEEPS = 20;

export interface Actors {
  /** Looks for messages and free workers so many milliseconds from now. */
  readonly pump: (afterMs: number) => void;
  /** Starts the reconciler, every minute. */
  readonly start: () => void;
  /** Runs something for somebody outside. */
  readonly request: (wanted: Wanted) => void;
  /** Processes that are alive and requests that want an answer. */
  readonly busy: () => number;
}

/** Something that somebody outside wants done. */
export interface Wanted {
  readonly actor: string;
  readonly atMs: number;
  /** Tries before they give up; those that must be heard ask for ever. */
  readonly tries: number;
  readonly everyMs: number;
  /** Whether to ask now: people wait until there is something to decide. */
  readonly when: () => 'now' | 'later' | 'never';
  readonly work: (world: World, process: Process) => Promise<'done' | 'again'>;
}

/** Everybody who acts in a run. */
export function createActors(sim: Sim, setup: Setup, machines: Machines): Actors {
  const { scheduler, random } = sim;
  const runners = createRunners(sim, setup, machines);
  let requests = 0;
  const request = (wanted: Wanted): void => {
    requests += 1;
    const later = (left: number): void => {
      scheduler.after(random.whole(1, wanted.everyMs), () => tryOnce(left));
    };
    const tryOnce = (left: number): void => {
      const when = wanted.when();
      if (when === 'never') requests -= 1;
      else if (when === 'later') later(left);
      else
        runners.alone(wanted.actor, wanted.work, (how) => {
          if (how === 'done' || left <= 1) requests -= 1;
          else later(left - 1);
        });
    };
    scheduler.after(wanted.atMs, () => tryOnce(wanted.tries));
  };
  return {
    request,
    pump: createPool(sim, machines, runners),
    start: () => scheduler.after(random.whole(1, RECONCILE_MS), () => sweep(sim, runners, 1)),
    busy: () => requests + runners.alive(),
  };
}

function sweep(sim: Sim, runners: Runners, n: number): void {
  const { scheduler, random, table } = sim;
  if (table.isDue(scheduler.now()) || n % IDLE_SWEEPS === 0) {
    // Two at once do no harm.
    for (let left = random.chance(0.1) ? 2 : 1; left > 0; left -= 1)
      runners.alone('reconciler', reconcile, () => undefined);
  }
  scheduler.after(RECONCILE_MS, () => sweep(sim, runners, n + 1));
}
