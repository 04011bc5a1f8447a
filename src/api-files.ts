import type { ApiFiles, FileRows } from './api/files.ts';
import { parseJson } from './api/parse-json.ts';
import { checkRow, type NewRow, type RefusedRow } from './app/check-row.ts';
import type { Agent } from './core/agent.ts';
import { isObject } from './core/content.ts';
import { TerminalError } from './core/errors.ts';
import { cleanText } from './core/safe-json.ts';
import { ticketRow, withinBounds } from './ticket-rows.ts';
import { plainName, recognise } from './tickets/columns.ts';
import { decode } from './tickets/decode.ts';
import { jsonLines } from './tickets/json-rows.ts';
import { readTickets } from './tickets/read.ts';
import { openRecords, type RawRecord } from './tickets/records.ts';
import { apiCsvRow, resultsCsv } from './tickets/results.ts';
import type { RowOutcome } from './tickets/row.ts';
import { sourceOf, type TicketSource } from './tickets/source.ts';
import { isThreadName } from './tickets/thread.ts';

/** The files that the API takes and gives. */
export const apiFiles: ApiFiles = {
  rowsOf: async ({ contentType, bytes }, agent) => {
    const name = contentType === 'text/csv' ? 'file.csv' : 'file.ndjson';
    try {
      const source = sourceOf(name, bytes);
      return name === 'file.csv' ? await csvFile(source, agent) : await linesFile(source, agent);
    } catch (error) {
      if (!(error instanceof TerminalError) || !unreadable.has(error.code)) throw error;
      return { type: 'unreadable', why: error.message };
    }
  },
  csvOf: (results) => resultsCsv(results.map((result) => apiCsvRow({ ...result, duplicateOf: null }))),
};

const unreadable: ReadonlySet<string> = new Set([
  'unreadable_encoding',
  'unreadable_csv',
  'unreadable_json',
  'rows_apart',
]);

type Placed = { readonly line: number } & ({ readonly row: NewRow } | { readonly refused: RefusedRow });

function inOrder(placed: readonly Placed[]): FileRows {
  if (placed.length === 0) return { type: 'unreadable', why: 'holds no rows' };
  const sorted = [...placed].sort((a, b) => a.line - b.line);
  return {
    type: 'rows',
    read: sorted.flatMap((one) => ('row' in one ? [one.row] : [])),
    refused: sorted.flatMap((one) => ('refused' in one ? [one.refused] : [])),
  };
}

const refusal = (line: number, reason: string, id = ''): Placed => ({
  line,
  refused: { id, reason: `line ${line}: ${reason}` },
});

/** A row that says itself what its input is. */
function plainRow(line: number, value: unknown): Placed {
  const row = checkRow(value);
  return 'reason' in row ? refusal(line, row.reason, row.id) : { line, row: { ...row, line } };
}

/** Lines that have an input are rows; what is left are tickets. */
async function linesFile(source: TicketSource, agent: Agent): Promise<FileRows> {
  const placed: Placed[] = [];
  const rest = jsonLines(await decode(source)).map(({ line, raw }) => {
    const parsed = parseJson(raw);
    if (parsed.type === 'json' && isObject(parsed.value) && Object.hasOwn(parsed.value, 'input')) {
      placed.push(plainRow(line, parsed.value));
      return '';
    }
    if (parsed.type === 'json' || parsed.why === 'is not JSON') return raw;
    placed.push(refusal(line, `the row ${parsed.why}`));
    return '';
  });
  const tickets = sourceOf(source.name, Buffer.from(rest.join('\n')));
  return inOrder([...placed, ...(await ticketsIn(tickets, agent))]);
}

/** Columns `id` and `input`, and none with the text of a ticket, make rows: all other columns are their metadata. */
async function csvFile(source: TicketSource, agent: Agent): Promise<FileRows> {
  const records: RawRecord[] = [];
  for await (const page of (await openRecords(source)).pages())
    for (const record of page) records.push(record);
  const first = records.find((record) => record.type === 'values');
  const columns = first === undefined ? [] : Object.keys(first.values);
  const column = (wanted: string) => columns.find((one) => plainName(one) === wanted);
  const [id, input] = [column('id'), column('input')];
  const { subject, body } = recognise(columns, {}).of;
  const tickets = subject.length + body.length > 0 || columns.some(isThreadName);
  if (tickets || id === undefined || input === undefined) {
    return inOrder(await ticketsIn(source, agent));
  }
  return inOrder(
    records.flatMap((record): readonly Placed[] => {
      if (record.type === 'blank') return [];
      if (record.type === 'bad') return [refusal(record.line, record.reason)];
      const { [id]: key = '', [input]: said = '', ...others } = record.values;
      const metadata = Object.fromEntries(
        Object.entries(others).map(([field, value]) => [cleanText(field), cleanText(value)]),
      );
      return [plainRow(record.line, { id: cleanText(key).trim(), input: cleanText(said), metadata })];
    }),
  );
}

async function ticketsIn(source: TicketSource, agent: Agent): Promise<readonly Placed[]> {
  const placed: Placed[] = [];
  for await (const read of readTickets(source)) {
    const outcome = withinBounds(read);
    if (outcome.type === 'rejected') placed.push(refusal(outcome.line, outcome.reason, idOf(read)));
    if (outcome.type === 'accepted') placed.push({ line: outcome.line, row: ticketRow(outcome, agent) });
  }
  return placed;
}

/** A ticket that is too large has an id all the same. */
const idOf = (read: RowOutcome): string => (read.type === 'accepted' ? read.ticket.id : '');
