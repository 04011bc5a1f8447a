import { createHash } from 'node:crypto';
import { cleanText, stableJson } from '../core/safe-json.ts';
import type { Ticket } from '../core/ticket.ts';
import { attachmentLines, withAttachments } from './attachments.ts';
import { withRealBreaks } from './breaks.ts';
import { isTalk, messagesInCell } from './cells.ts';
import { type Columns, type Field, fieldNames, plainName } from './columns.ts';
import { foldMail } from './fold-mail.ts';
import { cutHistory } from './history.ts';
import { plainText } from './html-text.ts';
import type { RawRecord } from './records.ts';
import { placeOf, type RowOutcome } from './row.ts';
import { inTimeOrder, isThreadName, type Message, splitThread } from './thread.ts';

export type ValuesRecord = Extract<RawRecord, { type: 'values' }>;

/** The text of a field. Of recognised columns the first with text counts; the columns of a map are all meant. */
export function fieldText(record: ValuesRecord, columns: Columns, field: Field): string {
  const texts = columns.of[field]
    .map((column) => cleanText(record.values[column] ?? '').trim())
    .filter((text) => text !== '');
  return columns.mapped.has(field) || field === 'tags' ? texts.join('\n\n') : (texts[0] ?? '');
}

/** Equal for rows that say the same, whatever the order of their columns. */
export function contentHash({ values, thread }: ValuesRecord): string {
  const said = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''));
  // What stands in a cell is among the values already, where the order of columns does not matter.
  const beside = thread.filter(({ column }) => column === undefined);
  return createHash('sha256')
    .update(stableJson({ values: said, thread: beside }))
    .digest('hex');
}

/** The row's own id in one line; a row without one gets it from its content. */
export function idOf(record: ValuesRecord, columns: Columns): string {
  const id = fieldText(record, columns, 'id').replaceAll(/\s+/g, ' ');
  return id === '' ? `row-${contentHash(record).slice(0, 12)}` : id;
}

/** A text of the row as a person reads it. */
function readable(text: string, { habits }: Columns, isPlain: boolean): string {
  const broken = habits.escapedBreaks === true ? withRealBreaks(text) : text;
  return foldMail(cutHistory(plainText(broken, habits.html === true && !isPlain)));
}

function bodyOf(record: ValuesRecord, columns: Columns): string {
  const name = columns.of.body.find((column) => (record.values[column] ?? '').trim() !== '') ?? '';
  const isPlain = columns.habits.plain?.includes(plainName(name)) === true;
  return readable(fieldText(record, columns, 'body'), columns, isPlain);
}

/** The conversation of a row, oldest first, whatever form its export gives it. */
function messages({ thread }: ValuesRecord, columns: Columns, from: string): readonly Message[] {
  // Whoever names the comments as a field means them there, not as a thread.
  if (thread.length === 0) return [];
  const named = Object.values(columns.of).flat().filter(isThreadName);
  const meant = thread.filter(
    ({ column = '' }) => named.length === 0 || (column !== '' && !named.includes(column)),
  );
  const found = meant.flatMap((message) =>
    message.column === undefined
      ? [message]
      : messagesInCell(message, columns.habits.datedComments === true, from),
  );
  // The place of a column of notes in the table says nothing about when they were written.
  const ordered = [
    ...found.filter(({ column }) => column === undefined),
    ...found.filter(({ column }) => column !== undefined),
  ];
  const read = ordered.map(({ files = [], ...message }) => {
    const text = readable(cleanText(message.text).trim(), columns, message.plain === true);
    return { ...message, text: withAttachments(text, files.map(cleanText)) };
  });
  return inTimeOrder(saidOnce(read.filter(({ text }) => text !== '')));
}

