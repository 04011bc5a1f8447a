import { createHash } from 'node:crypto';
import { cleanText, stableJson } from '../core/safe-json.ts';
import type { Ticket } from '../core/ticket.ts';
import { type Columns, type Field, fieldNames } from './columns.ts';
import { cutHistory } from './history.ts';
import type { RawRecord } from './records.ts';
import type { RowOutcome } from './row.ts';
import { isThreadName, type Message, splitThread } from './thread.ts';

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
  return createHash('sha256')
    .update(stableJson({ values: said, thread }))
    .digest('hex');
}

/** The row's own id in one line; a row without one gets it from its content. */
export function idOf(record: ValuesRecord, columns: Columns): string {
  const id = fieldText(record, columns, 'id').replaceAll(/\s+/g, ' ');
  return id === '' ? `row-${contentHash(record).slice(0, 12)}` : id;
}

function messages({ thread }: ValuesRecord, columns: Columns): readonly Message[] {
  // Whoever names the comments as a field means them there, not as a thread.
  const named = Object.values(columns.of).flat();
  return named.some(isThreadName)
    ? []
    : thread.map((message) => ({ ...message, text: cutHistory(cleanText(message.text).trim()) }));
}

/** A row as a ticket, with the columns that nobody recognised beside it. */
export function toTicket(record: ValuesRecord, columns: Columns): Extract<RowOutcome, { type: 'accepted' }> {
  const text = (field: Field): string => fieldText(record, columns, field);
  const optional = (field: 'from' | 'createdAt' | 'priority'): Partial<Ticket> =>
    text(field) === '' ? {} : { [field]: text(field) };
  const { body, thread } = splitThread(cutHistory(text('body')), messages(record, columns));
  const subject = text('subject').replaceAll(/\s+/g, ' ');
  const tags = new Set(
    text('tags')
      .split(/[,;\n]/)
      .map((tag) => tag.trim()),
  );
  tags.delete('');
  return {
    type: 'accepted',
    line: record.line,
    ticket: {
      id: idOf(record, columns),
      subject,
      body,
      ...optional('from'),
      ...optional('createdAt'),
      ...optional('priority'),
      ...(tags.size === 0 ? {} : { tags: [...tags] }),
      ...(thread.length === 0 ? {} : { thread }),
    },
    fields: fieldsOf(record, columns),
    noText: subject === '' && body === '',
    subjectOnly: subject !== '' && body === '',
  };
}

/** What no field of the ticket took: unrecognised columns, and further ones for a field that had its text already. */
function fieldsOf({ values }: ValuesRecord, columns: Columns): Readonly<Record<string, string>> {
  const taken = new Set<string>();
  for (const field of fieldNames) {
    const names = columns.of[field];
    const joined = columns.mapped.has(field) || field === 'tags';
    const first = names.findIndex((name) => (values[name] ?? '').trim() !== '');
    const used = joined || first < 0 ? names : names.slice(0, first + 1);
    for (const name of used) taken.add(name);
  }
  return Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => !taken.has(name) && !isThreadName(name))
      .map(([name, value]) => [cleanText(name), cleanText(value)]),
  );
}
