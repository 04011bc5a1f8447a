import { type Committed, type JobFacts, jobFacts, type StepFacts, stepFacts } from '../core/facts.ts';
import { isEnded, type Job, usd } from '../core/job.ts';
import type { World } from './world.ts';

/** What one invocation may spend on handing telemetry over, and what it leaves of its time whatever that does. */
const FLUSH_MS = 2_000;
const SPARE_MS = 500;

/**
 * Tells log and telemetry of a commit of a worker, once, after it has landed. Nothing here makes a step fail: what
 * happened is in the ledger, whoever hears of it.
 */
export function observeCommit(world: World, committed: Committed): void {
  tell(world, committed.after.id, () => {
    const facts = stepFacts(committed);
    if (isWorthTelling(facts)) {
      if (world.logSteps === true) world.log('info', 'step', lineOf(facts));
      world.telemetry?.told(facts);
    }
    if (!isEnded(committed.after)) return;
    world.telemetry?.told({ type: 'ended', job: facts.job, model: facts.model || undefined });
  });
}

/** The same of a job that somebody else than a worker has ended, or that was made ended. */
export function observeEnd(world: World, job: Job): void {
  if (!isEnded(job)) return;
  tell(world, job.id, () => {
    const facts = jobFacts(job);
    if (world.logSteps === true) world.log('info', 'job ended', namesOf(facts));
    world.telemetry?.told({ type: 'ended', job: facts, model: undefined });
  });
}

function tell(world: World, jobId: string, work: () => void): void {
  if (world.logSteps !== true && world.telemetry === undefined) return;
  try {
    work();
  } catch {
    world.log('warn', 'it could not be told what a job has done', { jobId });
  }
}

/** Hands over what was told before the invocation ends: afterwards nothing runs. Takes 2 seconds at the most. */
export async function flushTelemetry(world: Pick<World, 'telemetry'>, leftMs = Infinity): Promise<void> {
  const withinMs = Math.min(FLUSH_MS, leftMs - SPARE_MS);
  if (withinMs > 0) await world.telemetry?.flush(withinMs);
}

/** A claim and the exact reserve are steps on the way, unless they end the job or find money of a dead attempt. */
function isWorthTelling({ event, job, unsettled }: StepFacts): boolean {
  const onTheWay = event === 'claimed' || event === 'reserved';
  return !onTheWay || job.stop !== undefined || unsettled > 0;
}

function namesOf({ id, agent, steps, status, stop }: JobFacts): Readonly<Record<string, unknown>> {
  return { jobId: id, agent, step: steps, status, ...(stop === undefined ? {} : { stop }) };
}

/** Figures and names only, and no zeros: what was said stands in the trace. */
function lineOf({ job, event, model, asked, ...facts }: StepFacts): Readonly<Record<string, unknown>> {
  const [input, output, cacheWrite, cacheRead] = asked?.usage ?? [0, 0, 0, 0];
  const { attempt, queueMs, toolsMs, engineMs, dropped } = facts;
  const failedCalls = facts.calls.filter(({ failed }) => failed).length;
  const figures = {
    ...{ stopReason: asked?.stop, problem: asked?.problem, input, output, cacheWrite, cacheRead },
    ...{ costUsd: usd(facts.spent), unsettledUsd: usd(facts.unsettled), attempt: attempt > 1 ? attempt : 0 },
    ...{ queueMs, modelMs: asked === undefined ? 0 : asked.endMs - asked.startMs, toolsMs, engineMs },
    ...{ calls: facts.calls.length, failedCalls, dropped },
  };
  const told = Object.entries(figures).filter(
    ([, value]) => value !== undefined && value !== 0 && value !== '',
  );
  return { ...namesOf(job), ...(event === 'replied' ? {} : { event }), model, ...Object.fromEntries(told) };
}
