import { type BatchSubmission, batchIdOf, createBatch, rowKeyOf, submitBatch } from '../../app/batches.ts';
import { start, stop } from '../../app/control.ts';
import { type Submission, submit } from '../../app/submit.ts';
import type { World } from '../../app/world.ts';
import type { Actors, Wanted } from './actors.ts';
import { actOnBatch } from './people-batches.ts';
import { actOnJob, type Subject } from './people-jobs.ts';
import type { Setup } from './process-world.ts';
import { hasEnded } from './records.ts';
import { type Action, type BatchPlan, type JobPlan, ROW_IDS, type Scenario } from './scenario.ts';
import type { Sim } from './sim.ts';
import { HOOK } from './sim-notifier.ts';

const FOR_EVER = 1_000_000;
/** How often somebody asks whose tenant's pool of the day is spent. */
const POOR_TRIES = 3;

type Ask = (wanted: Omit<Wanted, 'everyMs' | 'when'> & Partial<Wanted>) => void;

/** Submits everything and lets people act at their times. */
export function play(sim: Sim, setup: Setup, scenario: Scenario, actors: Actors): void {
  const ask: Ask = (wanted) => actors.request({ everyMs: 30_000, when: () => 'now', ...wanted });
  const { jobs, batch, actions } = scenario;
  for (const [at, plan] of jobs.entries()) {
    askForJob(sim, ask, plan, at, false);
    if (plan.rival) askForJob(sim, ask, plan, at, true);
  }
  if (batch !== undefined) {
    askForBatch(sim, ask, batch, false);
    if (batch.rival) askForBatch(sim, ask, batch, true);
  }
  const ids = idsOf(setup, scenario);
  for (const action of actions) {
    if (action.type === 'stop') {
      askToStop(sim, ask, action);
      continue;
    }
    const job = ids.jobs[action.job % Math.max(1, ids.jobs.length)];
    if (job === undefined) continue;
    const subject: Subject = { ...job, batchId: ids.batchId, rows: ids.rows };
    ask({
      actor: actorOf(action),
      atMs: action.atMs,
      // Some who add rows and hear nothing do not ask again: what they have put is there all the same.
      tries: action.type === 'add rows' && action.n % 4 === 0 ? 1 : 6,
      when: () => whenOf(sim, action, subject.jobId),
      work: (world, process) =>
        actorOf(action) === 'manage batch' || action.type === 'add rows'
          ? actOnBatch(sim, world, process, action, subject)
          : actOnJob(sim, world, process, action, subject),
    });
  }
}

/** The words by which a rival's request differs. */
const OTHER = 'something else';

function askForJob(sim: Sim, ask: Ask, plan: JobPlan, at: number, rival: boolean): void {
  let poor = 0;
  const { tenant, agent, limits } = plan;
  const submission: Submission = {
    ...{ tenant, agent, limits, key: `${at}`, ceilingMicroUsd: plan.ceiling },
    input: rival ? OTHER : plan.input,
    ...(plan.webhook ? { webhook: HOOK } : {}),
  };
  ask({
    actor: 'submit',
    atMs: plan.atMs,
    tries: FOR_EVER,
    work: async (world) => {
      const submitted = await submit(world, submission);
      if (submitted.type === 'day_spent') {
        poor += 1;
        return poor < POOR_TRIES ? 'again' : 'done';
      }
      if (submitted.type === 'conflict')
        sim.referee.conflicted(submitted.jobId, plan.rival ? submission.input : undefined);
      else sim.referee.accepted(submitted.job.id, submission.input);
      return 'done';
    },
  });
}

function askForBatch(sim: Sim, ask: Ask, batch: BatchPlan, rival: boolean): void {
  const { tenant, agent, budget, limits, concurrency, kind } = batch;
  const rows = batch.rows.map((input, at) => ({ id: `row${at}`, input, metadata: {} }));
  const common = { tenant, agent, limits, concurrency, ceilingMicroUsd: batch.ceiling, key: 'b' };
  const submission: BatchSubmission = {
    ...common,
    budgetMicroUsd: budget,
    rows: rival ? [{ id: OTHER, input: OTHER, metadata: {} }] : rows,
    open: kind === 'open',
    ...(batch.webhook ? { webhook: HOOK } : {}),
  };
  ask({
    actor: 'submit batch',
    atMs: batch.atMs,
    tries: FOR_EVER,
    work: async (world) => {
      if (kind === 'known') {
        const known = rows.map((row, at) => ({ ...row, line: at + 1 }));
        await createBatch(world, { ...common, budget, rows: known });
        return 'done';
      }
      const answer = await submitBatch(world, submission);
      const first = rival ? OTHER : 'row0';
      if (answer.type === 'key_conflict')
        sim.referee.conflicted(answer.batchId, batch.rival ? first : undefined);
      else sim.referee.accepted(answer.batch.id, first);
      return 'done';
    },
  });
}

