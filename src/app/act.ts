import { ANSWER_TOOL } from '../core/agent.ts';
import type { Letter } from '../core/approvals.ts';
import type { ContentBlock, ToolCall } from '../core/content.ts';
import { answerProblem } from '../core/dispatch.ts';
import type { Job, Pending } from '../core/job.ts';
import type { MessageItem } from '../core/message-item.ts';
import { coverResult, createCover } from '../core/placeholders.ts';
import { resultRoom } from '../core/quote.ts';
import { type Caller, type CallResult, closedCall, problem, runCall } from './run-call.ts';
import type { CallKey } from './store.ts';
import type { World } from './world.ts';

/** What running the calls of the last reply gave. */
export interface Acted {
  /** The user message's content: one result per call, in their order, then the loop's own note. */
  readonly content: readonly ContentBlock[];
  readonly tools: 'none' | 'ok' | 'failed';
  readonly failedTool: string;
  readonly states: string;
  readonly callMs: readonly number[];
  /** How long the tools ran, those at the same time counted once. */
  readonly toolsMs: number;
  readonly review: boolean;
  /** What the content was the first in this job to hide, as an item stores it. */
  readonly hidden?: string;
}

/** What a step without calls has done. */
export const nothing: Acted = {
  content: [],
  tools: 'none',
  failedTool: '',
  states: '',
  callMs: [],
  toolsMs: 0,
  review: false,
};

export const CUT_NOTE =
  'Your last reply was cut at the output limit and was dropped; nothing in it was run. Reply again, more briefly.';
export const ANSWER_NOTE = `An answer is due: end by calling ${ANSWER_TOOL} with your result.`;
export const EMPTY_NOTE = 'Your last reply held no text. Answer now, in text.';

/**
 * The note that a reply without calls asks for, if any: that it was cut, or no answer. After a retry the last reply
 * counts as a good one, but one that stands in the transcript and is neither calls nor a pause was no answer all the same.
 */
export function noteFor(job: Job, answerTool: boolean, last: MessageItem): readonly ContentBlock[] {
  if (job.pending !== undefined || job.observed) return [];
  const unanswered = last.kept && last.stop !== 'pause_turn';
  if (job.lastReply === 'ok' && !unanswered) return [];
  const text = job.lastReply === 'cut' ? CUT_NOTE : answerTool ? ANSWER_NOTE : EMPTY_NOTE;
  return [{ type: 'text', text }];
}

/** Runs the pending calls. Undefined when too little time was left for one of them. */
export async function act(
  world: World,
  job: Job,
  caller: Caller,
  calls: readonly ToolCall[],
): Promise<Acted | undefined> {
  const { pending } = job;
  if (pending === undefined || calls.length === 0) return nothing;
  const ran = await runAll(world, caller, calls, pending, job.id);
  if (ran === undefined) return undefined;
  const { results, hidden } = covered(caller, calls, ran);
  const failedAt = results.findIndex(
    (result, at) => result.isError && !'DXV'.includes(pending.states[at] ?? ''),
  );
  const accepted = results.every((result, at) => pending.states[at] === 'V' || !result.isError);
  return {
    content: results.map((result, at) =>
      resultBlock(calls[at], pending.states[at] === 'V' ? answerResult(accepted) : result),
    ),
    tools:
      failedAt >= 0
        ? 'failed'
        : results.some((_, at) => 'RA'.includes(pending.states[at] ?? ''))
          ? 'ok'
          : 'none',
    failedTool: failedAt < 0 ? '' : (calls[failedAt]?.name ?? ''),
    states: pending.states,
    callMs: results.map((result) => result.ms),
    toolsMs: togetherMs(caller, calls, results),
    review: results.some((result) => result.unknown),
    ...(hidden === undefined ? {} : { hidden }),
  };
}

