import { createHash } from 'node:crypto';
import { TerminalError } from '../core/errors.ts';
import { cleanText, utf8Bytes } from '../core/safe-json.ts';
import type { Ticket } from '../core/ticket.ts';
import { type ColumnMap, type Columns, type Field, missingColumns, recognise } from './columns.ts';
import { decode } from './decode.ts';
import { type RawRecord, recordsOf } from './records.ts';
import type { RowOutcome } from './row.ts';

export interface TicketSource {
  /** For messages, and for its ending. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

type Accepted = Extract<RowOutcome, { type: 'accepted' }>;
interface Candidate {
  readonly row: Accepted;
  readonly content: string;
  readonly updated: string;
  readonly raw: string;
}

/**
 * Reads the tickets of a file: one outcome for every row, in file order. The same id with the same content is a
 * duplicate; with other content it is rejected, unless the rows say when they were updated: then the newest counts.
 */
export async function* readTickets(
  source: TicketSource,
  options: { readonly map?: ColumnMap } = {},
): AsyncGenerator<RowOutcome> {
  const records = recordsOf(source.name, await decode(source.bytes, source.name));
  const columns = new Set(
    records.flatMap((record) => (record.type === 'values' ? Object.keys(record.values) : [])),
  );
  const map = options.map ?? {};
  const missing = columns.size === 0 ? [] : missingColumns([...columns], map);
  if (missing.length > 0) {
    const known = [...columns].join(', ');
    throw new TerminalError(
      'invalid_map',
      `--map: there is no column ${missing.join(', ')}; the columns are: ${known}`,
    );
  }
  const resolved = recognise([...columns], map);
  const newest = newestById(records, resolved);
  const seen = new Map<string, Candidate>();
  for (const record of records) yield outcomeOf(record, resolved, newest, seen);
}

function outcomeOf(
  record: RawRecord,
  columns: Columns,
  newest: ReadonlyMap<string, { readonly updated: string; readonly line: number }>,
  seen: Map<string, Candidate>,
): RowOutcome {
  const { line } = record;
  if (record.type === 'blank') return { type: 'skipped', line };
  if (record.type === 'bad') return { type: 'rejected', line, reason: record.reason, raw: record.raw };
  const value = (field: Field): string => fieldValue(record.values, columns, field);
  if (/^(true|yes|1)$/i.test(value('deleted').trim())) return { type: 'skipped', line };
  const candidate = candidateOf(record, columns);
  const { id } = candidate.row.ticket;
  const latest = newest.get(id);
  if (latest !== undefined && latest.line !== line && candidate.updated !== '') {
    return { type: 'duplicate', line, id, ofLine: latest.line };
  }
  const before = seen.get(id);
  if (before === undefined) {
    seen.set(id, candidate);
    return candidate.row;
  }
  if (before.content === candidate.content) return { type: 'duplicate', line, id, ofLine: before.row.line };
  const reason = `id ${id} was used in line ${before.row.line} with other content`;
  return { type: 'rejected', line, reason, raw: record.raw };
}

/** Where rows carry an update time: the line of the newest row of each id. */
function newestById(
  records: readonly RawRecord[],
  columns: Columns,
): ReadonlyMap<string, { readonly updated: string; readonly line: number }> {
  const newest = new Map<string, { updated: string; line: number }>();
  for (const record of records) {
    if (record.type !== 'values') continue;
    const updated = fieldValue(record.values, columns, 'updatedAt').trim();
    const id = fieldValue(record.values, columns, 'id').trim();
    const before = newest.get(id);
    if (id === '' || updated === '') continue;
    if (before === undefined || later(updated, before.updated))
      newest.set(id, { updated, line: record.line });
  }
  return newest;
}

function later(a: string, b: string): boolean {
  const [timeA, timeB] = [Date.parse(a), Date.parse(b)];
  return Number.isNaN(timeA) || Number.isNaN(timeB) ? a > b : timeA > timeB;
}

/** Of recognised columns the first with text counts; the columns of a map are all meant. */
function fieldValue(values: Readonly<Record<string, string>>, columns: Columns, field: Field): string {
  const texts = columns.of[field].map((column) => values[column] ?? '').filter((text) => text.trim() !== '');
  return columns.mapped.has(field) || field === 'tags' ? texts.join('\n\n') : (texts[0] ?? '');
}

function candidateOf(record: Extract<RawRecord, { type: 'values' }>, columns: Columns): Candidate {
  const value = (field: Field): string => cleanText(fieldValue(record.values, columns, field));
  const content = createHash('sha256').update(JSON.stringify(record.values)).digest('hex');
  const known = new Set(Object.values(columns.of).flat());
  const fields = Object.entries(record.values).filter(([column]) => !known.has(column));
  const subject = value('subject').trim();
  const body = cutHistory(value('body').trim());
  const tags = value('tags')
    .split(/[,;\n]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  const optional = (name: 'from' | 'createdAt' | 'priority', text: string): Partial<Ticket> =>
    text.trim() === '' ? {} : { [name]: text.trim() };
  const ticket: Ticket = {
    id: value('id').trim() || `row-${content.slice(0, 12)}`,
    subject,
    body,
    ...optional('from', value('from')),
    ...optional('createdAt', value('createdAt')),
    ...optional('priority', value('priority')),
    ...(tags.length === 0 ? {} : { tags }),
  };
  const row: Accepted = {
    type: 'accepted',
    line: record.line,
    ticket,
    fields: Object.fromEntries(fields),
    noText: subject === '' && body === '',
    subjectOnly: subject !== '' && body === '',
  };
  return { row, content, updated: value('updatedAt').trim(), raw: record.raw };
}

const MAX_HISTORY_BYTES = 20_000;
const quoteMarker = /^(>|On .{5,120} wrote:|-{2,} ?(Original Message|Forwarded message))/m;

/** Quoted mail history beyond 20 KB is cut: the newest words stand first and stay. */
function cutHistory(body: string): string {
  const at = body.search(quoteMarker);
  if (at < 0 || utf8Bytes(body) - utf8Bytes(body.slice(0, at)) <= MAX_HISTORY_BYTES) return body;
  const history = body.slice(at, at + MAX_HISTORY_BYTES);
  const cut = history.isWellFormed() ? history : history.slice(0, -1);
  return `${body.slice(0, at)}${cut}\n[older quoted mail was left out: ${body.length - at - cut.length} characters]`;
}