/** How long a stop lasts at the most, in milliseconds. */
const LONGEST_STOP_MS = 600_000;

/** Somebody stops a tenant or everything. Whoever did will start it again, and looks whether it has. */
function askToStop(sim: Sim, ask: Ask, { n, atMs, job }: Action): void {
  const tenant = job % 2 === 0 ? 'acme' : 'globex';
  const all = n % 3 === 0;
  const target = all ? 'everything' : ({ tenant } as const);
  const name = all ? undefined : tenant;
  ask({ actor: 'switch', atMs, tries: 2, work: async (world) => stop(world, target).then(() => 'done') });
  const untilMs = atMs + 10_000 + Math.round((LONGEST_STOP_MS * n) / 12);
  // What the stop left under way has landed by then, or never will.
  const overMs = sim.scheduler.now() + untilMs + 70_000 + 3 * sim.longestSleepMs;
  ask({
    actor: 'switch',
    atMs: untilMs,
    tries: FOR_EVER,
    when: () => {
      if (sim.referee.stopped(name)) return 'now';
      return sim.scheduler.now() < overMs ? 'later' : 'never';
    },
    work: async (world) => {
      await start(world, target);
      return sim.scheduler.now() < overMs ? 'again' : 'done';
    },
  });
}

function actorOf({ type }: Action): string {
  switch (type) {
    case 'approve':
    case 'deny':
      return 'decide';
    case 'extend':
    case 'retry':
    case 'follow up':
      return 'reopen';
    case 'cancel batch':
    case 'extend batch':
    case 'close batch':
    case 'pause batch':
    case 'resume batch':
      return 'manage batch';
    case 'cancel':
    case 'delete':
    case 'add rows':
    case 'stop':
      return type;
    default:
      return type satisfies never;
  }
}

/** The states in which it makes sense; the hasty try at any time. */
const sensible: Readonly<Record<string, string>> = {
  ...{ approve: 'w', deny: 'w', extend: 'p', retry: 'pf' },
  ...{ 'follow up': 'spfc', delete: 'spfc' },
};

/** Deciding makes sense while a job waits, letting it go on once it has ended; strangers and the hasty try at any time. */
function whenOf({ referee, faulty }: Sim, action: Action, jobId: string): 'now' | 'later' | 'never' {
  const wanted = sensible[action.type];
  if (action.hasty || wanted === undefined) return 'now';
  const head = referee.jobs.get(jobId)?.head;
  if (head === undefined) return faulty ? 'later' : 'never';
  if (wanted.includes(head.state)) return 'now';
  return hasEnded(head) ? 'never' : 'later';
}

function idsOf(
  { ids }: Setup,
  { jobs, batch }: Scenario,
): Pick<Subject, 'batchId' | 'rows'> & { readonly jobs: readonly Omit<Subject, 'batchId' | 'rows'>[] } {
  const { hash } = ids;
  const world = { ids } as World;
  const own = jobs.map(({ tenant }, at) => ({ tenant, jobId: `job_${hash(`${tenant}\n${at}`)}` }));
  if (batch === undefined) return { jobs: own, batchId: '', rows: [] };
  const { tenant } = batch;
  const batchId = batchIdOf(world, tenant, 'b');
  const most = batch.kind === 'open' ? ROW_IDS : batch.rows.length;
  const names = Array.from({ length: most }, (_, at) => `row${at}`);
  const jobOf = (row: string): string =>
    `job_${hash(`${tenant}\n${batchId}\n${rowKeyOf(world, batchId, row)}`)}`;
  const rows = names.map((row) => ({ tenant, jobId: jobOf(row) }));
  return { jobs: [...own, ...rows], batchId, rows: [...names.map(jobOf), jobOf(OTHER)] };
}
