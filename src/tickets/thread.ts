import type { Ticket } from '../core/ticket.ts';
import { plainName } from './columns.ts';
import { type Data, isData } from './data.ts';
import { askerOf, messageOf } from './message.ts';

export { isData } from './data.ts';

type Said = NonNullable<Ticket['thread']>[number];

/** One message of a conversation as its export has it, with what is needed to put it in its place. */
export interface Message extends Said {
  /** When it was written, as the file says it. */
  readonly at?: string;
  readonly email?: string;
  /** A line for every file that came with it. */
  readonly files?: readonly string[];
  /** Its text is said to be plain, whatever the other texts of the export are. */
  readonly plain?: true;
  /** The column it stands in, where the export has a whole cell of comments. */
  readonly column?: string;
}

const threadNames: ReadonlySet<string> = new Set([
  'messages',
  'comments',
  'comment',
  'conversations',
  'conversationparts',
  'thread',
  'threads',
  'replies',
  'articles',
  'casecomments',
  'emailmessages',
  'worknotes',
  'commentsandworknotes',
  'internalnotes',
  'privatenotes',
]);
/** Under these names a conversation holds its list, where it is an object itself. */
const listNames: ReadonlySet<string> = new Set(['nodes', 'records', 'items', 'results', 'data', 'entries']);

export const isThreadName = (name: string): boolean => threadNames.has(plainName(name));

/** A cell, or a text in JSON, under the name of a conversation. */
export const cellMessage = (column: string, text: string): Message => ({ text, column });

/** Exports wrap the list in objects of their own, and no deeper. */
const MAX_DEPTH = 4;

/** The messages under the names that helpdesk exports give a conversation; events without text are left out. */
export function threadOf(row: Data): readonly Message[] {
  const asker = askerOf(row);
  const read = (data: Data, isThread: boolean, depth: number): readonly Message[] =>
    Object.entries(data).flatMap(([name, value]) => {
      const isList = isThreadName(name) || (isThread && listNames.has(plainName(name)));
      if (Array.isArray(value)) return isList ? value.flatMap((entry) => messageOf(entry, asker)) : [];
      if (typeof value === 'string') {
        return isList && depth === 1 && value.trim() !== '' ? [cellMessage(name, value)] : [];
      }
      return isData(value) && depth < MAX_DEPTH ? read(value, isList, depth + 1) : [];
    });
  return read(row, false, 1);
}

/** The same moment in the same form for all: only such times are compared. */
function momentOf({ at = '' }: Message): number {
  if (/^\d{9,}(\.\d+)?$/.test(at)) return Number(at) * (Number(at) < 1e11 ? 1000 : 1);
  return /^\d{4}-\d\d-\d\d/.test(at) || /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d .+ \d{4}$/.test(at)
    ? Date.parse(at)
    : Number.NaN;
}

/** The oldest first where every message has a time that can be read in one way only, else as the file has them. */
export function inTimeOrder(messages: readonly Message[]): readonly Message[] {
  const placed = messages.map((message) => ({ message, moment: momentOf(message) }));
  if (placed.some(({ moment }) => Number.isNaN(moment))) return messages;
  return placed.sort((one, other) => one.moment - other.moment).map(({ message }) => message);
}

const said = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Whether a message is the description again, with no more under it than its files. */
function saysAgain(message: string, description: string): boolean {
  const [one, other] = [said(message), said(description)];
  return one === other || one.startsWith(`${other} [attachment: `);
}

/** What is shown of a message; those that came after the words to answer say so in their role. */
function shown(message: Message, isBehind: boolean): Said {
  const { author, role, text, column } = message;
  // Notes of a column of their own stand behind the comments, whenever they were written.
  const isLater = isBehind && (column === undefined || !Number.isNaN(momentOf(message)));
  const place = isLater ? `${role ?? 'reply'}, later` : role;
  return {
    ...(author === undefined ? {} : { author }),
    ...(place === undefined ? {} : { role: place }),
    text,
  };
}

/**
 * Splits a conversation into the words to answer, which are the customer's newest, and the messages around them.
 * Where only agents spoke there are none. A description that is the first message again is said once.
 */
export function splitThread(
  body: string,
  messages: readonly Message[],
): { readonly body: string; readonly thread: readonly Said[] } {
  const [first, ...others] = messages;
  const opens = body !== '' && first !== undefined && saysAgain(first.text, body);
  const opener: readonly Message[] = opens ? [{ ...first, role: first.role ?? 'customer' }] : [];
  const own: readonly Message[] = body === '' ? [] : [{ role: 'customer', text: body }];
  const all = opens ? [...opener, ...others] : [...own, ...messages];
  const newest = all.findLastIndex(({ role }) => role === 'customer');
  const unknown = all.findLastIndex(({ role }) => role !== 'agent' && role !== 'note');
  // A description that an agent took down is what the ticket asks for all the same.
  const instead = opens ? 0 : unknown;
  const at = newest < 0 ? instead : newest;
  const chosen = all[at];
  const before = all.slice(0, Math.max(0, at)).map((one) => shown(one, false));
  const after = all.slice(at + 1).map((one) => shown(one, chosen !== undefined));
  return { body: chosen?.text ?? '', thread: [...before, ...after] };
}
