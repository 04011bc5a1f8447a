import { approvalsOf, judge } from '../../app/approve.ts';
import { batchIdOf, createBatch, extendBatch, rowKeyOf } from '../../app/batches.ts';
import { cancel, cancelBatch } from '../../app/cancel.ts';
import { extend } from '../../app/extend.ts';
import { submit } from '../../app/submit.ts';
import type { World } from '../../app/world.ts';
import type { JobLimits } from '../../core/job.ts';
import { createMemoryQueue } from '../memory-queue.ts';
import { createTableState } from '../memory-table.ts';
import { createRandom } from '../random.ts';
import { type Actors, createActors, type Wanted } from './actors.ts';
import type { FaultPlan, Struck } from './faults.ts';
import { finalProblem } from './final-rules.ts';
import type { Machines } from './machines.ts';
import type { Setup } from './process-world.ts';
import { hasEnded } from './records.ts';
import { createReferee, type Violation } from './referee.ts';
import { createScheduler } from './scheduler.ts';
import type { Process, Sim } from './sim.ts';

export interface JobPlan {
  readonly tenant: string;
  readonly agent: string;
  readonly input: string;
  readonly atMs: number;
  /** Micro-dollars. */
  readonly ceiling: number;
  readonly limits: Partial<JobLimits>;
}

export interface BatchPlan {
  readonly tenant: string;
  readonly agent: string;
  /** The input of each row. */
  readonly rows: readonly string[];
  readonly atMs: number;
  readonly budget: number;
  readonly ceiling: number;
  readonly limits: Partial<JobLimits>;
  readonly concurrency: number;
}

/** What people do meanwhile. `job` counts the jobs first, then the rows of the batch. */
export interface Action {
  readonly type: 'cancel' | 'approve' | 'deny' | 'extend' | 'cancel batch' | 'extend batch';
  readonly job: number;
  readonly atMs: number;
  /** Somebody of another tenant tries: nothing may come of it. */
  readonly stranger: boolean;
  /** What an extension adds, in micro-dollars. */
  readonly add: number;
  /** Does not wait until it makes sense. */
  readonly hasty: boolean;
}

export interface Scenario {
  readonly jobs: readonly JobPlan[];
  readonly batch: BatchPlan | undefined;
  readonly actions: readonly Action[];
  readonly machines: Machines;
  /** When the last fault may strike, in virtual milliseconds from the start. */
  readonly faultyMs: number;
  readonly longestSleepMs: number;
}

export interface Run {
  readonly violation: Violation | undefined;
  readonly struck: readonly Struck[];
  readonly passed: NonNullable<Sim['passed']>;
  /** Deliveries that a worker handled: steps of jobs and turns of batches. */
  readonly steps: number;
  readonly events: number;
  readonly requests: number;
}

const START_MS = 1_800_000_000_000;
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
  const scheduler = createScheduler(START_MS, random.next);
  const table = createTableState(true);
  const queue = createMemoryQueue(scheduler);
  const referee = createReferee({ now: scheduler.now, read: table.read, agents: setup.agents });
  const sim: Sim = {
    ...{ scheduler, random, table, queue, referee, plan },
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
    if (scheduler.now() > START_MS + LONGEST_MS || scheduler.happened() > MOST_EVENTS) {
      referee.fail('4 progress', unrested(sim), `it does not come to rest in ${scheduler.happened()} events`);
      return true;
    }
    return actors.busy() === 0 && queue.messages().length === 0 && unrested(sim) === '';
  });
  const problem = referee.violation() === undefined ? finalProblem(sim) : undefined;
  if (problem !== undefined) referee.fail(problem.invariant, problem.jobId, problem.what);
  const own = referee.violation() === undefined ? setup.judge() : undefined;
  if (own !== undefined) referee.fail('a rule of the tools', '', own);
  const steps = passes(sim, 'worker') + passes(sim, 'batch');
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

/** A job or batch that is still live; empty when there is none. */
function unrested({ referee }: Sim): string {
  for (const { id, head } of referee.jobs.values()) {
    if (head !== undefined && 'qrw'.includes(head.state)) return id;
  }
  for (const [id, batch] of referee.batches) if (batch.status === 'running') return id;
  return '';
}

const FOR_EVER = 1_000_000;

/** Submits everything and lets people act at their times. */
function play(sim: Sim, setup: Setup, scenario: Scenario, actors: Actors): void {
  const ask = (wanted: Omit<Wanted, 'everyMs' | 'when'> & Partial<Wanted>): void =>
    actors.request({ everyMs: 30_000, when: () => 'now', ...wanted });
  for (const [at, plan] of scenario.jobs.entries()) {
    ask({
      actor: 'submit',
      atMs: plan.atMs,
      tries: FOR_EVER,
      work: async (world) => {
        const { tenant, agent, input, limits } = plan;
        const submitted = await submit(world, {
          tenant,
          agent,
          input,
          limits,
          ceilingMicroUsd: plan.ceiling,
          key: `${at}`,
        });
        if (submitted.type === 'conflict')
          sim.referee.fail('4 progress', submitted.jobId, 'a job conflicts with itself');
        else sim.referee.accepted(submitted.job.id);
        return 'done';
      },
    });
  }
  const { batch } = scenario;
  if (batch !== undefined) {
    const rows = batch.rows.map((input, at) => ({ id: `row${at}`, line: at + 1, input, metadata: {} }));
    ask({
      actor: 'submit batch',
      atMs: batch.atMs,
      tries: FOR_EVER,
      work: async (world) => {
        const { tenant, agent, budget, limits, concurrency } = batch;
        await createBatch(world, {
          tenant,
          agent,
          budget,
          limits,
          concurrency,
          rows,
          ceilingMicroUsd: batch.ceiling,
          key: 'b',
        });
        return 'done';
      },
    });
  }
  const ids = idsOf(setup, scenario);
  for (const action of scenario.actions) {
    const subject = ids.jobs[action.job % Math.max(1, ids.jobs.length)];
    if (subject === undefined) continue;
    ask({
      actor: action.type === 'approve' || action.type === 'deny' ? 'decide' : action.type,
      atMs: action.atMs,
      tries: 6,
      when: () => whenOf(sim, action, subject.jobId),
      work: (world, process) =>
        act(sim, world, process, action, { ...subject, batchId: ids.batchId, rows: ids.rows }),
    });
  }
}

