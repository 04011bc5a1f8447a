import { type Batch, evolveBatch, poolLeft, rowsOf } from '../core/batch.ts';
import { evolve } from '../core/evolve.ts';
import { isEnded, type Job } from '../core/job.ts';
import { charged } from '../core/ledger.ts';
import { resumableReasons } from '../core/stop-rules.ts';
import type { DayTake } from '../core/tenant.ts';
import { apiCommit, batchHeads, jobHeads, type Wish } from './api-commit.ts';
import { callsAt } from './approve.ts';
import { rowKeyAt } from './batch-turn.ts';
import { takeToGoOn } from './day-pool.ts';
import { isOwn } from './own.ts';
import { sendBatchTurn, sendTurn } from './send.ts';
import type { World } from './world.ts';

export interface Extension {
  readonly tenant: string;
  readonly jobId: string;
  /** Micro-dollars. @default 0 */
  readonly addMicroUsd?: number;
  readonly addSteps?: number;
  readonly addTokens?: number;
  readonly addSeconds?: number;
}

export type Extended =
  | { readonly type: 'extended'; readonly job: Job }
  | { readonly type: 'not_found' }
  | { readonly type: 'conflict'; readonly why: string };

/**
 * Raises the limits of a job that one of them stopped; it goes on from where it stopped. The money of a batch's job is
 * taken from the pool first, in the batch's own head: writing the job alone would overspend the pool. So is that of the
 * tenant's pool of the day.
 */
export async function extend(world: World, extension: Extension): Promise<Extended> {
  for (let tries = 0; tries < 5; tries += 1) {
    const job = await world.store.loadJob(extension.jobId);
    const refused = refusal(world, job, extension);
    if (job === undefined || refused !== undefined) return refused ?? { type: 'not_found' };
    const info = await world.store.readInfo(job.id);
    if (info?.batchId !== undefined) {
      const granted = await grant(world, info.batchId, info.rowKey ?? '', job, extension.addMicroUsd ?? 0);
      if (granted === 'overtaken') continue;
      if (granted !== 'granted') return { type: 'conflict', why: granted.why };
    }
    const taken = await takeToGoOn(world, job, job.ledger.ceiling + (extension.addMicroUsd ?? 0));
    if (taken?.type === 'spent') return { type: 'conflict', why: dayLacks(job, extension, taken.left) };
    const result = await extendHead(world, job, extension, taken);
    if (result !== 'overtaken') return result;
  }
  return { type: 'conflict', why: 'the job is being changed by others; try again' };
}

function refusal(world: World, job: Job | undefined, extension: Extension): Extended | undefined {
  if (!isOwn(world, extension.tenant, job)) return { type: 'not_found' };
  if (!isEnded(job)) return { type: 'conflict', why: `the job has not ended: ${job.status.type}` };
  const { reason } = job.status.stop;
  if (!resumableReasons.has(reason))
    return { type: 'conflict', why: `a job that ended with ${reason} cannot be extended` };
  return undefined;
}

function dayLacks({ ledger }: Job, { addMicroUsd = 0 }: Extension, left: number): string {
  const needed = ledger.ceiling + addMicroUsd - charged(ledger);
  return `the tenant has $${left / 1e6} left for today, the job needs $${needed / 1e6}`;
}

/** Only on the very version that the pool granted for: a later one has to ask the pool again. */
async function extendHead(
  world: World,
  seen: Job,
  extension: Extension,
  dayTake: DayTake | undefined,
): Promise<Extended | 'overtaken'> {
  const expiresAtMs = await newExpiry(world, seen);
  const result = await apiCommit(world, jobHeads(world), seen.id, (job): Wish<Job, 'overtaken'> => {
    if (job === undefined || job.version !== seen.version) return { answer: 'overtaken' };
    const { addMicroUsd = 0, addSteps = 0, addTokens = 0, addSeconds = 0 } = extension;
    const nowMs = world.clock.now();
    return {
      once: true,
      change: evolve(job, {
        type: 'extended',
        nowMs,
        addMicroUsd,
        addSteps,
        addTokens,
        addSeconds,
        expiresAtMs,
        dayTake,
      }),
    };
  });
  if ('answer' in result) return result.answer;
  if (result.committed.status.type === 'queued') await sendTurn(world, result.committed);
  return { type: 'extended', job: result.committed };
}

async function newExpiry(world: World, job: Job): Promise<number> {
  const { pending } = job;
  if (pending?.states.includes('W') !== true) return 0;
  const calls = await callsAt(world, job, pending.item);
  const tools = world.agents.get(job.agent)?.tools;
  const seconds = calls.flatMap((call, place) =>
    pending.states[place] === 'W' ? [tools?.get(call.name)?.gate?.expiresInSeconds ?? 0] : [],
  );
  return world.clock.now() + Math.min(...seconds) * 1000;
}

type Granted = 'granted' | 'overtaken' | { readonly why: string };

/**
 * Reserves the job's new ceiling in the pool. What the job's end had freed there is read from the job itself, after the
 * batch: while the batch's head stays as it was read, with the row closed, it has booked exactly this end.
 */
async function grant(
  world: World,
  batchId: string,
  rowKey: string,
  job: Job,
  addMicroUsd: number,
): Promise<Granted> {
  const first = await world.store.loadBatch(batchId);
  const ordinal = first === undefined ? undefined : await ordinalOf(world, first, rowKey);
  if (ordinal === undefined) return { why: 'its batch does not know the row' };
  const ceiling = job.ledger.ceiling + addMicroUsd;
  const result = await apiCommit(
    world,
    batchHeads(world),
    batchId,
    async (batch): Promise<Wish<Batch, Granted>> => {
      if (batch === undefined || batch.cancelRequested) return refuse('its batch is cancelled');
      const standing = batch.open.find((open) => open.ordinal === ordinal);
      if (standing !== undefined && standing.grant === job.version && standing.ceiling >= ceiling) {
        return { answer: 'granted' };
      }
      const fresh = await world.store.loadJob(job.id);
      if (fresh?.version !== job.version || !isEnded(fresh)) return { answer: 'overtaken' };
      const freed =
        standing === undefined ? { status: fresh.status.type, cost: charged(fresh.ledger) } : undefined;
      const left = poolLeft(batch) + (freed?.cost ?? 0) + (standing?.ceiling ?? 0);
      if (ceiling > left) return refuse(`the batch has $${left / 1e6} left, the job needs $${ceiling / 1e6}`);
      const nowMs = world.clock.now();
      return {
        change: evolveBatch(batch, { type: 'granted', nowMs, ordinal, ceiling, grant: job.version, freed }),
      };
    },
  );
  if ('answer' in result) return result.answer;
  await sendBatchTurn(world, result.committed);
  return 'granted';
}

const refuse = (why: string): { readonly answer: Granted } => ({ answer: { why } });

async function ordinalOf(world: World, batch: Batch, rowKey: string): Promise<number | undefined> {
  for (let ordinal = 0; ordinal < rowsOf(batch); ordinal += 1) {
    if ((await rowKeyAt(world, batch, ordinal)) === rowKey) return ordinal;
  }
  return undefined;
}
