import { isDeepStrictEqual } from 'node:util';
import type { ContentBlock } from '../../ports.ts';
import type { Problems } from './check-block.ts';
import type { PlacedMessage } from './check-pairing.ts';

/** What has to be known of the replies in a conversation to judge its next request. */
export interface History {
  readonly replies: number;
  /** The thinking and the calls of each reply that held thinking. */
  readonly thinking: readonly (readonly ContentBlock[])[];
  /** The ids of the calls in replies without thinking. */
  readonly plainCalls: ReadonlySet<unknown>;
  /** The content of the replies that ended with `pause_turn`. */
  readonly paused: readonly (readonly ContentBlock[])[];
}

export const noHistory: History = { replies: 0, thinking: [], plainCalls: new Set(), paused: [] };

/** The history with one more reply. */
export function withReply(history: History, content: readonly ContentBlock[], stopReason: unknown): History {
  const thoughtful = content.some(isThinking);
  const calls = content.filter(isCall).map((block) => block['id']);
  return {
    replies: history.replies + 1,
    thinking: thoughtful ? [...history.thinking, content.filter(isBound)] : history.thinking,
    plainCalls: thoughtful ? history.plainCalls : new Set([...history.plainCalls, ...calls]),
    paused: stopReason === 'pause_turn' ? [...history.paused, content] : history.paused,
  };
}

/** Problems of the last assistant message, which must be what the server sent where the API binds it. */
export function* historyProblems(messages: readonly PlacedMessage[], history: History): Problems {
  const message = messages.findLast(({ role }) => role === 'assistant');
  if (message === undefined) return;
  if (messages.at(-1) === message) yield* prefillProblems(message, history);
  // A server that was started again knows nothing of what it sent before, and has to take the history as it is.
  if (history.replies > 0) yield* thinkingProblems(message, history);
}

function* prefillProblems(message: PlacedMessage, history: History): Problems {
  const paused = history.paused.some((content) => isDeepStrictEqual(content, message.content));
  if (paused || endsInServerCall(message.content)) return;
  yield `messages.${message.at}: This model does not support assistant message prefill. The conversation must end with a user message.`;
}

function endsInServerCall(content: readonly ContentBlock[]): boolean {
  const answered = new Set(content.map((block) => block['tool_use_id']));
  return content.some((block) => block.type === 'server_tool_use' && !answered.has(block['id']));
}

function* thinkingProblems(message: PlacedMessage, history: History): Problems {
  const at = message.content.findIndex(isThinking);
  const sound =
    at === -1
      ? !stripped(message.content, history)
      : history.thinking.some((reply) => sameThinking(reply, message.content));
  if (sound) return;
  yield `messages.${message.at}.content.${Math.max(0, at)}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;
}

const isThinking = (block: ContentBlock): boolean =>
  block.type === 'thinking' || block.type === 'redacted_thinking';
const isCall = (block: ContentBlock): boolean => block.type === 'tool_use';
const isBound = (block: ContentBlock): boolean => isThinking(block) || isCall(block);

/** Whether both hold the same thinking, and, with as many calls, in the same places between them. */
function sameThinking(reply: readonly ContentBlock[], sent: readonly ContentBlock[]): boolean {
  if (!isDeepStrictEqual(reply.filter(isThinking), sent.filter(isThinking))) return false;
  const [before, after] = [reply, sent].map((content) => content.filter(isBound).map(({ type }) => type));
  return before?.length !== after?.length || isDeepStrictEqual(before, after);
}

/** Whether a message without thinking comes from a reply that had some: they share a call that no other reply made. */
function stripped(content: readonly ContentBlock[], history: History): boolean {
  const ids = new Set(content.filter(isCall).map((block) => block['id']));
  return history.thinking.some((reply) =>
    reply.some((block) => isCall(block) && ids.has(block['id']) && !history.plainCalls.has(block['id'])),
  );
}
