import type { Page } from '../../client.ts';
import type { Asking } from './asking.ts';
import type { FitTable } from './fit-table.ts';
import { writeJson } from './pages.ts';
import { visible } from './shown.ts';

export interface ListView<Item> {
  /** The table of a list whose first page is `sample`. */
  readonly table: (sample: readonly Item[]) => FitTable<Item>;
  /** Said where there is nothing. */
  readonly none: string;
}

/** How a list goes on. */
export const moreText = (cursor: string): string =>
  `There are more: --cursor ${visible(cursor)} goes on, --all shows everything.\n`;

/** Prints a list page by page: for programs the API's own document, for people a table and how to go on. */
export async function printList<Item>(
  { terminal, json }: Asking,
  pages: AsyncIterable<Page<Item>>,
  { table, none }: ListView<Item>,
): Promise<void> {
  if (json) return writeJson(pages, terminal.out);
  let shown: FitTable<Item> | undefined;
  let last: string | null = null;
  for await (const { items, cursor } of pages) {
    if (items.length > 0) {
      if (shown === undefined) {
        shown = table(items);
        terminal.out(shown.header);
      }
      terminal.out(shown.lines(items));
    }
    last = cursor;
  }
  if (last !== null) terminal.err(moreText(last));
  else if (shown === undefined) terminal.err(`${none}\n`);
}
