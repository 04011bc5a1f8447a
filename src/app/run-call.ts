import type { Agent, Tool, ToolContext } from '../core/agent.ts';
import type { ToolCall } from '../core/content.ts';
import { checkCall, errorText } from '../core/dispatch.ts';
import { RetryableError } from '../core/errors.ts';
import { toResultText } from '../core/safe-json.ts';
import { type Delivery, OVER, timeFor, timeLeft } from './delivery.ts';
import type { CallKey } from './store.ts';
import type { Transcript } from './transcript.ts';
import type { Halt } from './watch.ts';
import type { World } from './world.ts';

/** What the model gets to read of one call. `unknown`: it may or may not have taken effect. */
export interface CallResult {
  readonly text: string;
  readonly isError: boolean;
  readonly unknown: boolean;
  readonly ms: number;
}

/** The attempt that runs a call: its owner token, and what bounds its time. */
export interface Caller {
  readonly owner: string;
  readonly delivery: Delivery;
  readonly agent: Agent;
  readonly transcript: Transcript;
  readonly tenant: string;
  /** Comes once the job is cancelled: a call of a `once` tool runs on, no other does. */
  readonly halt: Halt;
}

const UNKNOWN_TEXT =
  'outcome unknown: this call was started and may or may not have taken effect. It will not be run again.';

const HALTED_TEXT = 'The job was cancelled while this call ran; it was stopped and may have taken effect.';

const unknown = (ms: number): CallResult => ({ text: UNKNOWN_TEXT, isError: true, unknown: true, ms });

export const problem = (text: string): CallResult => ({ text, isError: true, unknown: false, ms: 0 });

/** Runs one call under its tool's policy. Undefined when too little of the invocation is left to start it. */
export async function runCall(
  world: World,
  caller: Caller,
  call: ToolCall,
  key: CallKey,
): Promise<CallResult | undefined> {
  const checked = checkCall(caller.agent.tools, call.name, call.input);
  if (!checked.ok) return problem(checked.problem);
  const { tool, input } = checked;
  if (!timeFor(tool.timeoutSeconds * 1000, caller.delivery, world.clock)) return undefined;
  return tool.policy === 'once'
    ? runOnce(world, caller, tool, input, key)
    : plain(await tryTool(world, caller, tool, input, key, caller.halt));
}

/** How one run of a tool's code went. */
type Run =
  | { readonly type: 'returned'; readonly text: string; readonly ms: number }
  | { readonly type: 'threw'; readonly text: string; readonly ms: number }
  | { readonly type: 'timed_out'; readonly ms: number }
  | { readonly type: 'halted'; readonly ms: number };

function plain(run: Run): CallResult {
  if (run.type === 'timed_out') return { ...problem('timed out'), ms: run.ms };
  if (run.type === 'halted') return { ...problem(HALTED_TEXT), ms: run.ms };
  return { text: run.text, isError: run.type === 'threw', unknown: false, ms: run.ms };
}

/** Runs a tool's code until it ends, its time is over, or `halt` comes. */
async function tryTool(
  world: World,
  caller: Caller,
  tool: Tool,
  input: unknown,
  key: CallKey,
  halt?: Halt,
): Promise<Run> {
  const begun = world.clock.now();
  const limitMs = Math.max(1, Math.min(tool.timeoutSeconds * 1000, timeLeft(caller.delivery, world.clock)));
  const timer = new AbortController();
  const over = new AbortController();
  const expired = world.clock.sleep(limitMs, over.signal).then((): Run => {
    // A tool that is done in time must not see its signal abort afterwards.
    if (!over.signal.aborted) timer.abort(new Error(`tool ${tool.name} timed out`));
    return { type: 'timed_out', ms: world.clock.now() - begun };
  });
  const ran = runCode(tool, input, contextOf(world, caller, tool, key, timer.signal)).then(
    (value): Run => ({
      type: 'returned',
      text: toResultText(value, tool.maxResultBytes).text,
      ms: world.clock.now() - begun,
    }),
    (error: unknown): Run => ({ type: 'threw', text: errorText(error), ms: world.clock.now() - begun }),
  );
  const halted = halt?.comes.then((): Run => {
    if (!over.signal.aborted) timer.abort(new Error('the job was cancelled'));
    return { type: 'halted', ms: world.clock.now() - begun };
  });
  const run = await Promise.race(halted === undefined ? [ran, expired] : [ran, expired, halted]);
  over.abort(OVER);
  return run;
}

