import { type Agent, ANSWER_TOOL } from './agent.ts';
import { type ContentBlock, callsOf, type ToolCall, textOf } from './content.ts';
import { answerProblem, checkCall, needsApproval } from './dispatch.ts';

/** What a reply is for the loop. `missing`: an answer was due and none came. `unusable`: no message at all. */
export type ReplyKind =
  | 'answer'
  | 'calls'
  | 'invalid_answer'
  | 'missing'
  | 'pause'
  | 'cut'
  | 'refusal'
  | 'context_window'
  | 'unusable';

export interface ReplyReading {
  readonly kind: ReplyKind;
  /** Whether the reply is part of the transcript from now on. */
  readonly kept: boolean;
  readonly hasText: boolean;
  /** One letter per call (see `Pending`); empty without calls. */
  readonly states: string;
  /** The shortest time a waiting call may be decided in, in seconds; 0 when none waits. */
  readonly expiresInSeconds: number;
  /** The answer's confidence is below what the agent asks for. */
  readonly lowConfidence: boolean;
}

const aside = { kept: false, hasText: false, states: '', expiresInSeconds: 0, lowConfidence: false } as const;

/** Reads a mended reply. Pure but for the authors' approval functions; one that throws asks a person. */
export function readReply(
  agent: Agent,
  content: readonly ContentBlock[],
  stopReason: string | null,
): ReplyReading {
  const hasText = textOf(content).trim() !== '';
  const calls = callsOf(content);
  switch (stopReason) {
    case 'max_tokens':
      return { ...aside, kind: 'cut', hasText };
    case 'refusal':
      return { ...aside, kind: 'refusal', hasText };
    case 'model_context_window_exceeded':
      return { ...aside, kind: 'context_window', hasText };
    case 'end_turn':
    case 'stop_sequence':
    case 'tool_use':
    case 'pause_turn':
      break;
    default:
      return { ...aside, kind: 'unusable' };
  }
  if (calls.length > 0) return readCalls(agent, calls, hasText);
  if (stopReason === 'pause_turn') {
    return content.length > 0
      ? { ...aside, kind: 'pause', kept: true, hasText }
      : { ...aside, kind: 'missing' };
  }
  if (!hasText) return { ...aside, kind: 'missing' };
  const due = agent.output !== undefined || stopReason === 'tool_use';
  return { ...aside, kind: due ? 'missing' : 'answer', kept: true, hasText };
}

function readCalls(agent: Agent, calls: readonly ToolCall[], hasText: boolean): ReplyReading {
  const answers = calls.filter((call) => agent.output !== undefined && call.name === ANSWER_TOOL);
  const answer = answers[0];
  const checked =
    answer !== undefined && answers.length === 1 && agent.output !== undefined
      ? answerProblem(agent.output, answer.input)
      : undefined;
  const valid = checked?.ok === true;
  const letters = calls.map((call) => (call === answer && valid ? 'V' : letterOf(agent, call)));
  return {
    kind: valid && calls.length === 1 ? 'answer' : answers.length > 0 && !valid ? 'invalid_answer' : 'calls',
    kept: true,
    hasText,
    states: letters.join(''),
    expiresInSeconds: shortestWait(agent, calls, letters),
    lowConfidence: valid && isLow(agent, checked.value['confidence']),
  };
}

function letterOf(agent: Agent, call: ToolCall): 'R' | 'W' {
  const checked = checkCall(agent.tools, call.name, call.input);
  return checked.ok && needsApproval(checked.tool, checked.input) ? 'W' : 'R';
}

function shortestWait(agent: Agent, calls: readonly ToolCall[], letters: readonly string[]): number {
  const waits = calls.flatMap((call, at) =>
    letters[at] === 'W' ? [agent.tools.get(call.name)?.gate?.expiresInSeconds ?? 0] : [],
  );
  return waits.length === 0 ? 0 : Math.min(...waits);
}

/** Whether an answer's confidence calls for a person. */
export function isLow(agent: Agent, confidence: unknown): boolean {
  return (
    agent.reviewBelowConfidence !== undefined &&
    typeof confidence === 'number' &&
    confidence < agent.reviewBelowConfidence
  );
}
