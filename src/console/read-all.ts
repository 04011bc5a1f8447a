import type { Page } from '../client.ts';

/** Pages of one list that a page of the console reads at most. */
const MAX_PAGES = 50;
export const PAGE = 200;

/** A list from its start to its end, or to a bound. */
export async function readAll<Item>(
  read: (page: { readonly limit: number; readonly cursor?: string }) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | null | undefined;
  for (let pages = 0; pages < MAX_PAGES && cursor !== null; pages += 1) {
    const page: Page<Item> = await read({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    items.push(...page.items);
    cursor = page.cursor;
  }
  return items;
}
