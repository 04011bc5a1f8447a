import { isObject } from '../../core/content.ts';
import type { ContentBlock } from '../../ports.ts';
import { blockProblems, extraFields, type Fields, type Problems } from './check-block.ts';
import type { PlacedMessage } from './check-pairing.ts';

const MAX_MESSAGES = 100_000;
const roles = ['user', 'assistant', 'system'] as const;

/** Problems of the list of messages, each message by itself. */
export function* messagesProblems(messages: unknown, systemAllowed: boolean): Problems {
  if (!Array.isArray(messages)) return yield 'messages: Field required';
  if (messages.length === 0) return yield 'messages: at least one message is required';
  if (messages.length > MAX_MESSAGES) yield `messages: at most ${MAX_MESSAGES} messages are permitted`;
  const list: readonly unknown[] = messages;
  for (const [at, message] of list.entries()) {
    yield* messageProblems(message, `messages.${at}`, at === list.length - 1);
  }
  yield* orderProblems(readMessages(list), systemAllowed);
}

function* messageProblems(message: unknown, path: string, last: boolean): Problems {
  if (!isObject(message)) return yield `${path}: Input should be an object`;
  const { role, content } = message;
  const known = roles.find((name) => name === role);
  if (known === undefined) return yield `${path}.role: Input should be 'user', 'assistant' or 'system'`;
  yield* extraFields(message, ['role', 'content'], path);
  if (typeof content === 'string') {
    if (content.trim() === '') yield `${path}.content: text content blocks must contain non-whitespace text`;
    return;
  }
  if (!Array.isArray(content)) return yield `${path}.content: Input should be a string or a list`;
  if (content.length === 0 && !(known === 'assistant' && last)) {
    yield `${path}: all messages must have non-empty content except for the optional final assistant message`;
  }
  const blocks: readonly unknown[] = content;
  for (const [at, block] of blocks.entries()) yield* blockProblems(block, `${path}.content.${at}`, known);
}

function* orderProblems(messages: readonly PlacedMessage[], systemAllowed: boolean): Problems {
  if (messages[0]?.role !== 'user') yield 'messages.0.role: first message must use the "user" role';
  for (const [at, { role }] of messages.entries()) {
    if (role !== 'system') continue;
    const next = messages[at + 1]?.role;
    if (!systemAllowed) yield `messages.${at}.role: role 'system' is not supported on this model`;
    if (messages[at - 1]?.role !== 'user')
      yield `messages.${at}: a system message must follow a user message`;
    if (next !== undefined && next !== 'assistant') {
      yield `messages.${at}: a system message must be last or followed by an assistant message`;
    }
  }
}

/** The messages with their content as lists. They must have passed the checks. */
export function readMessages(messages: readonly unknown[]): readonly PlacedMessage[] {
  return messages.filter(isObject).map(({ role, content }, at) => ({
    role: roles.find((name) => name === role) ?? 'user',
    at,
    content: readBlocks(content),
  }));
}

/** Content as a list of blocks, a plain string as one text block. */
export function readBlocks(content: unknown): readonly ContentBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.filter(
    (block): block is ContentBlock => isObject(block) && typeof block['type'] === 'string',
  );
}

/** Problems of `system`: a string, or text blocks that say something. */
export function* systemProblems(body: Fields): Problems {
  const system = body['system'];
  if (system === undefined || typeof system === 'string') return;
  if (!Array.isArray(system)) return yield 'system: Input should be a string or a list';
  const blocks: readonly unknown[] = system;
  for (const [at, block] of blocks.entries()) {
    const text = isObject(block) && block['type'] === 'text';
    if (text) yield* blockProblems(block, `system.${at}`, 'system');
    else yield `system.${at}.type: Input should be 'text'`;
  }
}
