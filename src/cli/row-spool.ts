import { ticketPrompt } from '../agents/triage.ts';
import type { Input } from './read-input.ts';
import type { RunRow } from './run.ts';
import { createSpool, linesOf } from './spool.ts';

/** A row as a deployment is sent it. */
export interface SpooledRow extends RunRow {
  /** Neither subject nor body says anything. */
  readonly noText: boolean;
}

/** The accepted rows in a temporary file: whoever changes the ticket files while a run lasts changes nothing of it. */
export interface RowSpool {
  /** In the order of the files, as often as they are asked for. */
  readonly pages: () => AsyncGenerator<readonly SpooledRow[]>;
  readonly close: () => Promise<void>;
}

const PAGE = 200;

export async function spoolRows(input: Pick<Input, 'rows'>): Promise<RowSpool> {
  const spool = await createSpool();
  try {
    for await (const { ticket, line, fields, noText } of input.rows()) {
      const row: SpooledRow = { id: ticket.id, line, input: ticketPrompt(ticket), fields, noText };
      await spool.write(`${JSON.stringify(row)}\n`);
    }
  } catch (error) {
    await spool.close();
    throw error;
  }
  return {
    pages: async function* () {
      let page: SpooledRow[] = [];
      for await (const line of linesOf(spool.read())) {
        if (page.push(JSON.parse(line) as SpooledRow) < PAGE) continue;
        yield page;
        page = [];
      }
      if (page.length > 0) yield page;
    },
    close: spool.close,
  };
}
