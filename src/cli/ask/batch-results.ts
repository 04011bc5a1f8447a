import type { Batch, Result } from '../../client.ts';
import { printedJson } from '../../core/printed.ts';
import { apiCsvRow, createCsvColumns } from '../../tickets/results.ts';
import { exitCode } from '../exit-codes.ts';
import { createSpool, linesOf } from '../spool.ts';
import type { Asking } from './asking.ts';
import { createRest } from './at-rest.ts';
import { batchPicture } from './batch-picture.ts';
import { type Board, createBoard } from './board.ts';
import { codeOfBatch } from './ends.ts';
import { pollMs } from './watch.ts';

export interface ResultsOptions {
  readonly format: 'jsonl' | 'csv';
  readonly follow: boolean;
}

/**
 * The results of rows that ended so far, or with `follow` of all rows until nothing more happens without a person; then
 * the exit code says how the batch ended.
 */
export async function batchResults(asking: Asking, id: string, options: ResultsOptions): Promise<number> {
  const { client, terminal, clock, signal } = asking;
  const board = createBoard(terminal, clock.now);
  const write = options.format === 'csv' ? writeCsv : writeLines;
  const show = (batch: Batch): void => board.show(batchPicture(batch, clock.now()));
  try {
    await write(asking, pages(asking, id, options.follow, show), board);
  } finally {
    board.end();
  }
  if (signal.aborted) return exitCode.interrupted;
  return options.follow ? codeOfBatch(client, await client.batch(id)) : exitCode.done;
}

type Pages = AsyncGenerator<readonly Result[]>;

/** Page after page; where no more rows have ended, the same place is asked again until the batch is at rest. */
async function* pages(
  { client, clock, signal, endpoint }: Asking,
  id: string,
  follow: boolean,
  show: (batch: Batch) => void,
): Pages {
  const atRest = createRest(clock.now);
  let cursor: string | undefined;
  let over = false;
  while (!signal.aborted) {
    const page = await client.results(id, { limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    if (page.items.length > 0) yield page.items;
    cursor = page.cursor ?? cursor;
    if (page.cursor !== null) continue;
    // Rows without a place to go on from are the last ones of a batch that is over.
    if (over || !follow || page.items.length > 0) return;
    const batch = await client.batch(id);
    show(batch);
    // Rows may have ended since the page was read: one more look, after the batch was seen at rest.
    over = atRest(batch);
    if (!over) await clock.sleep(pollMs(endpoint), signal);
  }
}

async function writeLines({ terminal }: Asking, found: Pages, board: Board): Promise<void> {
  for await (const page of found) {
    board.end();
    terminal.out(page.map((result) => `${printedJson(result)}\n`).join(''));
    await terminal.drained?.();
  }
}

/** Only all rows together tell the columns, so that they are kept in a file until the last one is there. */
async function writeCsv({ terminal }: Asking, found: Pages, board: Board): Promise<void> {
  const columns = createCsvColumns();
  const spool = await createSpool();
  try {
    for await (const page of found) {
      for (const result of page) {
        columns.add(apiCsvRow(result));
        await spool.write(`${JSON.stringify(result)}\n`);
      }
    }
    board.end();
    terminal.out(columns.header());
    for await (const line of linesOf(spool.read())) {
      terminal.out(columns.lines([apiCsvRow(JSON.parse(line) as Result)]));
      await terminal.drained?.();
    }
  } finally {
    await spool.close();
  }
}
