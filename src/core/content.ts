import type { TokenUsage } from './prices.ts';

/** One content block of a message, of a kind we know or not; unknown kinds are kept word for word. */
export interface ContentBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A complete reply of the model, checked to be a message of the API. */
export interface ModelReply {
  readonly content: readonly ContentBlock[];
  readonly stopReason: string | null;
  readonly stopSequence: string | null;
  /** The category of a refusal, where the API names one. */
  readonly refusalCategory: string | null;
  /** Absent where the server sent none. */
  readonly usage: TokenUsage | undefined;
}

/** A client tool call as a reply holds it, after mending. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
}

/** The calls of a mended reply, in order: a call's place in this list is part of its key. */
export function callsOf(content: readonly ContentBlock[]): readonly ToolCall[] {
  return content
    .filter((block) => block.type === 'tool_use')
    .map((block) => ({
      id: String(block['id']),
      name: String(block['name']),
      input: isObject(block['input']) ? block['input'] : {},
    }));
}

/** The text of a reply, blocks joined by a blank line; empty when it has none. */
export function textOf(content: readonly ContentBlock[]): string {
  return content
    .filter((block) => block.type === 'text')
    .map((block) => String(block['text']))
    .join('\n\n');
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads stored content back: our own JSON text of a list of blocks. */
export function parseContent(json: string): readonly ContentBlock[] {
  return JSON.parse(json) as readonly ContentBlock[];
}
