import { systemIds } from '../adapters/system.ts';
import { checkRow } from '../app/check-row.ts';
import type { Json } from '../core/agent.ts';
import type { Asking } from './ask/asking.ts';
import { bodiesOf } from './ask/row-parts.ts';
import { createBar } from './progress.ts';
import type { RowSpool, SpooledRow } from './row-spool.ts';

export interface Sending {
  readonly asking: Asking;
  readonly rows: RowSpool;
  readonly count: number;
  readonly quiet: boolean;
}

/** A row that the deployment did not take. */
type Rejected = readonly { readonly reason: string }[];

/**
 * Adds all rows to an open batch, in the order of the files and in as many calls as they need. Rows that are there already
 * are the same rows, so that all of it may be done again.
 */
export async function sendRows({ asking, rows, count, quiet }: Sending, batchId: string): Promise<Rejected> {
  const { client, terminal, clock } = asking;
  const bar = createBar(terminal, quiet, clock.now);
  const rejected: { readonly reason: string }[] = [];
  let sent = 0;
  try {
    for await (const lines of bodiesOf(linesOf(rows))) {
      const file = { type: 'application/x-ndjson', body: lines.join('\n') } as const;
      rejected.push(...(await client.addFile(batchId, file)).rejectedRows);
      sent += lines.length;
      bar.show({ done: sent, of: count, text: `${sent} of ${count} tickets sent`, last: sent === count });
    }
    return rejected;
  } finally {
    bar.end();
  }
}

async function* linesOf(rows: RowSpool): AsyncGenerator<string> {
  for await (const page of rows.pages()) for (const row of page) yield lineOf(row);
}

/** A ticket that says nothing is sent as a ticket of its id alone: only that the API answers without a model. */
function lineOf({ id, input, fields, noText }: SpooledRow): string {
  if (noText) return JSON.stringify({ id });
  // By its ticket a job is found again, whatever columns there are.
  const metadata: Json = { ...fields, ticket: id };
  const row = { id, input, metadata };
  // An id may hold what the API takes for none.
  const taken = !('reason' in checkRow({ id, input: '' }));
  return JSON.stringify(taken ? row : { ...row, id: `row_${systemIds.hash(id)}` });
}
