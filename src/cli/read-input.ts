import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { TerminalError } from '../core/errors.ts';
import { type AcceptedRow, withinBounds } from '../ticket-rows.ts';
import type { ColumnMap } from '../tickets/columns.ts';
import { readTickets } from '../tickets/read.ts';
import { emptyTally, type RowOutcome, type Tally, tally } from '../tickets/row.ts';

export type RejectedRow = Extract<RowOutcome, { type: 'rejected' }>;

/** What the input files hold, row by row. */
export interface Input {
  readonly accepted: readonly AcceptedRow[];
  readonly rejected: readonly RejectedRow[];
  readonly tally: Tally;
}

/** Reads ticket files; `-` is stdin. A file that is not there, or is a folder, is wrong usage. */
export async function readInput(files: readonly string[], map: ColumnMap | undefined): Promise<Input> {
  const accepted: AcceptedRow[] = [];
  const rejected: RejectedRow[] = [];
  const seen = new Map<string, Seen>();
  let counts = emptyTally;
  for (const file of files) {
    const source = { name: file, bytes: await open(file) };
    for await (const read of readTickets(source, map === undefined ? {} : { map })) {
      const outcome = acrossFiles(withinBounds(read), file, seen);
      counts = tally(counts, outcome);
      if (outcome.type === 'accepted') accepted.push(outcome);
      if (outcome.type === 'rejected') rejected.push(outcome);
    }
  }
  if (counts.read === 0) {
    throw new TerminalError('nothing_to_read', `${files.join(', ')}: there is nothing to read in it`);
  }
  return { accepted, rejected, tally: counts };
}

interface Seen {
  readonly file: string;
  readonly line: number;
  readonly content: string;
}

/** The rule for one id in two files is that for one id in two rows of a file: the same again, or rejected. */
function acrossFiles(outcome: RowOutcome, file: string, seen: Map<string, Seen>): RowOutcome {
  if (outcome.type !== 'accepted') return outcome;
  const { ticket, line, fields } = outcome;
  const content = JSON.stringify([ticket, fields]);
  const before = seen.get(ticket.id);
  if (before === undefined || before.file === file) {
    seen.set(ticket.id, { file, line, content });
    return outcome;
  }
  if (before.content === content) return { type: 'duplicate', line, id: ticket.id, ofLine: before.line };
  const reason = `id ${ticket.id} was used in ${before.file}, line ${before.line}, with other content`;
  return { type: 'rejected', line, reason, raw: JSON.stringify({ ...ticket, ...fields }) };
}

async function open(file: string): Promise<AsyncIterable<Uint8Array>> {
  if (file === '-') return process.stdin;
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) throw new TerminalError('usage', `${file}: there is no such file`);
  if (found.isDirectory()) throw new TerminalError('usage', `${file} is a folder; name a ticket file in it`);
  return createReadStream(file);
}
