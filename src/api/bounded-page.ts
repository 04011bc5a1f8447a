import { utf8Bytes } from '../core/safe-json.ts';
import { MAX_PAGE_BYTES } from './paging.ts';

/**
 * Fetches a page whose items together are not too long for an answer: where they are, again with a smaller limit, because
 * only whoever fetches knows where a shorter page ends. A single item always makes a page.
 */
export async function boundedPage<Page>(
  limit: number,
  fetch: (limit: number) => Promise<Page>,
  itemsOf: (page: Page) => readonly unknown[],
): Promise<Page> {
  for (let most = limit; ; ) {
    const page = await fetch(most);
    const items = itemsOf(page);
    const fitting = countFitting(items);
    if (fitting === items.length || most === 1) return page;
    most = Math.max(1, Math.min(fitting, most - 1));
  }
}

function countFitting(items: readonly unknown[]): number {
  let bytes = 0;
  for (const [at, item] of items.entries()) {
    bytes += utf8Bytes(JSON.stringify(item));
    if (at > 0 && bytes > MAX_PAGE_BYTES) return at;
  }
  return items.length;
}
