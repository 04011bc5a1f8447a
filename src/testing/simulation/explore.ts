import { createRandom } from '../random.ts';
import {
  type Fault,
  faultsOf,
  type Kind,
  listedFaults,
  nameOf,
  type Struck,
  seededFaults,
} from './faults.ts';
import { type Cast, randomScenario, simulatedIds } from './random-scenario.ts';
import type { Violation } from './referee.ts';
import type { ReferenceJob } from './reference-jobs.ts';
import { type Run, run } from './run.ts';
import type { Scenario } from './scenario.ts';

/** A schedule that broke a rule, small enough to be read and to be played again. */
export interface Found {
  readonly seed: number;
  readonly violation: Violation;
  /** The faults it takes, by name. */
  readonly faults: readonly string[];
  /** The reference job it is of; empty for a random schedule. */
  readonly job: string;
}

/** What a search went through. */
export interface Tally {
  schedules: number;
  /** Deliveries that workers handled. */
  steps: number;
  events: number;
  /** How often each fault struck at each seam, by `seam=fault`. */
  readonly struck: Map<string, number>;
}

export function createTally(): Tally {
  return { schedules: 0, steps: 0, events: 0, struck: new Map() };
}

function count(tally: Tally, { steps, events, struck }: Run): void {
  tally.schedules += 1;
  tally.steps += steps;
  tally.events += events;
  for (const { seam, fault } of struck) {
    const name = `${seam}=${fault}`;
    tally.struck.set(name, (tally.struck.get(name) ?? 0) + 1);
  }
}

/** Plays the schedule of a seed: with its own faults, or with exactly those that are listed. */
export async function playSeed(
  seed: number,
  cast: Cast,
  faults?: readonly string[],
): Promise<Run & { readonly scenario: Scenario }> {
  cast.reset();
  const { scenario, setup } = randomScenario(seed, cast);
  const plan = faults === undefined ? seededFaults(seed) : listedFaults(faults);
  return { ...(await run({ seed, scenario, setup, plan })), scenario };
}

/** Plays the schedules of the seeds `from` to `from + count - 1`, or until one breaks a rule. */
export async function explore(
  cast: Cast,
  from: number,
  seeds: number,
  tally: Tally,
  goOn: () => boolean = () => true,
): Promise<Found | undefined> {
  for (let seed = from; seed < from + seeds && goOn(); seed += 1) {
    const played = await playSeed(seed, cast);
    count(tally, played);
    if (played.violation !== undefined) return shrinkSeed(seed, cast, played.violation, played.struck);
    if (seed % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return undefined;
}

/** Leaves out faults as long as the same rule stays broken: first halves, then one by one. */
async function shrink(
  faults: readonly string[],
  violation: Violation,
  play: (faults: readonly string[]) => Promise<Violation | undefined>,
): Promise<{ faults: readonly string[]; violation: Violation }> {
  let best = { faults, violation };
  for (let size = Math.ceil(faults.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.faults.length; ) {
      const fewer = best.faults.filter((_, place) => place < at || place >= at + size);
      const found = await play(fewer);
      if (found?.invariant === violation.invariant) best = { faults: fewer, violation: found };
      else at += size;
    }
  }
  return best;
}

async function shrinkSeed(
  seed: number,
  cast: Cast,
  violation: Violation,
  struck: readonly Struck[],
): Promise<Found> {
  const play = async (faults: readonly string[]): Promise<Violation | undefined> =>
    (await playSeed(seed, cast, faults)).violation;
  return { seed, job: '', ...(await shrink(struck.map(nameOf), violation, play)) };
}

/** Plays a reference job with these faults. */
export function playReference(
  job: ReferenceJob,
  cast: Cast,
  seed: number,
  faults: readonly string[],
): Promise<Run> {
  cast.reset();
  const random = createRandom(seed ^ 0x1d5);
  const tariff = { ratesOf: cast.ratesOf, density: 0.5, overhead: 400, mood: 'mixed' } as const;
  const setup = { ...cast, brain: job.brain, tariff, ids: simulatedIds(random) };
  const plan = listedFaults([...job.always, ...faults]);
  return run({ seed, scenario: job.scenario, setup, plan, passed: true });
}

const crashes: readonly Fault[] = ['crash before', 'crash after'];

const faultsAt = ({ seam, n, kind }: Run['passed'][number], only: readonly Fault[] | undefined): string[] =>
  faultsOf[kind satisfies Kind]
    .filter((fault: Fault) => only === undefined || only.includes(fault))
    .map((fault) => `${seam}#${n}=${fault}`);

/** Every fault at every seam that the undisturbed job passes, one at a time. */
export async function exhaustSingles(
  job: ReferenceJob,
  cast: Cast,
  seed: number,
  tally: Tally,
): Promise<Found | undefined> {
  const calm = await playReference(job, cast, seed, []);
  if (calm.violation !== undefined)
    return { seed, job: job.name, violation: calm.violation, faults: job.always };
  for (const passed of calm.passed) {
    for (const fault of faultsAt(passed, undefined)) {
      const found = await playOne(job, cast, seed, tally, [fault]);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Every pair of crashes: the second at every seam that the job passes once the first has struck. */
export async function exhaustPairs(
  job: ReferenceJob,
  cast: Cast,
  seed: number,
  tally: Tally,
  mine: (nth: number) => boolean = () => true,
): Promise<Found | undefined> {
  const calm = await playReference(job, cast, seed, []);
  const firsts = calm.passed.flatMap((passed) => faultsAt(passed, crashes)).filter((_, nth) => mine(nth));
  for (const first of firsts) {
    const once = await playReference(job, cast, seed, [first]);
    const struckAt = once.passed.findIndex(({ seam, n }) => first.startsWith(`${seam}#${n}=`));
    for (const second of once.passed.slice(struckAt + 1).flatMap((passed) => faultsAt(passed, crashes))) {
      const found = await playOne(job, cast, seed, tally, [first, second]);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

async function playOne(
  job: ReferenceJob,
  cast: Cast,
  seed: number,
  tally: Tally,
  faults: readonly string[],
): Promise<Found | undefined> {
  const played = await playReference(job, cast, seed, faults);
  count(tally, played);
  if (tally.schedules % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
  return played.violation && { seed, job: job.name, violation: played.violation, faults };
}
