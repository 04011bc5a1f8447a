import {
  createTally,
  exhaustPairs,
  exhaustSingles,
  explore,
  type Found,
} from '../../src/testing/simulation/explore.ts';
import { referenceJobs } from '../../src/testing/simulation/reference-jobs.ts';
import { sampleCast } from '../../src/testing/simulation/sample-agents.ts';

/** One piece of work for a simulating process. */
export type Task =
  | { readonly type: 'seeds'; readonly from: number; readonly count: number }
  | { readonly type: 'singles'; readonly job: number; readonly seed: number }
  /** Every `of`th first crash, from `part` on. */
  | {
      readonly type: 'pairs';
      readonly job: number;
      readonly seed: number;
      readonly part: number;
      readonly of: number;
    };

/** What came of it. `cpuMs` is the processor time of this task alone. */
export interface Report {
  readonly task: Task;
  readonly found: Found | undefined;
  readonly schedules: number;
  readonly steps: number;
  readonly events: number;
  readonly struck: readonly (readonly [string, number])[];
  readonly cpuMs: number;
}

function perform(task: Task, tally: ReturnType<typeof createTally>): Promise<Found | undefined> {
  if (task.type === 'seeds') return explore(sampleCast, task.from, task.count, tally);
  const job = referenceJobs[task.job];
  if (job === undefined) throw new Error(`no reference job ${task.job}`);
  if (task.type === 'singles') return exhaustSingles(job, sampleCast, task.seed, tally);
  return exhaustPairs(job, sampleCast, task.seed, tally, (nth) => nth % task.of === task.part);
}

// Errors are many here, and nobody reads where they come from.
Error.stackTraceLimit = 0;

process.on('message', async (task: Task) => {
  const tally = createTally();
  const before = process.cpuUsage();
  const found = await perform(task, tally);
  const { user, system } = process.cpuUsage(before);
  const { schedules, steps, events, struck } = tally;
  const report: Report = {
    ...{ task, found, schedules, steps, events },
    struck: [...struck],
    cpuMs: (user + system) / 1000,
  };
  process.send?.(report);
});
process.on('disconnect', () => process.exit());
