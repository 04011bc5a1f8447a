import type { Court } from './court.ts';
import { poolProblem } from './day-watch.ts';
import type { JobWatch } from './job-watch.ts';
import { untoldEnd } from './notice-watch.ts';
import { hasEnded } from './records.ts';
import type { Violation } from './referee.ts';
import { countsProblem, remainsProblem, rowsProblem } from './row-rules.ts';
import type { Sim } from './sim.ts';
import { totalsProblem } from './totals-rules.ts';

type Problem = Pick<Violation, 'invariant' | 'what'>;

/** What is wrong with a job once everything has come to rest. */
function jobProblem(sim: Sim, watch: JobWatch): Problem | undefined {
  const { head } = watch;
  if (head === undefined)
    return watch.inputs.size > 0 && watch.id.startsWith('job_')
      ? { invariant: '4 progress', what: 'an accepted job is not there' }
      : undefined;
  if (!hasEnded(head) && head.state !== 'w')
    return { invariant: '4 progress', what: `it rests in state ${head.state}` };
  if (head.reserved !== 0) return { invariant: '1 money', what: `it ended with ${head.reserved} reserved` };
  if (head.settled !== watch.committedCost)
    return {
      invariant: '1 money',
      what: `${head.settled} settled, its committed replies cost ${watch.committedCost}`,
    };
  if (head.unsettled > 0 && sim.struck.length === 0 && !watch.cancelWanted)
    return { invariant: '1 money', what: `${head.unsettled} unsettled, and nothing went wrong` };
  for (const { tool, succeeded, runs } of watch.calls.values()) {
    if (succeeded > runs && tool !== 'return_answer')
      return {
        invariant: '3 effects',
        what: `${succeeded} calls of ${tool} are told done, it ran ${runs} times`,
      };
  }
  if (watch.unknownOutcome && !head.needsReview)
    return { invariant: '3 effects', what: 'the outcome of a call is unknown, and nobody is asked to look' };
  return undefined;
}

/** Judges a run that has come to rest. */
export function finalProblem(sim: Sim, court: Court): (Problem & Pick<Violation, 'jobId'>) | undefined {
  for (const watch of court.jobs.values()) {
    const problem = jobProblem(sim, watch) ?? remainsProblem(court, watch);
    if (problem !== undefined) return { ...problem, jobId: watch.id };
  }
  const books = totalsProblem(sim) ?? poolProblem(court);
  if (books !== undefined) return books;
  const untold = untoldEnd(court);
  if (untold !== undefined) return { invariant: '11 notices', ...untold };
  for (const [jobId, batch] of court.batches) {
    const problem = countsProblem(court, jobId, batch) ?? rowsProblem(court, jobId, batch);
    if (problem !== undefined) return { ...problem, jobId };
  }
  return undefined;
}
