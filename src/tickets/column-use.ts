import { isTalk } from './cells.ts';
import { type Columns, type Field, fieldNames } from './columns.ts';
import { ownCopy } from './source.ts';
import { fieldText, priorityOf, type ValuesRecord } from './to-ticket.ts';

/** Which columns of a file were really read, told by all of its rows. */
export interface ColumnUse {
  /** The columns that gave a field its text, in the order in which they are asked. */
  readonly of: Readonly<Partial<Record<Field, readonly string[]>>>;
  /** Where conversations were read from. */
  readonly thread: readonly string[];
  /** Columns of priorities of which only bare numbers are known, which are not read. */
  readonly codes: readonly string[];
}

export interface ColumnUsing {
  readonly add: (record: ValuesRecord) => void;
  readonly use: () => ColumnUse;
}

/** All texts of these are taken, not only the first. */
const joinedFields: ReadonlySet<Field> = new Set(['tags', 'attachments']);
/** Names of conversations that are kept. */
const MAX_NAMES = 100;

const hasText = ({ values }: ValuesRecord, column: string): boolean => (values[column] ?? '').trim() !== '';

/** Looks at every row, and at no column again whose use is known. */
export function createColumnUsing(columns: Columns): ColumnUsing {
  const used = new Set<string>();
  const codes = new Set<string>();
  const thread = new Set<string>();
  const named = new Set(Object.values(columns.of).flat());
  let open = fieldNames.filter((field) => columns.of[field].length > 0);
  const isSettled = (field: Field): boolean => columns.of[field].every((column) => used.has(column));
  const look = (record: ValuesRecord, field: Field): void => {
    const filled = columns.of[field].filter((column) => hasText(record, column));
    const joined = columns.mapped.has(field) || joinedFields.has(field);
    const taken = joined ? filled : filled.slice(0, 1);
    const isCode = field === 'priority' && priorityOf(record, columns) === '';
    for (const column of taken) {
      if (!isCode) used.add(column);
      else if (/\d/.test(fieldText(record, columns, field))) codes.add(column);
    }
  };
  return {
    add: (record) => {
      for (const field of open) look(record, field);
      if (open.some(isSettled)) open = open.filter((field) => !isSettled(field));
      if (record.thread.length === 0 || thread.size >= MAX_NAMES) return;
      for (const name of record.talk ?? []) if (!thread.has(name)) thread.add(ownCopy(name));
      for (const { column, text } of record.thread) {
        if (column !== undefined && !named.has(column) && isTalk(column, text)) thread.add(column);
      }
    },
    use: () => ({
      of: Object.fromEntries(
        fieldNames.flatMap((field) => {
          const names = columns.of[field].filter((column) => used.has(column));
          return names.length === 0 ? [] : [[field, names]];
        }),
      ),
      thread: [...thread],
      codes: [...codes].filter((column) => !used.has(column)),
    }),
  };
}
