import { createMemoryQueue } from '../memory-queue.ts';
import { createTableState } from '../memory-table.ts';
import { createRandom } from '../random.ts';
import { createActors } from './actors.ts';
import type { FaultPlan, Struck } from './faults.ts';
import { finalProblem } from './final-rules.ts';
import { play } from './people.ts';
import type { Setup } from './process-world.ts';
import { createReferee, type Violation } from './referee.ts';
import type { Scenario } from './scenario.ts';
import { createScheduler } from './scheduler.ts';
import type { Sim } from './sim.ts';

export interface Run {
  readonly violation: Violation | undefined;
  readonly struck: readonly Struck[];
  readonly passed: NonNullable<Sim['passed']>;
  /** Deliveries that a worker handled: steps of jobs, turns of batches, and notices. */
  readonly steps: number;
  readonly events: number;
  readonly requests: number;
}

/** A midnight in UTC. */
const MIDNIGHT_MS = 1_800_057_600_000;
/** Far beyond every expiry, back-off and deadline of a scenario. */
const LONGEST_MS = 14 * 86_400_000;
const MOST_EVENTS = 300_000;

export interface RunParts {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly setup: Setup;
  readonly plan: FaultPlan;
  /** Keep the list of every seam that was passed. */
  readonly passed?: boolean;
}

/** Plays one schedule to its end: until a rule is broken, or everything has come to rest and was judged. */
export async function run({ seed, scenario, setup, plan, passed = false }: RunParts): Promise<Run> {
  const random = createRandom(seed);
  const startMs = MIDNIGHT_MS - scenario.beforeMidnightMs;
  const scheduler = createScheduler(startMs, random.next);
  const table = createTableState(true);
  const queue = createMemoryQueue(scheduler);
  const { dailyMicroUsd, listeners } = scenario;
  const referee = createReferee({
    ...{ now: scheduler.now, read: table.read, query: table.query },
    ...{ agents: setup.agents, dailyMicroUsd, listeners },
  });
  const sim: Sim = {
    ...{ scheduler, random, table, queue, referee, plan, dailyMicroUsd, listeners },
    ...{ longestSleepMs: scenario.longestSleepMs, faulty: true },
    ...{ counters: new Map(), struck: [], lagging: new Map(), passed: passed ? [] : undefined },
    put: (message, options) => {
      void queue.send(message, options);
      actors.pump(options.delaySeconds * 1000);
    },
    hide: (id, seconds) => {
      void queue.hide(id, seconds);
      actors.pump(seconds * 1000);
    },
  };
  const actors = createActors(sim, setup, scenario.machines);
  scheduler.after(scenario.faultyMs, () => {
    sim.faulty = false;
    sim.lagging.clear();
  });
  play(sim, setup, scenario, actors);
  actors.start();
  await scheduler.run(() => {
    if (referee.violation() !== undefined) return true;
    if (scheduler.now() > startMs + LONGEST_MS || scheduler.happened() > MOST_EVENTS) {
      referee.fail('4 progress', unrested(sim), `it does not come to rest in ${scheduler.happened()} events`);
      return true;
    }
    return actors.busy() === 0 && queue.messages().length === 0 && unrested(sim) === '';
  });
  const problem = referee.violation() === undefined ? finalProblem(sim, referee.court) : undefined;
  if (problem !== undefined) referee.fail(problem.invariant, problem.jobId, problem.what);
  const own = referee.violation() === undefined ? setup.judge() : undefined;
  if (own !== undefined) referee.fail('a rule of the tools', '', own);
  const steps = passes(sim, 'worker') + passes(sim, 'batch') + passes(sim, 'tell');
  return {
    violation: referee.violation(),
    struck: sim.struck,
    passed: sim.passed ?? [],
    steps,
    events: scheduler.happened(),
    requests: [...referee.jobs.values()].reduce((sum, job) => sum + job.requests, 0),
  };
}

const passes = ({ counters }: Sim, actor: string): number => counters.get(actor)?.get('be delivered')?.n ?? 0;

/** A job, batch or notice that somebody still has to look at; empty when there is none. */
function unrested({ referee }: Sim): string {
  for (const { id, head } of referee.jobs.values()) {
    if (head !== undefined && ('qrw'.includes(head.state) || head.dueMs > 0)) return id;
  }
  for (const [id, batch] of referee.batches) if (!referee.rests(id, batch)) return id;
  return referee.untold();
}
