import { ticketPrompt } from './agents/triage.ts';
import type { NewRow } from './app/batches.ts';
import type { Agent, Json } from './core/agent.ts';
import { utf8Bytes } from './core/safe-json.ts';
import { itemReason, placeOf, type RowOutcome } from './tickets/row.ts';

export type AcceptedRow = Extract<RowOutcome, { type: 'accepted' }>;

/** A row's text and its unrecognised columns, in UTF-8 bytes: more than this is rejected, and its neighbours go on. */
const MAX_TICKET_BYTES = 256 * 1024;
const MAX_FIELDS_BYTES = 48 * 1024;
/** Characters of a ticket for which it is worth to write a prompt: blanks in them may be left out. */
const MAX_LOOKED_AT = 4 * MAX_TICKET_BYTES;
/** Characters that JSON puts around a field, and bytes that the agent's words take around a ticket. */
const FRAME = 6;
const MAX_LABELS = 1024;

/** The outcome, or a rejection where the row has more text than a job takes. */
export function withinBounds(outcome: RowOutcome): RowOutcome {
  if (outcome.type !== 'accepted') return outcome;
  const { ticket, fields } = outcome;
  const rejected = (reason: string): RowOutcome => ({
    type: 'rejected',
    ...placeOf(outcome),
    reason: itemReason(outcome, reason),
    raw: JSON.stringify({ ...fields, ...ticket }),
  });
  if (isSurelySmall(outcome)) return outcome;
  const characters = JSON.stringify(ticket).length;
  if (characters > MAX_LOOKED_AT)
    return rejected(`the ticket has ${characters} characters, at most ${MAX_TICKET_BYTES} bytes are taken`);
  // As the agent reads it: a mark that is made harmless is longer than it was.
  const ticketBytes = utf8Bytes(ticketPrompt(ticket));
  if (ticketBytes > MAX_TICKET_BYTES)
    return rejected(`the ticket has ${ticketBytes} bytes, at most ${MAX_TICKET_BYTES} are taken`);
  const fieldsBytes = utf8Bytes(JSON.stringify(fields));
  if (fieldsBytes <= MAX_FIELDS_BYTES) return outcome;
  // Some exports have a thousand columns that are empty in most rows: their names alone reject no ticket.
  const filled = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
  const bytes = utf8Bytes(JSON.stringify(filled));
  return bytes <= MAX_FIELDS_BYTES
    ? { ...outcome, fields: filled }
    : rejected(`its unrecognised columns have ${bytes} bytes, at most ${MAX_FIELDS_BYTES} are kept`);
}

/** Told by characters alone, for millions of rows: none of them, made harmless or not, is more than six bytes. */
function isSurelySmall({ ticket, fields }: AcceptedRow): boolean {
  const { id, subject, body, from = '', createdAt = '', priority = '', tags = [], thread } = ticket;
  if (thread !== undefined) return false;
  let characters = [id, subject, body, from, createdAt, priority, ...tags].join(', ').length;
  for (const [name, value] of Object.entries(fields)) characters += name.length + value.length + FRAME;
  return characters * 6 + MAX_LABELS < MAX_FIELDS_BYTES;
}

/** A ticket as a row of a batch; one without any text has its output already. */
export function ticketRow(row: AcceptedRow, agent: Agent): NewRow {
  const metadata: Record<string, Json> = { ticket: row.ticket.id, ...row.fields };
  const common = { id: row.ticket.id, line: row.line, input: ticketPrompt(row.ticket), metadata };
  return row.noText ? { ...common, output: withoutText(agent) } : common;
}

/** The output of a row that has nothing to ask a model about: a person is needed, where the schema can say so. */
function withoutText(agent: Agent): Json {
  const shape = agent.output?.shape ?? {};
  return {
    ...('needs_human' in shape ? { needs_human: true } : {}),
    ...('confidence' in shape ? { confidence: 0 } : {}),
  };
}
