import { createHash } from 'node:crypto';
import { ticketPrompt } from '../agents/triage.ts';
import { isObject } from '../core/content.ts';
import { TerminalError } from '../core/errors.ts';
import { cleanText } from '../core/safe-json.ts';
import { stableJson } from '../core/stable-json.ts';
import { fieldsOf, type Labels } from '../eval/measured.ts';
import { withinBounds } from '../ticket-rows.ts';
import type { ColumnMap } from '../tickets/columns.ts';
import { readTickets } from '../tickets/read.ts';
import type { RowOutcome } from '../tickets/row.ts';
import { sourceOf } from '../tickets/source.ts';
import { readWhole } from './read-whole.ts';

/** A labelled case, with what its job gets to read. */
export interface EvalCase {
  readonly id: string;
  readonly line: number;
  readonly labels: Labels;
  readonly input: string | Readonly<Record<string, unknown>>;
}

export interface RefusedCase {
  readonly line: number;
  readonly reason: string;
}

export interface EvalCases {
  readonly cases: readonly EvalCase[];
  /** Ids of rows without any label: there is nothing to measure in them, and they are not run. */
  readonly unlabelled: readonly string[];
  readonly refused: readonly RefusedCase[];
  readonly skipped: number;
  readonly duplicates: number;
  /** Another one where a case or a label is another. */
  readonly casesHash: string;
}

interface Found {
  readonly cases: EvalCase[];
  readonly unlabelled: string[];
  readonly refused: RefusedCase[];
  skipped: number;
  duplicates: number;
}

/**
 * Reads labelled cases: a ticket file whose columns `expected.…` are labels (in JSON an object `expected`), or lines with
 * an `input` of their own. Throws `TerminalError`: `usage` for no such file, `nothing_to_read`, `no_labels`, and those of
 * `readTickets`.
 */
export async function readCases(file: string, map: ColumnMap | undefined): Promise<EvalCases> {
  const bytes = await readWhole(file);
  const found: Found = { cases: [], unlabelled: [], refused: [], skipped: 0, duplicates: 0 };
  const { rest, lines } = splitInputs(file, bytes);
  for (const { line, row } of lines) take(found, inputCase(line, row));
  for await (const outcome of ticketsIn(file, rest, map)) take(found, ticketCase(withinBounds(outcome)));
  const cases = unique(found);
  const { unlabelled, skipped, duplicates } = found;
  const refused = found.refused.sort(byLine);
  if (cases.length + unlabelled.length + refused.length === 0) {
    throw new TerminalError('nothing_to_read', `${file}: there is nothing to read in it`);
  }
  if (cases.length === 0) {
    const [first] = refused;
    const why = first === undefined ? '' : `; line ${first.line}: ${first.reason}`;
    const due = 'labels are columns such as expected.category, in JSON an object expected';
    throw new TerminalError('no_labels', `${file} has no labelled case that can be run: ${due}${why}`);
  }
  const all = cases.map(({ id, labels, input }) => [id, labels, input] as const);
  all.sort(([one], [other]) => (one < other ? -1 : 1));
  const casesHash = createHash('sha256').update(stableJson(all)).digest('hex').slice(0, 16);
  return { cases, unlabelled, refused, skipped, duplicates, casesHash };
}

/** The one place where a ticket file is read. */
function ticketsIn(name: string, bytes: Uint8Array, map: ColumnMap | undefined): AsyncIterable<RowOutcome> {
  return readTickets(sourceOf(name, bytes), map === undefined ? {} : { map });
}

