import { referenceJobs } from '../../src/testing/simulation/reference-jobs.ts';
import { bundleWorker } from '../simulate/bundle.ts';
import { simulateAll } from '../simulate/pool.ts';
import type { Report, Task } from '../simulate/worker.ts';
import type { Mutant } from './list.ts';

const CHUNK = 100;

/** Schedules that are played first: most mutants fall here, long before every single fault has been played. */
const FIRST = 400;

/** The schedule that is known to notice, some random ones, every single fault of the reference jobs, then the other random ones. */
function* tasksOf(seeds: number, seenAt: number | undefined): Generator<Task> {
  if (seenAt !== undefined) yield { type: 'seeds', from: seenAt, count: 1 };
  const chunk = (from: number): Task => ({ type: 'seeds', from, count: CHUNK });
  const first = Math.min(seeds, FIRST);
  for (let from = 1; from <= first; from += CHUNK) yield chunk(from);
  for (const job of referenceJobs.keys()) yield { type: 'singles', job, seed: 1 };
  for (let from = first + 1; from <= seeds; from += CHUNK) yield chunk(from);
}

type Found = NonNullable<Report['found']>;

/** The rule that broke, or what was thrown instead: a mutant that merely crashes proves nothing about the rules. */
export interface Sought {
  readonly broken: Found | undefined;
  readonly thrown: Found | undefined;
}

const isThrown = ({ violation }: Found): boolean => violation.invariant === 'unexpected error';

/** Looks for a broken invariant in the mutated system, in up to `seeds` random schedules. */
export async function killBySimulation(mutant: Mutant, seeds: number): Promise<Sought> {
  const bundle = await bundleWorker(mutant);
  try {
    const total = await simulateAll({
      file: bundle.file,
      tasks: tasksOf(seeds, mutant.seenAt),
      processes: 1,
      goOn: ({ found }) => found.every(isThrown),
    });
    return { broken: total.found.find((one) => !isThrown(one)), thrown: total.found.find(isThrown) };
  } finally {
    await bundle.remove();
  }
}