/** A tool that throws before its first await rejects like any other. */
async function runCode(tool: Tool, input: unknown, context: ToolContext): Promise<unknown> {
  return await tool.run(input, context);
}

function contextOf(world: World, caller: Caller, tool: Tool, key: CallKey, signal: AbortSignal): ToolContext {
  const { transcript, tenant } = caller;
  return {
    idempotencyKey: `${key.jobId}.${key.born}.${key.place}`,
    signal,
    jobId: key.jobId,
    tenant,
    metadata: JSON.parse(transcript.info.metadata) as ToolContext['metadata'],
    log: (message, fields) => world.log('info', message, { ...fields, jobId: key.jobId, tool: tool.name }),
  };
}

const MAX_TRIES = 4;

/**
 * Makes a write of the journal again that got no answer. It is safe because both hold only once: an intent of this owner
 * that exists is its own, and a call that is closed already keeps its outcome.
 */
async function untilAnswered<T>(world: World, write: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof RetryableError) || tries === MAX_TRIES) throw error;
      await world.clock.sleep(50 * 2 ** tries);
    }
  }
}

/**
 * At most one effect: a durable intent before, the result after. An intent that another attempt left bare is never run
 * again; whoever closes it first, with a result or as unknown, is the outcome.
 */
async function runOnce(
  world: World,
  caller: Caller,
  tool: Tool,
  input: unknown,
  key: CallKey,
): Promise<CallResult> {
  const put = await untilAnswered(world, () => world.store.putIntent(key, caller.owner));
  const found = put === 'exists' ? await world.store.readCall(key) : undefined;
  if (found !== undefined && (found.state !== 'intent' || found.owner !== caller.owner)) {
    return found.state === 'intent' ? halfDone(world, caller, tool, input, key) : recorded(world, key);
  }
  const run = await tryTool(world, caller, tool, input, key);
  const outcome =
    run.type === 'timed_out' || run.type === 'halted'
      ? ({ state: 'unknown', text: '', isError: true } as const)
      : ({ state: 'done', text: run.text, isError: run.type === 'threw' } as const);
  const closed = await untilAnswered(world, () => world.store.closeIntent(key, caller.owner, outcome));
  const stands = closed === 'closed' ? outcome : await world.store.readCall(key);
  if (stands?.state !== outcome.state || stands.text !== outcome.text) {
    world.log('warn', 'a once call was closed by another attempt', { jobId: key.jobId, tool: tool.name });
    return recorded(world, key);
  }
  return outcome.state === 'unknown' ? unknown(run.ms) : plain(run);
}

async function recorded(world: World, key: CallKey): Promise<CallResult> {
  const record = await world.store.readCall(key);
  if (record?.state !== 'done') return unknown(0);
  return { text: record.text, isError: record.isError, unknown: false, ms: 0 };
}

/** What the journal holds of a call that is not to be begun any more; undefined when it never was. A bare intent is closed first. */
export async function closedCall(world: World, key: CallKey): Promise<CallResult | undefined> {
  const record = await world.store.readCall(key);
  if (record === undefined) return undefined;
  if (record.state === 'intent') {
    const outcome = { state: 'unknown', text: '', isError: true } as const;
    await untilAnswered(world, () => world.store.closeIntent(key, undefined, outcome));
  }
  return recorded(world, key);
}

/** A dead attempt started the call. `check` may supply its result; "not done" may only mean "not yet". */
async function halfDone(
  world: World,
  caller: Caller,
  tool: Tool,
  input: unknown,
  key: CallKey,
): Promise<CallResult> {
  const { check } = tool;
  const asked =
    check === undefined
      ? undefined
      : await tryTool(
          world,
          caller,
          { ...tool, run: async (raw, context) => foundBy(await check(raw, context)) },
          input,
          key,
        );
  const outcome =
    asked?.type === 'returned'
      ? ({ state: 'done', text: asked.text, isError: false } as const)
      : ({ state: 'unknown', text: '', isError: true } as const);
  await untilAnswered(world, () => world.store.closeIntent(key, undefined, outcome));
  return recorded(world, key);
}

function foundBy(result: Awaited<ReturnType<NonNullable<Tool['check']>>>): unknown {
  if (result?.done !== true) throw new Error('not known to be done');
  return result.result;
}
