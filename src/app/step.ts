import { decide } from '../core/decide.ts';
import { TerminalError } from '../core/errors.ts';
import { evolve } from '../core/evolve.ts';
import { isEnded, type Job } from '../core/job.ts';
import { addedBound, type Hold, holdFor, leastCost, type Quote } from '../core/quote.ts';
import { type Acted, act, allSucceeded, nothing } from './act.ts';
import { adopt } from './adopt.ts';
import { ask } from './ask.ts';
import type { Attempt } from './attempt.ts';
import { commit } from './commit.ts';
import { isStopped } from './control.ts';
import { type Delivery, type Handled, timeFor } from './delivery.ts';
import { putResults } from './items.ts';
import { noteJob, noteNow } from './notices.ts';
import { observeCommit } from './observe.ts';
import { type Plan, prepare } from './prepare.ts';
import { sendTurn } from './send.ts';
import { forgetEnded } from './transcript.ts';
import { takenSince, watching } from './watch.ts';
import type { World } from './world.ts';

/** The message of one turn of a job. */
export interface JobMessage {
  readonly jobId: string;
  readonly turn: number;
}

/** Time that a model call should have before it is worth starting one. */
const MODEL_WANTS_MS = 60_000;
/** Claims that may be lost to a commit in between before the queue is asked to deliver again. */
const MAX_CLAIMS = 3;
/** A lease outlives its invocation by this much, so that it never lapses while the holder lives. */
const LEASE_SPARE_MS = 2_000;

/**
 * Handles one message of a job: load, decide, perform, evolve, commit, send. A step runs the calls of the last reply,
 * asks the model once, and becomes true in one conditional write of the job's head.
 */
export async function step(world: World, message: JobMessage, delivery: Delivery): Promise<Handled> {
  for (let claims = 0; claims < MAX_CLAIMS; claims += 1) {
    const job = await world.store.loadJob(message.jobId);
    const decision = decide(job, { turn: message.turn, id: delivery.id }, world.clock.now());
    if (job === undefined || decision.type === 'done') return 'done';
    // Acknowledged untouched: the job stays due, and the reconciler sends it once the stop is lifted.
    if (await isStopped(world, job.tenant)) return 'done';
    switch (decision.type) {
      case 'leave':
        return 'retry';
      case 'hide': {
        const seconds = Math.max(0, Math.ceil((decision.untilMs - world.clock.now()) / 1000));
        await world.queue.hide(delivery.receiptHandle, seconds);
        return 'retry';
      }
      case 'send':
        await sendTurn(world, job, decision.delaySeconds);
        return 'done';
      case 'claim': {
        const after = await takeStep(world, job, delivery, decision.lapsed);
        if (after === 'not claimed') continue;
        if (after?.status.type === 'queued') await sendTurn(world, after);
        else if (after !== undefined) await noteNow(world, noteJob(world, after));
        return 'done';
      }
      default:
        return decision satisfies never;
    }
  }
  return 'retry';
}

/** Undefined once another attempt owns the step: then nothing more is written. */
async function takeStep(
  world: World,
  job: Job,
  delivery: Delivery,
  lapsed: boolean,
): Promise<Job | undefined | 'not claimed'> {
  const owner = world.ids.token();
  const plan = await prepareOr(world, job);
  const commitEvent = committer(world, owner, typeof plan === 'string' ? undefined : plan);
  if (typeof plan === 'string') {
    const after = await commitEvent(job, { type: 'given_up', nowMs: world.clock.now(), problem: plan });
    return after ?? 'not claimed';
  }
  const quote: Quote = plan.answerInHand ? { type: 'later' } : plan.quote;
  const claimed = await commitEvent(job, {
    type: 'claimed',
    nowMs: world.clock.now(),
    lease: { untilMs: delivery.deadlineMs + LEASE_SPARE_MS, owner, msg: delivery.id },
    hold: quote.type === 'hold' ? quote.hold.amount : 0,
    tooDear: quote.type === 'too_dear' ? quote.needed : undefined,
  });
  if (claimed === undefined) return 'not claimed';
  if (isEnded(claimed)) return claimed;
  const queueMs = Math.max(0, delivery.startedMs - Math.max(delivery.sentMs, job.notBeforeMs));
  const attempt: Attempt = { owner, delivery, plan, queueMs, commit: commitEvent };
  const adopted = lapsed ? await adopt(world, claimed, attempt) : undefined;
  if (adopted !== undefined) return adopted === 'lost' ? undefined : adopted;
  return perform(world, claimed, attempt, quote.type === 'hold' ? quote.hold : undefined);
}

