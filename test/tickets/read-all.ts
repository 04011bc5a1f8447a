import type { ColumnMap } from '../../src/tickets/columns.ts';
import { readTickets } from '../../src/tickets/read.ts';
import type { RowOutcome } from '../../src/tickets/row.ts';

export type Accepted = Extract<RowOutcome, { type: 'accepted' }>;

/** The bytes in pieces of `size`, as a stream would bring them. */
export async function* inPieces(bytes: Uint8Array, size = 997): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Every outcome of a file with this content. */
export async function readAll(
  content: string | Uint8Array,
  name = 'tickets.csv',
  map?: ColumnMap,
): Promise<readonly RowOutcome[]> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const outcomes: RowOutcome[] = [];
  const source = { name, size: bytes.length, open: () => inPieces(bytes) };
  for await (const outcome of readTickets(source, map === undefined ? {} : { map })) outcomes.push(outcome);
  return outcomes;
}

export function acceptedOf(outcomes: readonly RowOutcome[]): readonly Accepted[] {
  return outcomes.filter((outcome) => outcome.type === 'accepted');
}

/** One short word for each row: what it became, by line. */
export function brief(outcomes: readonly RowOutcome[]): readonly string[] {
  return outcomes.map((outcome) => {
    switch (outcome.type) {
      case 'accepted':
        return `${outcome.line} ${outcome.ticket.id}`;
      case 'duplicate':
        return `${outcome.line} duplicate of ${outcome.ofLine}`;
      case 'rejected':
      case 'skipped':
        return `${outcome.line} ${outcome.type}`;
      default:
        return outcome satisfies never;
    }
  });
}