interface InputLine {
  readonly line: number;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Takes the lines of JSONL that have an `input` out of a file, each leaving an empty line, so that the others keep their numbers. */
function splitInputs(
  name: string,
  bytes: Uint8Array,
): { readonly rest: Uint8Array; readonly lines: readonly InputLine[] } {
  const text = new TextDecoder().decode(bytes);
  const parts = text.split(/\r\n|\n|\r/);
  const isLines = /\.(jsonl|ndjson)$/i.test(name) || parsed(parts[0] ?? '') !== undefined;
  if (!isLines) return { rest: bytes, lines: [] };
  const lines: InputLine[] = [];
  const others = parts.map((part, at) => {
    const row = parsed(part);
    if (row === undefined || !Object.hasOwn(row, 'input')) return part;
    lines.push({ line: at + 1, row });
    return '';
  });
  return lines.length === 0
    ? { rest: bytes, lines }
    : { rest: new TextEncoder().encode(others.join('\n')), lines };
}

/** A line that is one whole object. */
function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What becomes of one row of the file. */
type Taken =
  | { readonly type: 'case'; readonly case: EvalCase }
  | { readonly type: 'refused'; readonly refused: RefusedCase }
  | { readonly type: 'skipped' | 'duplicate' };

const refused = (line: number, reason: string): Taken => ({ type: 'refused', refused: { line, reason } });

function inputCase(line: number, { id, input, expected }: InputLine['row']): Taken {
  if (typeof id !== 'string' && typeof id !== 'number') {
    return refused(line, 'a line with an input needs an id');
  }
  if (typeof input !== 'string' && !isObject(input)) {
    return refused(line, 'input: it must be text or a JSON object');
  }
  if (typeof input === 'string' && input.trim() === '') return refused(line, 'the input has no text');
  const labels = withoutBlanks(fieldsOf(expected));
  return { type: 'case', case: { id: String(id), line, input, labels } };
}

function ticketCase(outcome: RowOutcome): Taken {
  switch (outcome.type) {
    case 'rejected':
      return refused(outcome.line, outcome.reason);
    case 'skipped':
    case 'duplicate':
      return { type: outcome.type };
    case 'accepted': {
      const { ticket, fields, line, noText } = outcome;
      const input = noText ? (fields['input'] ?? '').trim() : ticketPrompt(ticket);
      if (input === '') {
        return refused(
          line,
          'the ticket has no text: no model is asked about it, and there is nothing to measure',
        );
      }
      return { type: 'case', case: { id: ticket.id, line, input, labels: labelsIn(fields) } };
    }
    default:
      return outcome satisfies never;
  }
}

function take(found: Found, taken: Taken): void {
  switch (taken.type) {
    case 'refused':
      found.refused.push(taken.refused);
      break;
    case 'skipped':
      found.skipped += 1;
      break;
    case 'duplicate':
      found.duplicates += 1;
      break;
    case 'case':
      if (Object.keys(taken.case.labels).length === 0) found.unlabelled.push(taken.case.id);
      else found.cases.push(taken.case);
      break;
    default:
      taken satisfies never;
  }
}

const EXPECTED = /^expected\./i;

/** Unrecognised columns are kept by their names, so the labels are among them. */
function labelsIn(fields: Readonly<Record<string, string>>): Labels {
  const named = Object.entries(fields).filter(([name]) => EXPECTED.test(name));
  return withoutBlanks(Object.fromEntries(named.map(([name, label]) => [name.replace(EXPECTED, ''), label])));
}

/** An empty cell is no label. */
const withoutBlanks = (labels: Labels): Labels =>
  Object.fromEntries(
    Object.entries(labels)
      .map(([field, label]) => [field.trim(), cleanText(label).trim()] as const)
      .filter(([field, label]) => field !== '' && label !== ''),
  );

const byLine = (one: { readonly line: number }, other: { readonly line: number }): number =>
  one.line - other.line;

/** Of lines with an input and tickets that have one id, the later is refused: a row id stands for one row. */
function unique(found: Found): EvalCase[] {
  const seen = new Map<string, EvalCase>();
  for (const one of found.cases.sort(byLine)) {
    const before = seen.get(one.id);
    if (before === undefined) seen.set(one.id, one);
    else if (stableJson({ ...one, line: 0 }) === stableJson({ ...before, line: 0 })) found.duplicates += 1;
    else
      found.refused.push({
        line: one.line,
        reason: `line ${one.line} has the id ${one.id} of line ${before.line}, but other content`,
      });
  }
  return [...seen.values()];
}
