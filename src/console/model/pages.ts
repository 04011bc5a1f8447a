/** What stands in a list under an id. */
interface Named {
  readonly id: string;
}

/** One answer of a list, and the cursor it was asked with: undefined for the first. */
export interface LoadedPage<Row> {
  readonly asked: string | undefined;
  readonly rows: readonly Row[];
}

/** A long list as far as it was loaded. */
export interface Loaded<Row> {
  readonly pages: readonly LoadedPage<Row>[];
  /** Where the next page begins: undefined before the first, null after the last. */
  readonly next: string | null | undefined;
}

export const nothingLoaded: Loaded<never> = { pages: [], next: undefined };

interface Answer<Row> {
  readonly items: readonly Row[];
  readonly cursor: string | null;
}

/** Adds the page after the last one. */
export function addPage<Row>({ pages, next }: Loaded<Row>, { items, cursor }: Answer<Row>): Loaded<Row> {
  return { pages: [...pages, { asked: next ?? undefined, rows: items }], next: cursor };
}

/**
 * Puts a page that was read again in the place of the old one. New rows push others off its end: those are kept, because
 * no later page has them. A first page that shares nothing with the old one begins the list anew.
 */
export function refreshPage<Row extends Named>(
  loaded: Loaded<Row>,
  at: number,
  { items, cursor }: Answer<Row>,
): Loaded<Row> {
  const old = loaded.pages[at];
  if (old === undefined) return loaded;
  const fresh = new Set(items.map(({ id }) => id));
  const last = old.rows.findLastIndex(({ id }) => fresh.has(id));
  if (at === 0 && last < 0 && old.rows.length > 0 && items.length > 0) {
    return { pages: [{ asked: old.asked, rows: items }], next: cursor };
  }
  const pushedOff = cursor === null ? [] : old.rows.slice(last < 0 ? old.rows.length : last + 1);
  const page = { asked: old.asked, rows: [...items, ...pushedOff] };
  const ended = at === loaded.pages.length - 1 && cursor === null;
  return { pages: loaded.pages.with(at, page), next: ended ? null : loaded.next };
}

/** The list with those rows alone that are looked for. */
export function onlyRows<Row>({ pages, next }: Loaded<Row>, is: (row: Row) => boolean): Loaded<Row> {
  return { pages: pages.map(({ asked, rows }) => ({ asked, rows: rows.filter(is) })), next };
}

/** All rows in order; one that two pages have stands where it came first. */
export function rowsOf<Row extends Named>({ pages }: Loaded<Row>): readonly Row[] {
  const seen = new Set<string>();
  return pages.flatMap(({ rows }) =>
    rows.filter(({ id }) => {
      if (seen.has(id)) return false;
      seen.add(id);
      return true;
    }),
  );
}

/** The pages that hold the rows from `first` to `last`, counted over all: what is on screen is read again. */
export function pagesWith<Row>({ pages }: Loaded<Row>, first: number, last: number): readonly number[] {
  let from = 0;
  return pages.flatMap(({ rows }, at) => {
    const [begin, end] = [from, from + rows.length];
    from = end;
    return begin <= last && end > first ? [at] : [];
  });
}
