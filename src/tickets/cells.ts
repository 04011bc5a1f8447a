import { plainName } from './columns.ts';
import { sideOf } from './message.ts';
import type { Message } from './thread.ts';

/** ServiceNow writes a journal into one cell, the newest entry first: a line of this form, then the text. */
const entryHead = /^(\d[\d:./ -]{9,24}(?: ?[AP]M)?) - (.{1,120}?) \(([^()]{1,60})\)$/;
const isInternal = /work ?note|private|internal|arbeitsnotiz|notes de travail/i;

/** The entries of a journal; none where the text is no journal. */
function journal(text: string): readonly Message[] {
  const entries: { readonly head: RegExpExecArray; readonly lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const head = entryHead.exec(line.trim());
    if (head !== null) entries.push({ head, lines: [] });
    else if (entries.length === 0 && line.trim() !== '') return [];
    else entries.at(-1)?.lines.push(line);
  }
  const messages = entries.map(({ head: [, at = '', author = '', kind = ''], lines }): Message => {
    const note = isInternal.test(kind) ? { role: 'note' } : {};
    return { text: lines.join('\n').trim(), author, at, ...note };
  });
  return messages.reverse();
}

/** Jira's `date;author;text`: split at the first two semicolons only, and only where a date and a name stand there. */
function dated(text: string): Message | undefined {
  const first = text.indexOf(';');
  const second = text.indexOf(';', first + 1);
  const [at, author] = [text.slice(0, Math.max(0, first)), text.slice(first + 1, Math.max(0, second))];
  if (first < 0 || second < 0 || !/^\s*\d[^\n]{4,40}$/.test(at) || !/^[^\n]{0,120}$/.test(author))
    return undefined;
  return { text: text.slice(second + 1), author: author.trim(), at: at.trim() };
}

/** A bare number under the name of a conversation is how many messages it has. */
const isCount = (text: string): boolean => /^\s*\d{0,6}(?:\.0)?\s*$/.test(text);

/** Exports that call a conversation so have it as a list; in a table it is the name of something else. */
const listsOnly: ReadonlySet<string> = new Set(['articles', 'threads', 'emailmessages', 'conversationparts']);

/** Whether a cell under the name of a conversation holds messages. */
export const isTalk = (column: string, text: string): boolean =>
  !isCount(text) && !listsOnly.has(plainName(column));

/** The messages in a cell of comments. Whose they are is told by `from`, the one who asked, where their author is named. */
export function messagesInCell(cell: Message, datedComments: boolean, from: string): readonly Message[] {
  const { text, column = '' } = cell;
  if (!isTalk(column, text)) return [];
  const one = datedComments ? dated(text) : undefined;
  const entries = journal(text);
  const found: readonly Message[] = one !== undefined ? [one] : entries.length > 0 ? entries : [{ text }];
  const isNote = isInternal.test(column) || /^(work|internal|private)notes?$/.test(plainName(column));
  return found.map((message): Message => {
    if (isNote) return { ...message, role: 'note', column };
    if (message.role !== undefined) return message;
    if (message.author === undefined) return message;
    return { ...message, role: message.author === from ? 'customer' : (sideOf(message.author) ?? 'agent') };
  });
}
