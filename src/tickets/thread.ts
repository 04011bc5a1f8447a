import type { Ticket } from '../core/ticket.ts';
import { plainName } from './columns.ts';

/** One message of a conversation. */
export type Message = NonNullable<Ticket['thread']>[number];

const threadNames: ReadonlySet<string> = new Set([
  'messages',
  'comments',
  'comment',
  'conversations',
  'conversationparts',
  'thread',
  'replies',
]);
const textNames = ['body', 'text', 'content', 'message', 'plain_body', 'body_text'];
const customerRole = /^(customer|user|requester|end[-_ ]?user|client|contact|lead|inbound)$/i;

type Data = Readonly<Record<string, unknown>>;

export const isData = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isThreadName = (name: string): boolean => threadNames.has(plainName(name));

function stringIn(data: Data, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = data[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}

function messageOf(entry: unknown): readonly Message[] {
  if (typeof entry === 'string') return entry.trim() === '' ? [] : [{ text: entry }];
  if (!isData(entry)) return [];
  const text = stringIn(entry, textNames);
  if (text === undefined) return [];
  const who = isData(entry['author']) ? entry['author'] : {};
  const author = stringIn(entry, ['author', 'from', 'author_name']) ?? stringIn(who, ['name', 'email']);
  const role = stringIn(entry, ['role', 'author_role']) ?? stringIn(who, ['type', 'role']);
  return [{ text, ...(author === undefined ? {} : { author }), ...(role === undefined ? {} : { role }) }];
}

/** The messages under the names that helpdesk exports give a conversation; events without text are left out. */
export function threadOf(row: Data): readonly Message[] {
  return Object.entries(row).flatMap(([name, value]) => {
    if (!isThreadName(name)) return [];
    if (Array.isArray(value)) return value.flatMap(messageOf);
    return isData(value) ? threadOf(value) : [];
  });
}

/**
 * Splits a conversation into the words to answer, which are the customer's newest, and the messages around them.
 * Messages that came after those words say so in their role.
 */
export function splitThread(
  body: string,
  messages: readonly Message[],
): { readonly body: string; readonly thread: readonly Message[] } {
  const newest = messages.findLastIndex(({ role }) => customerRole.test(role ?? ''));
  const later = (message: Message): Message => ({ ...message, role: `${message.role ?? 'reply'}, later` });
  if (body !== '' && newest < 0) return { body, thread: messages.map(later) };
  const at = newest < 0 ? messages.length - 1 : newest;
  const chosen = messages[at];
  if (chosen === undefined) return { body, thread: [] };
  const before = [...(body === '' ? [] : [{ text: body }]), ...messages.slice(0, at)];
  return { body: chosen.text, thread: [...before, ...messages.slice(at + 1).map(later)] };
}
