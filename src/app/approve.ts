import { callId, earliestExpiry, expiryOf, readCallId } from '../core/approvals.ts';
import { evolve } from '../core/evolve.ts';
import { isEnded, type Job, type Pending } from '../core/job.ts';
import { type StoredCall, storedCalls } from '../core/message-item.ts';
import { stableJson } from '../core/safe-json.ts';
import { apiCommit, jobHeads, type Wish } from './api-commit.ts';
import { isOwn } from './own.ts';
import { sendTurn, sentOrDue } from './send.ts';
import type { World } from './world.ts';

export interface Verdict {
  readonly tenant: string;
  readonly jobId: string;
  readonly callId: string;
  readonly decision: 'approve' | 'deny';
  /** At most 500 characters. */
  readonly reason?: string;
  readonly who?: string;
  /** When given, the decision holds only for exactly these arguments. */
  readonly inputHash?: string;
}

export type Judged =
  | { readonly type: 'decided'; readonly job: Job }
  | { readonly type: 'not_found' }
  | { readonly type: 'conflict'; readonly why: string };

/** The hash of a call's arguments, as the model gave them, by which an approval is bound to them. */
export function inputHash(world: World, input: unknown): string {
  return world.ids.hash(stableJson(input));
}

/** Approves or denies one waiting call. Decided once; the same decision again answers the same for ever. */
export async function judge(world: World, verdict: Verdict): Promise<Judged> {
  const named = readCallId(verdict.callId);
  if (named === undefined) return { type: 'not_found' };
  const letter = verdict.decision === 'approve' ? 'A' : 'D';
  const result = await apiCommit(
    world,
    jobHeads(world),
    verdict.jobId,
    async (job): Promise<Wish<Job, Judged>> => {
      if (!isOwn(world, verdict.tenant, job)) return { answer: { type: 'not_found' } };
      const { pending } = job;
      if (pending?.born !== named.born) return { answer: await judgedBefore(world, job, named, letter) };
      const state = pending.states[named.place];
      if (state === undefined || state === 'R' || state === 'V') return { answer: { type: 'not_found' } };
      if (state === letter) return { answer: { type: 'decided', job } };
      const calls = await callsAt(world, job, pending.item);
      const tools = world.agents.get(job.agent)?.tools ?? new Map();
      const call = calls[named.place];
      const nowMs = world.clock.now();
      if (state !== 'W') return conflict('the call is already decided otherwise');
      if (isEnded(job)) return conflict(`the job has ended: ${job.status.stop.reason}`);
      if (call === undefined) return { answer: { type: 'not_found' } };
      if (nowMs >= expiryOf(pending, tools.get(call.name))) return conflict('the time to decide is over');
      if (verdict.inputHash !== undefined && verdict.inputHash !== inputHash(world, call.sent)) {
        return conflict('the arguments are not those that were decided on');
      }
      const ask = { reason: (verdict.reason ?? '').slice(0, 500), who: verdict.who ?? '', atMs: nowMs };
      await world.store.putAsk({ jobId: job.id, ...named }, letter, ask);
      const states = pending.states.slice(0, named.place) + letter + pending.states.slice(named.place + 1);
      const expiresAtMs = earliestExpiry(pending, states, calls, tools);
      return {
        change: evolve(job, { type: 'approval_decided', nowMs, place: named.place, letter, expiresAtMs }),
      };
    },
  );
  if ('answer' in result) return result.answer;
  if (result.committed.status.type === 'queued') {
    await sentOrDue(world, sendTurn(world, result.committed));
  }
  return { type: 'decided', job: result.committed };
}

const conflict = (why: string): { answer: Judged } => ({ answer: { type: 'conflict', why } });

/** A call whose reply is behind the job: the item that ran it keeps the letters. */
async function judgedBefore(
  world: World,
  job: Job,
  named: { readonly born: number; readonly place: number },
  letter: 'A' | 'D',
): Promise<Judged> {
  const { items } = await world.store.readTranscript(job.id, job.count, true);
  const at = items.findIndex((item) => item.kept && item.born === named.born);
  const state = at < 0 ? undefined : items[at + 1]?.states[named.place];
  if (state === letter) return { type: 'decided', job };
  if (state === 'A' || state === 'D')
    return { type: 'conflict', why: 'the call is already decided otherwise' };
  if (state === 'W') return { type: 'conflict', why: 'the job went on without this call' };
  return state === 'X' ? { type: 'conflict', why: 'the time to decide is over' } : { type: 'not_found' };
}

export async function callsAt(
  world: World,
  job: Pick<Job, 'id'>,
  at: number,
): Promise<readonly StoredCall[]> {
  const item = await world.store.readItem(job.id, at);
  return item === undefined ? [] : storedCalls(item);
}

export interface Approval {
  readonly callId: string;
  readonly tool: string;
  /** What the tool will get. */
  readonly input: unknown;
  readonly inputHash: string;
  readonly requestedAtMs: number;
  readonly expiresAtMs: number;
  readonly status: 'pending' | 'approved' | 'denied' | 'expired';
}

const statusOf = { W: 'pending', A: 'approved', D: 'denied', X: 'expired' } as const;

/** The gated calls of the reply that has not been acted on yet. */
export async function approvalsOf(world: World, job: Job): Promise<readonly Approval[]> {
  if (job.pending === undefined || !hasApprovals(job)) return [];
  return approvalsIn(world, job, await callsAt(world, job, job.pending.item));
}

/**
 * The gated calls that were acted on, oldest first, as the items that ran them keep them. The transcript is read only where
 * a call was decided at all.
 */
export async function decidedBefore(world: World, job: Job): Promise<readonly Approval[]> {
  const tools = world.agents.get(job.agent)?.tools ?? new Map();
  const gated = [...tools.values()].some(({ gate }) => gate !== undefined);
  if (!gated || job.deleted || job.steps === 0 || !(await world.store.hasAsks(job.id))) return [];
  const { items } = await world.store.readTranscript(job.id, job.count, true);
  return items.flatMap((item, at) => {
    const states = items[at + 1]?.states ?? '';
    if (!item.kept || item.reply === undefined || !/[ADX]/.test(states)) return [];
    const { born, at: sinceMs } = item;
    const pending = { item: at + 1, born, states, sinceMs, expiresAtMs: 0, decidedAtMs: 0 };
    return approvalsOfPending(world, job, pending, storedCalls(item));
  });
}

/** Whether a call of the last reply was held for a person. */
export function hasApprovals(job: Job): boolean {
  return job.pending !== undefined && /[WADX]/.test(job.pending.states);
}

/** The same, of calls that are at hand. */
export function approvalsIn(world: World, job: Job, calls: readonly StoredCall[]): readonly Approval[] {
  return job.pending === undefined ? [] : approvalsOfPending(world, job, job.pending, calls);
}

function approvalsOfPending(
  world: World,
  job: Job,
  pending: Pending,
  calls: readonly StoredCall[],
): readonly Approval[] {
  const tools = world.agents.get(job.agent)?.tools;
  return calls.flatMap((call, place) => {
    const letter = statusOf[pending.states[place] as keyof typeof statusOf];
    if (letter === undefined) return [];
    // Nobody can decide any more once the job has ended.
    const status = letter === 'pending' && isEnded(job) ? 'expired' : letter;
    return [
      {
        callId: callId(pending.born, place),
        tool: call.name,
        input: call.input,
        inputHash: inputHash(world, call.sent),
        requestedAtMs: pending.sinceMs,
        expiresAtMs: expiryOf(pending, tools?.get(call.name)),
        status,
      },
    ];
  });
}