/** Deciding makes sense while a job waits, extending once it has ended; strangers and the hasty try at any time. */
function whenOf({ referee, faulty }: Sim, action: Action, jobId: string): 'now' | 'later' | 'never' {
  const head = referee.jobs.get(jobId)?.head;
  if (action.hasty || (action.type !== 'approve' && action.type !== 'deny' && action.type !== 'extend'))
    return 'now';
  if (head === undefined) return faulty ? 'later' : 'never';
  const wanted = action.type === 'extend' ? 'p' : 'w';
  if (head.state === wanted) return 'now';
  return hasEnded(head) ? 'never' : 'later';
}

interface Subject {
  readonly jobId: string;
  readonly tenant: string;
  readonly batchId: string;
  /** The jobs of the batch. */
  readonly rows: readonly string[];
}

function idsOf(
  { ids }: Setup,
  { jobs, batch }: Scenario,
): Pick<Subject, 'batchId' | 'rows'> & { readonly jobs: readonly Omit<Subject, 'batchId' | 'rows'>[] } {
  const { hash } = ids;
  const world = { ids } as World;
  const own = jobs.map(({ tenant }, at) => ({ tenant, jobId: `job_${hash(`${tenant}\n${at}`)}` }));
  if (batch === undefined) return { jobs: own, batchId: '', rows: [] };
  const batchId = batchIdOf(world, batch.tenant, 'b');
  const rows = batch.rows.map((_, at) => ({
    tenant: batch.tenant,
    jobId: `job_${hash(`${batch.tenant}\n${batchId}\n${rowKeyOf(world, batchId, `row${at}`)}`)}`,
  }));
  return { jobs: [...own, ...rows], batchId, rows: rows.map(({ jobId }) => jobId) };
}

/** One person, one thing. Says `again` while it makes no sense yet. */
async function act(
  sim: Sim,
  world: World,
  process: Process,
  action: Action,
  subject: Subject,
): Promise<'done' | 'again'> {
  const { jobId, batchId } = subject;
  const tenant = action.stranger ? `not ${subject.tenant}` : subject.tenant;
  const stranger = (answer: string): 'done' => {
    if (action.stranger && answer !== 'not_found')
      sim.referee.fail('9 isolation', jobId, `${action.type} by another tenant was answered ${answer}`);
    return 'done';
  };
  switch (action.type) {
    case 'cancel': {
      if (!action.stranger) sim.referee.cancelling([jobId]);
      const answer = await cancel(world, tenant, jobId);
      if (answer.type === 'accepted') sim.referee.cancelled(jobId);
      return answer.type === 'not_found' && !action.stranger ? 'again' : stranger(answer.type);
    }
    case 'approve':
    case 'deny': {
      const job = await world.store.loadJob(jobId);
      const waiting = job && (await approvalsOf(world, job)).find(({ status }) => status === 'pending');
      if (waiting === undefined) return 'again';
      process.meant = `${waiting.callId} ${action.type === 'approve' ? 'A' : 'D'}`;
      const { callId, inputHash } = waiting;
      return stranger((await judge(world, { tenant, jobId, callId, inputHash, decision: action.type })).type);
    }
    case 'extend': {
      const adds = { microUsd: action.add, steps: 2, tokens: 50_000, seconds: 600 };
      process.adds = adds;
      const answer = await extend(world, {
        tenant,
        jobId,
        addMicroUsd: adds.microUsd,
        addSteps: adds.steps,
        addTokens: adds.tokens,
        addSeconds: adds.seconds,
      });
      return answer.type === 'conflict' ? 'again' : stranger(answer.type);
    }
    case 'cancel batch': {
      if (batchId === '') return 'done';
      if (!action.stranger) sim.referee.cancelling(subject.rows);
      const answer = await cancelBatch(world, tenant, batchId);
      return answer.type === 'not_found' && !action.stranger ? 'again' : stranger(answer.type);
    }
    case 'extend batch': {
      if (batchId === '') return 'done';
      process.adds = { microUsd: action.add, steps: 0, tokens: 0, seconds: 0 };
      const answer = await extendBatch(world, tenant, batchId, action.add);
      return stranger(typeof answer === 'string' ? answer : 'extended');
    }
    default:
      return action.type satisfies never;
  }
}