/** Commits events of one attempt, and tells of each that has landed. */
function committer(world: World, owner: string, plan: Plan | undefined): Attempt['commit'] {
  return async (before, event, unanswered) => {
    const after = await commit(world, before, owner, event.type, (fresh) => evolve(fresh, event));
    if (after === undefined) return undefined;
    forgetEnded(world, after);
    const model = plan?.frozen.model ?? '';
    const tools = plan?.agent.tools ?? new Map();
    observeCommit(world, { before, after, event, model, calls: plan?.calls ?? [], tools, unanswered });
    return after;
  };
}

/** The plan, or why this worker can never carry the job on. */
async function prepareOr(world: World, job: Job): Promise<Plan | string> {
  try {
    return await prepare(world, job);
  } catch (error) {
    if (error instanceof TerminalError) return error.message;
    throw error;
  }
}

/** Act, then ask: the only place that costs money or touches the world. */
async function perform(
  world: World,
  job: Job,
  attempt: Attempt,
  held: Hold | undefined,
): Promise<Job | undefined> {
  const { plan, delivery, owner } = attempt;
  const { agent, transcript } = plan;
  const msg = delivery.id;
  const caller = { owner, delivery, agent, transcript, tenant: job.tenant };
  const begunMs = world.clock.now();
  const { result: acted, halted } =
    plan.calls.length === 0
      ? { result: nothing, halted: false }
      : await watching(world, job, attempt, (halt) => act(world, job, { ...caller, halt }, plan.calls));
  const nowMs = world.clock.now();
  if (acted === undefined || halted || (await takenSince(world, job.id, attempt, begunMs))) {
    const results = acted && (await putResults(world, job, attempt, acted));
    if (results === 'lost') return undefined;
    return attempt.commit(job, { type: 'out_of_time', nowMs, msg, results });
  }
  if (plan.answerInHand) {
    const accepted = allSucceeded(acted);
    if (accepted || job.steps >= job.limits.maxSteps) {
      const results = await putResults(world, job, attempt, acted);
      if (results === 'lost' || results === undefined) return undefined;
      return attempt.commit(job, { type: 'answered', nowMs, msg, accepted, results });
    }
  }
  const reserved =
    held === undefined ? await reserveExactly(world, job, attempt, acted) : { job, hold: held };
  if (reserved === undefined || 'ended' in reserved) return reserved?.ended;
  // A stop that came while the calls ran: their results are kept, and nothing is asked until it is lifted.
  const stopped = plan.calls.length > 0 && (await isStopped(world, job.tenant));
  if (stopped || !timeFor(MODEL_WANTS_MS, delivery, world.clock)) {
    const results = await putResults(world, reserved.job, attempt, acted);
    if (results === 'lost') return undefined;
    return attempt.commit(reserved.job, { type: 'out_of_time', nowMs: world.clock.now(), msg, results });
  }
  return ask(world, reserved.job, attempt, acted, reserved.hold);
}

type Reserved = { readonly job: Job; readonly hold: Hold };

/** The second reserve commit: the results are known now, so the hold is exact; the output shrinks to fit. */
async function reserveExactly(
  world: World,
  job: Job,
  attempt: Attempt,
  acted: Acted,
): Promise<Reserved | { readonly ended: Job | undefined } | undefined> {
  const { plan, delivery } = attempt;
  const bound = plan.known + (acted.content.length === 0 ? 0 : addedBound(acted.content));
  const hold = holdFor(job, plan.price, bound, plan.wanted);
  const nowMs = world.clock.now();
  if (hold !== undefined) {
    const after = await attempt.commit(job, { type: 'reserved', nowMs, amount: hold.amount });
    return after === undefined ? undefined : { job: after, hold };
  }
  const results = await putResults(world, job, attempt, acted);
  if (results === 'lost') return undefined;
  const needed = leastCost(plan.price, bound);
  return {
    ended: await attempt.commit(job, { type: 'unaffordable', nowMs, msg: delivery.id, needed, results }),
  };
}