/** ServiceNow has a column for comments, one for notes, and one for both. */
function saidOnce(messages: readonly Message[]): readonly Message[] {
  const seen = new Set<string>();
  return messages.filter(({ author = '', at, text }) => {
    const key = `${author}\n${at}\n${text}`;
    if (at !== undefined && seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** A bare number is a code of the helpdesk, and its scale is nobody's guess: only documented words are a priority. */
export function priorityOf(record: ValuesRecord, columns: Columns): string {
  const [name] = columns.of.priority.filter((column) => (record.values[column] ?? '').trim() !== '');
  const text = fieldText(record, columns, 'priority');
  // Zendesk writes a dash where there is none.
  if (/^[-–—]+$/.test(text)) return '';
  if (name === undefined || columns.mapped.has('priority') || !isCode(text)) return text;
  return wordFor(name, text, columns) ?? '';
}

const isCode = (text: string): boolean => /^-?\d+(\.0)?$/.test(text);

const wordFor = (name: string, code: string, { habits }: Columns): string | undefined =>
  habits.words?.[plainName(name)]?.[code];

function tagsOf(text: string, { habits }: Columns): readonly string[] {
  const marks = habits.spacedTags === true ? /[,;\s]/ : /[,;\n]/;
  const tags = new Set(text.split(marks).map((tag) => tag.trim()));
  tags.delete('');
  return [...tags];
}

/** A row as a ticket, with the columns that nobody recognised beside it. */
export function toTicket(record: ValuesRecord, columns: Columns): Extract<RowOutcome, { type: 'accepted' }> {
  const text = (field: Field): string => fieldText(record, columns, field);
  const optional = (field: 'from' | 'createdAt' | 'priority', value: string): Partial<Ticket> =>
    value === '' ? {} : { [field]: value };
  const subject = plainText(text('subject'), columns.habits.html === true)
    .replaceAll(/\s+/g, ' ')
    .trim();
  const said = messages(record, columns, text('from'));
  const { body, thread } = splitThread(bodyOf(record, columns), said);
  const files = attachmentLines(columns.of.attachments.map((name) => cleanText(record.values[name] ?? '')));
  const asker = said.find(({ role }) => role === 'customer');
  const tags = tagsOf(text('tags'), columns);
  const noText = subject === '' && body === '' && thread.length === 0;
  return {
    type: 'accepted',
    ...placeOf(record),
    ticket: {
      id: idOf(record, columns),
      subject,
      body: withAttachments(body, files),
      ...optional('from', text('from') || asker?.email || asker?.author || ''),
      ...optional('createdAt', text('createdAt')),
      ...optional('priority', priorityOf(record, columns)),
      ...(tags.length === 0 ? {} : { tags }),
      ...(thread.length === 0 ? {} : { thread }),
    },
    fields: fieldsOf(record, columns),
    ...(text('updatedAt') === '' ? {} : { updated: text('updatedAt') }),
    noText,
    subjectOnly: body === '' && !noText,
  };
}

/** What no field of the ticket took: unrecognised columns, and further ones for a field that had its text already. */
function fieldsOf(record: ValuesRecord, columns: Columns): Readonly<Record<string, string>> {
  const { values } = record;
  const taken = new Set<string>();
  for (const field of fieldNames) {
    const names = columns.of[field];
    const joined = columns.mapped.has(field) || field === 'tags' || field === 'attachments';
    const first = names.findIndex((name) => (values[name] ?? '').trim() !== '');
    const used = joined || first < 0 ? names : names.slice(0, first + 1);
    for (const name of used) if (!isLeft(field, name, record, columns)) taken.add(name);
  }
  return Object.fromEntries(
    Object.entries(values)
      .filter(([name, value]) => !taken.has(name) && (!isThreadName(name) || isOther(name, value)))
      .filter(([name]) => columns.habits.twins?.includes(plainName(name)) !== true)
      .map(([name, value]) => [cleanText(name), cleanText(wordFor(name, value, columns) ?? value)]),
  );
}

/** A code that became no priority, and a count that names no file, stay with the row. */
function isLeft(field: Field, name: string, record: ValuesRecord, columns: Columns): boolean {
  const value = (record.values[name] ?? '').trim();
  if (field === 'priority') return isCode(value) && priorityOf(record, columns) === '';
  return field === 'attachments' && /^\d+$/.test(value);
}

/** What stands under the name of a conversation and is none, like how many messages it has. */
const isOther = (name: string, value: string): boolean => value.trim() !== '' && !isTalk(name, value);
