import type { Page, PageOptions } from '../../client.ts';
import { printedJson } from '../../core/printed.ts';

export type ReadPage<Item> = (page: PageOptions) => Promise<Page<Item>>;

export interface Wanted {
  /** @default 50 */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** Everything from here on, and not one page. */
  readonly all?: boolean | undefined;
}

const MOST_PER_CALL = 200;
/** Answers that one page is gathered from: a filter may give few or none at a time. */
const MOST_CALLS = 50;

/** One page, gathered from as many answers as it takes, or with `all` page after page to the end. */
export async function* pagesOf<Item>(read: ReadPage<Item>, wanted: Wanted): AsyncGenerator<Page<Item>> {
  let { cursor } = wanted;
  do {
    const page = await gather(read, wanted.all === true ? MOST_PER_CALL : (wanted.limit ?? 50), cursor);
    yield page;
    cursor = page.cursor ?? undefined;
  } while (wanted.all === true && cursor !== undefined);
}

async function gather<Item>(
  read: ReadPage<Item>,
  limit: number,
  from: string | undefined,
): Promise<Page<Item>> {
  const items: Item[] = [];
  let cursor: string | null = from ?? null;
  for (let calls = 0; calls < MOST_CALLS; calls += 1) {
    const page = await read({ limit: limit - items.length, ...(cursor === null ? {} : { cursor }) });
    items.push(...page.items);
    cursor = page.cursor;
    if (cursor === null || items.length >= limit) break;
  }
  return { items, cursor };
}

/** All items of a list, one by one. */
export async function* itemsOf<Item>(read: ReadPage<Item>): AsyncGenerator<Item> {
  for await (const { items } of pagesOf(read, { all: true })) yield* items;
}

/** Pages as one JSON document of the API's own shape, written as they come, and last what stands `beside` the list. */
export async function writeJson<Item>(
  pages: AsyncIterable<Page<Item>>,
  out: (text: string) => void,
  beside: () => object = () => ({}),
): Promise<void> {
  let before = '{"items":[';
  let last: string | null = null;
  for await (const { items, cursor } of pages) {
    for (const item of items) {
      out(`${before}${printedJson(item)}`);
      before = ',';
    }
    last = cursor;
  }
  const end = printedJson({ cursor: last, ...beside() }).slice(1);
  out(`${before === ',' ? '' : before}],${end}\n`);
}