/** The results as the model may read them: what the job hides is hidden, in the order of the calls. */
function covered(
  { agent, transcript }: Pick<Caller, 'agent' | 'transcript'>,
  calls: readonly ToolCall[],
  results: readonly CallResult[],
): { readonly results: readonly CallResult[]; readonly hidden: string | undefined } {
  const { redact } = transcript.info;
  if (redact === undefined) return { results, hidden: undefined };
  const cover = createCover(redact, transcript.originals);
  const hiding = results.map((result, at) => {
    const room = resultRoom(agent, calls[at]?.name ?? '');
    return { ...result, text: coverResult(cover, result.text, result.isError, room) };
  });
  return { results: hiding, hidden: cover.hidden() };
}

/** Whether the answer that other calls stood beside may end the job. */
export function allSucceeded(acted: Acted): boolean {
  return acted.content.every((block) => block['is_error'] !== true);
}

/** Calls of `once` tools run one after the other, in the order of the model; all others run at the same time. */
async function runAll(
  world: World,
  caller: Caller,
  calls: readonly ToolCall[],
  pending: Pending,
  jobId: string,
): Promise<readonly CallResult[] | undefined> {
  let before: Promise<unknown> = Promise.resolve();
  const running = calls.map((call, place) => {
    const key: CallKey = { jobId, born: pending.born, place };
    const run = (): Promise<CallResult | undefined> =>
      answerOne(world, caller, call, key, (pending.states[place] ?? 'R') as Letter);
    if (caller.agent.tools.get(call.name)?.policy !== 'once') return run();
    const mine = before.then(run);
    before = mine;
    return mine;
  });
  const results = await Promise.all(running);
  return results.every((result) => result !== undefined) ? results : undefined;
}

/** How long calls took that ran as `runAll` runs them, without the journal's writes between them. */
function togetherMs({ agent }: Caller, calls: readonly ToolCall[], results: readonly CallResult[]): number {
  let inTurnMs = 0;
  let longestMs = 0;
  for (const [at, { ms }] of results.entries()) {
    if (agent.tools.get(calls[at]?.name ?? '')?.policy === 'once') inTurnMs += ms;
    else longestMs = Math.max(longestMs, ms);
  }
  return Math.max(inTurnMs, longestMs);
}

async function answerOne(
  world: World,
  caller: Caller,
  call: ToolCall,
  key: CallKey,
  letter: Letter,
): Promise<CallResult | undefined> {
  switch (letter) {
    case 'D': {
      const ask = await world.store.readAsk(key, 'D');
      const why = ask === undefined || ask.reason === '' ? '' : ` The reason given: ${ask.reason}`;
      return problem(`A person declined this call; it was not run.${why}`);
    }
    case 'X':
      return problem('Nobody approved this call in time; it was not run.');
    case 'W':
      return problem('Nobody has decided this call; it was not run.');
    case 'V':
      return { text: '', isError: false, unknown: false, ms: 0 };
    case 'R':
    case 'A':
      break;
    default:
      return letter satisfies never;
  }
  if (caller.agent.output !== undefined && call.name === ANSWER_TOOL) {
    const checked = answerProblem(caller.agent.output, call.input);
    return problem(checked.ok ? `call ${ANSWER_TOOL} once only` : checked.problem);
  }
  return caller.halt.isOn() ? notBegun(world, caller, call, key) : runCall(world, caller, call, key);
}

/** After a cancel nothing is begun; but a dead attempt may have begun a call of a `once` tool, and its journal tells. */
async function notBegun(world: World, caller: Caller, call: ToolCall, key: CallKey): Promise<CallResult> {
  const once = caller.agent.tools.get(call.name)?.policy === 'once';
  const begun = once ? await closedCall(world, key) : undefined;
  return begun ?? problem('The job was cancelled before this call was run.');
}

export function answerResult(accepted: boolean): CallResult {
  return accepted
    ? { text: 'accepted', isError: false, unknown: false, ms: 0 }
    : problem(
        'Not accepted, because another call of the same reply did not succeed. Read its result and answer again.',
      );
}

export function resultBlock(call: ToolCall | undefined, result: CallResult): ContentBlock {
  return {
    type: 'tool_result',
    tool_use_id: call?.id ?? '',
    content: result.text,
    ...(result.isError ? { is_error: true } : {}),
  };
}
