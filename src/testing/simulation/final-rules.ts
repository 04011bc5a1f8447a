import type { JobWatch } from './job-watch.ts';
import { hasEnded } from './records.ts';
import type { Violation } from './referee.ts';
import type { Sim } from './sim.ts';
import { totalsProblem } from './totals-rules.ts';

type Problem = Pick<Violation, 'invariant' | 'what'>;

/** What is wrong with a job once everything has come to rest. */
function jobProblem(sim: Sim, watch: JobWatch): Problem | undefined {
  const { head } = watch;
  if (head === undefined)
    return watch.accepted ? { invariant: '4 progress', what: 'an accepted job is not there' } : undefined;
  if (!hasEnded(head) && head.state !== 'w')
    return { invariant: '4 progress', what: `it rests in state ${head.state}` };
  if (head.reserved !== 0) return { invariant: '1 money', what: `it ended with ${head.reserved} reserved` };
  if (head.settled !== watch.committedCost)
    return {
      invariant: '1 money',
      what: `${head.settled} settled, its committed replies cost ${watch.committedCost}`,
    };
  if (head.unsettled > 0 && sim.struck.length === 0)
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
export function finalProblem(sim: Sim): (Problem & Pick<Violation, 'jobId'>) | undefined {
  for (const watch of sim.referee.jobs.values()) {
    const problem = jobProblem(sim, watch);
    if (problem !== undefined) return { ...problem, jobId: watch.id };
  }
  const counted = totalsProblem(sim);
  if (counted !== undefined) return counted;
  for (const [jobId, batch] of sim.referee.batches) {
    const rows = batch.counted + batch.open + (batch.rows - batch.cursor);
    if (rows !== batch.rows)
      return { jobId, invariant: '4 progress', what: `${rows} of ${batch.rows} rows are accounted for` };
    if (batch.open > 0) continue;
    const jobs = [...sim.referee.jobs.values()].filter((job) => job.batchId === jobId);
    const kinds = { succeeded: 's', stopped: 'p', failed: 'f', cancelled: 'c' };
    for (const [kind, state] of Object.entries(kinds)) {
      const ended = jobs.filter(({ head }) => head?.state === state).length;
      const never = kind === 'cancelled' && batch.status === 'cancelled' ? batch.rows - jobs.length : 0;
      if (batch.counts[kind] !== ended + never)
        return {
          jobId,
          invariant: '4 progress',
          what: `${batch.counts[kind]} rows ${kind}, ${ended + never} are`,
        };
    }
    const spent = jobs.reduce((sum, { head }) => sum + (head?.charged ?? 0), 0);
    if (spent !== batch.spent)
      return { jobId, invariant: '1 money', what: `${batch.spent} booked, its jobs are charged ${spent}` };
  }
  return undefined;
}
