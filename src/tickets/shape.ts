import { cleanText } from '../core/safe-json.ts';
import { type ColumnMap, type Columns, plainName, recognise } from './columns.ts';
import { dataSets } from './data-sets.ts';
import { type Export, helpdesks } from './exports.ts';
import { askerOf, messageOf } from './message.ts';
import { inTimeOrder, type Message } from './thread.ts';
import { fieldText, type ValuesRecord } from './to-ticket.ts';

/** What kind of file this is, told by its columns. */
export interface Shape {
  /** For people: which helpdesk's export it is. */
  readonly name: string;
  readonly columns: Columns;
  /** The column whose equal values make several rows one ticket; undefined where each row is a ticket of its own. */
  readonly rowsOf: string | undefined;
  /** The columns of a row's own id and of the row it answers, where that makes several rows one ticket. */
  readonly answers: { readonly id: string; readonly to: string } | undefined;
}

const isMet = (need: string, plain: ReadonlySet<string>): boolean =>
  need.split('|').some((name) => plain.has(name));

function exportOf(names: readonly string[]): Export | undefined {
  const plain = new Set(names.map(plainName));
  return [...helpdesks, ...dataSets].find(({ needs }) => needs.every((need) => isMet(need, plain)));
}

/** Tells by the names of its columns what a file is; `map` overrules what is recognised. */
export function shapeOf(names: readonly string[], map: ColumnMap): Shape {
  const found = exportOf(names);
  const column = (plain: string): string => names.find((name) => plainName(name) === plain) ?? plain;
  return {
    name: found?.name ?? 'table',
    columns: recognise(names, map, found),
    rowsOf: found?.rowsOf === undefined ? undefined : column(found.rowsOf),
    answers:
      found?.answers === undefined
        ? undefined
        : { id: column(found.answers.id), to: column(found.answers.to) },
  };
}

/** Which rows are one ticket. Every row is shown first, because answers may stand before what they answer. */
export interface Grouping {
  readonly see: (record: ValuesRecord) => void;
  /** Equal for the rows of one ticket; undefined where a row is a ticket of its own. */
  readonly keyOf: (record: ValuesRecord) => string | undefined;
}

/** Holds an id and a link for each row where rows answer one another, and else nothing. */
export function groupingOf({ rowsOf, answers }: Shape): Grouping {
  if (answers === undefined) {
    const keyOf = ({ values }: ValuesRecord): string | undefined =>
      rowsOf === undefined ? undefined : values[rowsOf]?.trim() || undefined;
    return { see: () => undefined, keyOf };
  }
  const above = new Map<string, string>();
  const idOf = ({ values }: ValuesRecord): string => (values[answers.id] ?? '').trim();
  const see = (record: ValuesRecord): void => {
    const to = (record.values[answers.to] ?? '').trim().replace(/\.0$/, '');
    if (idOf(record) !== '' && to !== '') above.set(idOf(record), to);
  };
  const keyOf = (record: ValuesRecord): string | undefined => {
    let root = idOf(record);
    if (root === '') return undefined;
    // Rows that answer each other in a circle end where they began.
    const passed = new Set<string>();
    for (let next = above.get(root); next !== undefined && !passed.has(root); next = above.get(root)) {
      passed.add(root);
      root = next;
    }
    for (const id of passed) above.set(id, root);
    return root;
  };
  return { see, keyOf };
}

/**
 * The rows of one ticket, in file order, also when it is only one, as one record: that which opened it, with all as its
 * conversation. A subject, a priority or tags that it lacks are those of the first row that has any.
 */
export function joinRows(shape: Shape, rows: readonly [ValuesRecord, ...ValuesRecord[]]): ValuesRecord {
  const [first] = rows;
  const said = rows.flatMap((record) => spoken(shape, record).map((message) => ({ record, message })));
  const ordered = inTimeOrder(said.map(({ message }) => message));
  const recordOf = new Map(said.map(({ record, message }) => [message, record]));
  const opener = ordered.find(({ role }) => role === 'customer') ?? ordered[0];
  const opened = (opener === undefined ? undefined : recordOf.get(opener)) ?? first;
  const { body, attachments, subject, priority, tags } = shape.columns.of;
  const spokenColumns = new Set([...body, ...attachments]);
  const ofAll = new Set([...subject, ...priority, ...tags]);
  const valueFor = (name: string, own: string): string =>
    own.trim() !== '' || !ofAll.has(name)
      ? own
      : (rows.map((row) => row.values[name] ?? '').find((value) => value.trim() !== '') ?? '');
  const values = Object.fromEntries(
    Object.entries(opened.values)
      .filter(([name]) => !spokenColumns.has(name))
      .map(([name, own]) => [name, valueFor(name, own)]),
  );
  const raw = rows.map((row) => row.raw).join('\n');
  return { ...opened, line: first.line, values, thread: ordered, raw };
}

/** A row as a message: its columns are named like the parts of one. */
function spoken({ columns }: Shape, record: ValuesRecord): readonly Message[] {
  const { values } = record;
  const text = fieldText(record, columns, 'body');
  const attachments = columns.of.attachments.map((name) => cleanText(values[name] ?? '')).join('\n');
  const plain = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [plainName(name), value.trim()]),
  );
  const entry = {
    ...{ text, attachments, inbound: plain['inbound'], is_inbound: plain['isinbound'], role: plain['role'] },
    ...{ sender_type: plain['sendertype'], direction: plain['direction'], author_type: plain['authortype'] },
    ...{
      sender: plain['sender'],
      from: plain['from'],
      created_at: columns.of.createdAt.map((name) => values[name]).find((at) => at !== ''),
    },
    ...{
      author_name:
        plain['authorname'] ?? plain['sendername'] ?? plain['author'] ?? plain['authorid'] ?? plain['sender'],
    },
  };
  return messageOf(entry, askerOf({}));
}
