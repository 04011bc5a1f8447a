import type { BrainReply, MessagesRequest } from '../../adapters/scripted-model/brain.ts';
import { ANSWER_TOOL } from '../../core/agent.ts';
import { isObject } from '../../core/content.ts';

/** A call that has its result. */
export interface Outcome {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  readonly text: string;
  /** The result as JSON, where it is an object. */
  readonly value: Readonly<Record<string, unknown>>;
}

/** Where a conversation stands. */
export interface Progress {
  /** Replies of the model so far. */
  readonly turns: number;
  /** Replies that called a tool which is run; an answer that was sent back is none. */
  readonly stages: number;
  readonly outcomes: readonly Outcome[];
}

/** Reads the replies so far, and what became of their calls, out of the messages. */
export function readProgress(request: MessagesRequest): Progress {
  const replies = request.messages.filter((message) => message.role === 'assistant');
  const calls = replies.map((message) => blocksOf(message.content, 'tool_use'));
  const results = request.messages
    .filter((message) => message.role === 'user')
    .flatMap((message) => blocksOf(message.content, 'tool_result'));
  return {
    turns: replies.length,
    stages: calls.filter((blocks) => blocks.some((block) => block['name'] !== ANSWER_TOOL)).length,
    outcomes: calls.flat().flatMap((call) => {
      const result = results.find((block) => block['tool_use_id'] === call['id']);
      return result === undefined ? [] : [outcomeOf(call, result)];
    }),
  };
}

type Block = Readonly<Record<string, unknown>>;

function blocksOf(content: unknown, type: string): readonly Block[] {
  return Array.isArray(content) ? content.filter((block) => isObject(block) && block['type'] === type) : [];
}

function outcomeOf(call: Block, result: Block): Outcome {
  const text = textOf(result['content']);
  return {
    name: String(call['name']),
    input: isObject(call['input']) ? call['input'] : {},
    failed: result['is_error'] === true,
    text,
    value: objectIn(text),
  };
}

function objectIn(text: string): Block {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The text of a message's or a tool result's content. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block: { readonly text?: unknown }) => String(block.text ?? '')).join('\n');
}

/** What a conversation is about now: the newest words of a person, and what became of the calls after them. */
export interface Asked {
  readonly question: string;
  readonly outcomes: readonly Outcome[];
}

/** Reads the newest question and what was found out since. A follow-up begins anew. */
export function readAsked(request: MessagesRequest): Asked {
  const at = request.messages.findLastIndex(
    ({ role, content }) => role === 'user' && content.some((block) => block.type === 'text'),
  );
  const words = (request.messages[at]?.content ?? []).filter((block) => block.type === 'text');
  const since = request.messages.slice(at + 1);
  return { question: textOf(words), outcomes: readProgress({ ...request, messages: since }).outcomes };
}

/** Whether a request offers exactly the tools that a set of rules plays with, `return_answer` aside. */
export function offers(request: MessagesRequest, names: readonly string[]): boolean {
  const offered = request.tools.map((tool) => tool.name).filter((name) => name !== ANSWER_TOOL);
  return offered.length === names.length && names.every((name) => offered.includes(name));
}

/** Calls as a reply; the server names them. */
export function callsReply(
  ...calls: readonly (readonly [name: string, input: Readonly<Record<string, unknown>>])[]
): BrainReply {
  return { content: calls.map(([name, input]) => ({ type: 'tool_use', name, input })) };
}

export const textReply = (text: string): BrainReply => ({ content: [{ type: 'text', text }] });
