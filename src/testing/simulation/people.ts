import { approvalsOf, judge } from '../../app/approve.ts';
import { batchIdOf, createBatch, rowKeyOf } from '../../app/batches.ts';
import { cancel } from '../../app/cancel.ts';
import { extend } from '../../app/extend.ts';
import { cancelBatch, extendBatch } from '../../app/manage-batch.ts';
import { submit } from '../../app/submit.ts';
import type { World } from '../../app/world.ts';
import type { Actors, Wanted } from './actors.ts';
import type { Setup } from './process-world.ts';
import { hasEnded } from './records.ts';
import type { Action, Scenario } from './scenario.ts';
import type { Process, Sim } from './sim.ts';

const FOR_EVER = 1_000_000;

/** Submits everything and lets people act at their times. */
export function play(sim: Sim, setup: Setup, scenario: Scenario, actors: Actors): void {
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
        if (!('job' in submitted))
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
      return stranger((await extendBatch(world, { tenant, batchId, addMicroUsd: action.add })).type);
    }
    default:
      return action.type satisfies never;
  }
}
