import { ANSWER_TOOL, type Tool } from './agent.ts';
import { callId } from './approvals.ts';
import { isObject, parseContent, type ToolCall } from './content.ts';
import type { JobEvent } from './evolve.ts';
import { isEnded, type Job, type JobUsage, type Ledger, type Status, type StopReason } from './job.ts';
import type { MessageItem } from './message-item.ts';

/** What logs and telemetry may know of a job: ids, names, states and figures, never content. */
export interface JobFacts {
  readonly id: string;
  readonly tenant: string;
  readonly agent: string;
  /** Empty for a job of its own. */
  readonly batchId: string;
  readonly status: Status['type'];
  /** Undefined while it is live. */
  readonly stop: StopReason | undefined;
  readonly steps: number;
  /** Micro-dollars. */
  readonly ledger: Ledger;
  readonly usage: JobUsage;
  readonly createdAtMs: number;
  /** 0 while it is live. */
  readonly endedAtMs: number;
}

/** One call that was run. */
export interface CallFacts {
  readonly id: string;
  readonly place: number;
  /** `unknown` where the agent has no such tool: what the model made up is its own words. */
  readonly tool: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly failed: boolean;
}

/** One request to the model. */
export interface AskFacts {
  readonly startMs: number;
  readonly endMs: number;
  readonly maxTokens: number;
  /** Why the reply ended, in the API's word; empty where no usable reply came. */
  readonly stop: string;
  /** A word or two where no usable reply came, such as `529 overloaded_error`; else empty. */
  readonly problem: string;
  /** Input, output, cache write, cache read; undefined where the server said nothing. */
  readonly usage: MessageItem['usage'];
  /** Micro-dollars: what was booked for it, and what was held. */
  readonly cost: number;
  readonly reserved: number;
}

/** A commit of a worker: what of a step it has made true. */
export interface StepFacts {
  readonly type: 'step';
  readonly event: JobEvent['type'];
  readonly job: JobFacts;
  readonly model: string;
  /** Of all commits of a job that hold a request or calls, this one's alone. */
  readonly fence: number;
  /** Which attempt at the step it was, from 1. */
  readonly attempt: number;
  readonly asked: AskFacts | undefined;
  readonly calls: readonly CallFacts[];
  /** Micro-dollars that this commit has booked, and that it has given up as unsettled. */
  readonly spent: number;
  readonly unsettled: number;
  readonly queueMs: number;
  readonly toolsMs: number;
  /** What Treadle itself took, until the reply was stored. */
  readonly engineMs: number;
  /** Messages of the oldest rounds that the request left out. */
  readonly dropped: number;
}

/** A job has ended, whoever ended it. `model` is undefined where that was no worker. */
export interface EndFacts {
  readonly type: 'ended';
  readonly job: JobFacts;
  readonly model: string | undefined;
}

export type Fact = StepFacts | EndFacts;

export function jobFacts(job: Job): JobFacts {
  const { id, tenant, agent, batchId, steps, ledger, usage, createdAtMs, endedAtMs } = job;
  const stop = isEnded(job) ? job.status.stop.reason : undefined;
  const states = { status: job.status.type, stop, steps };
  return { ...{ id, tenant, agent, batchId }, ...states, ...{ ledger, usage, createdAtMs, endedAtMs } };
}

/** A request whose reply was not one to keep: when it was made, and for how much output. */
export interface Unanswered {
  readonly startMs: number;
  readonly endMs: number;
  readonly maxTokens: number;
  readonly reserved: number;
}

/** A commit as the worker knows it. */
export interface Committed {
  readonly before: Job;
  readonly after: Job;
  readonly event: JobEvent;
  readonly model: string;
  /** The calls that were pending before it, and the tools they may be of. */
  readonly calls: readonly ToolCall[];
  readonly tools: ReadonlyMap<string, Tool>;
  /** The request of a step that ends without a reply. */
  readonly unanswered?: Unanswered | undefined;
}

/** What a commit made true. A reply of a dead attempt that was adopted carries that attempt's times. */
export function stepFacts(committed: Committed): StepFacts {
  const { before, after, event, model, unanswered } = committed;
  const item = itemOf(event);
  const asked = askFacts(event, unanswered);
  const toolsEndMs = asked?.startMs ?? item?.at ?? event.nowMs;
  return {
    ...{ type: 'step', event: event.type, model },
    job: jobFacts(after),
    fence: item?.born ?? before.fence,
    attempt: item?.attempts ?? before.attempts,
    asked,
    calls: item === undefined ? [] : callFacts(committed, item, toolsEndMs),
    spent: Math.max(0, after.ledger.settled - before.ledger.settled),
    unsettled: Math.max(0, after.ledger.unsettled - before.ledger.unsettled),
    queueMs: item?.ms[0] ?? 0,
    toolsMs: item?.ms[2] ?? 0,
    engineMs: item?.engineMs ?? 0,
    dropped: item?.dropped ?? 0,
  };
}

function itemOf(event: JobEvent): MessageItem | undefined {
  if (event.type === 'replied') return event.item;
  return 'results' in event ? event.results?.item : undefined;
}

function askFacts(event: JobEvent, unanswered: Unanswered | undefined): AskFacts | undefined {
  if (event.type === 'replied') {
    const { at, ms, stop, bound, usage, cost, reserved } = event.item;
    const unusable = stop.startsWith('unusable');
    return {
      ...{ startMs: at - ms[1], endMs: at, maxTokens: bound[1], usage, cost, reserved },
      ...{ stop: unusable ? '' : stop, problem: unusable ? 'unusable' : '' },
    };
  }
  if (unanswered === undefined) return undefined;
  const problem = 'problem' in event ? event.problem : event.type;
  return { ...unanswered, stop: '', problem, usage: undefined, cost: 0 };
}

/**
 * The calls of an item. How long each took is stored, when it began is not: the calls of `once` tools ran one after the
 * other, all others from the beginning, and the last of them was done when the model was asked.
 */
function callFacts(
  { before, calls, tools }: Committed,
  item: MessageItem,
  endMs: number,
): readonly CallFacts[] {
  const { pending } = before;
  if (pending === undefined || item.states === '') return [];
  const results = item.user === undefined ? [] : parseContent(item.user);
  const isOnce = (place: number): boolean => tools.get(calls[place]?.name ?? '')?.policy === 'once';
  const onceMs = item.callMs.reduce((sum, ms, place) => sum + (isOnce(place) ? ms : 0), 0);
  const beginMs = endMs - Math.max(onceMs, ...item.callMs);
  let nextMs = beginMs;
  return [...item.states].flatMap((state, place) => {
    const ms = item.callMs[place] ?? 0;
    const startMs = isOnce(place) ? nextMs : beginMs;
    if (isOnce(place)) nextMs += ms;
    const name = calls[place]?.name ?? '';
    const run = (state === 'R' || state === 'A') && name !== ANSWER_TOOL;
    if (!run) return [];
    const result = results[place];
    const failed = isObject(result) && result['is_error'] === true;
    const tool = tools.has(name) ? name : 'unknown';
    return [{ id: callId(pending.born, place), place, tool, startMs, endMs: startMs + ms, failed }];
  });
}
