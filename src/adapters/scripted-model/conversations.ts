import { createHash } from 'node:crypto';
import { textOf } from '../../core/content.ts';
import type { Fields } from './check-block.ts';
import { type History, noHistory } from './check-history.ts';
import { readMessages } from './check-messages.ts';
import { userIdOf } from './check-request.ts';
import { prefixDifference, type RawShape, shapeOf } from './prefix.ts';

/** Conversations above which the oldest are forgotten. */
const MAX_CONVERSATIONS = 100_000;

/** What the server remembers of one conversation. It holds no text of requests. */
export interface Conversation {
  readonly key: string;
  /** Turns of the script already given. */
  turns: number;
  history: History;
  shape: RawShape | undefined;
}

/** The conversation a request belongs to, made on its first request. */
export function findConversation(known: Map<string, Conversation>, body: Fields): Conversation {
  const key = userIdOf(body) ?? `text:${firstTextHash(body)}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const conversation: Conversation = { key, turns: 0, history: noHistory, shape: undefined };
  const [oldest] = known.keys();
  if (known.size >= MAX_CONVERSATIONS && oldest !== undefined) known.delete(oldest);
  known.set(key, conversation);
  return conversation;
}

function firstTextHash(body: Fields): string {
  const messages: unknown = body['messages'];
  const first = readMessages(Array.isArray(messages) ? messages : []).find(({ role }) => role === 'user');
  return createHash('sha256')
    .update(textOf(first?.content ?? []))
    .digest('base64url')
    .slice(0, 22);
}

/** Whether a request extends the one before it byte for byte; `null` where there is none before it. */
export interface PrefixVerdict {
  readonly prefixIntact: boolean | null;
  readonly prefixDifference?: string;
}

/** Compares a request with the previous one of its conversation, and takes its place. */
export function judgePrefix(conversation: Conversation, raw: string): PrefixVerdict {
  const before = conversation.shape;
  const shape = shapeOf(raw);
  conversation.shape = shape;
  if (before === undefined) return { prefixIntact: null };
  const difference = prefixDifference(before, shape);
  return difference === undefined
    ? { prefixIntact: true }
    : { prefixIntact: false, prefixDifference: difference };
}
