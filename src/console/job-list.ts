import { useMemo, useReducer, useRef } from 'preact/hooks';
import type { JobFilter } from '../client.ts';
import { api, isFinal, tenant, whyNot } from './api.ts';
import { queryOf } from './model/filters.ts';
import { type JobRow, jobRow } from './model/job-row.ts';
import { isLocal, type LocalFilter, matches } from './model/local-filter.ts';
import {
  addPage,
  type Loaded,
  nothingLoaded,
  onlyRows,
  pagesWith,
  refreshPage,
  rowsOf,
} from './model/pages.ts';
import { usePoll } from './poll.ts';
import { PAGE } from './read-all.ts';

/** Pages without a match that are passed over before somebody is asked whether to go on. */
const MAX_EMPTY = 5;
/** So many found fill a screen. */
const ENOUGH = 20;

interface Store {
  loaded: Loaded<JobRow>;
  loading: boolean;
  /** Little was found for a while: a filter that matches little reads a lot. One of the page ends with what it looked for. */
  paused: 'no' | 'until asked' | 'while searched';
  refused: string | undefined;
}

export interface JobList {
  readonly rows: readonly JobRow[];
  /** How many jobs were looked through for them. */
  readonly looked: number;
  readonly loading: boolean;
  readonly paused: boolean;
  readonly refused: string | undefined;
  /** Whether the list is known to its end. */
  readonly complete: boolean;
  readonly more: () => void;
  /** Says which rows are on screen: these are read again. */
  readonly see: (first: number, last: number) => void;
}

/** A tenant's jobs by a filter: loaded as far as somebody scrolls, read again where somebody looks. */
export function useJobList(filter: JobFilter, local: LocalFilter): JobList {
  const query = queryOf(filter);
  const [, redraw] = useReducer((drawn: number) => drawn + 1, 0);
  const store = useMemo<Store>(
    () => ({ loaded: nothingLoaded, loading: false, paused: 'no', refused: undefined }),
    [query, tenant.value],
  );
  const seen = useRef({ first: 0, last: 0 });
  const found = useMemo(
    () => onlyRows(store.loaded, matches(local)),
    [store.loaded, local.review, local.find],
  );
  const more = async (): Promise<void> => {
    if (store.loading || store.loaded.next === null) return;
    store.loading = true;
    store.paused = 'no';
    redraw(undefined);
    try {
      await loadMore(store, filter, local);
    } catch (error) {
      if (isFinal(error)) store.refused = whyNot(error);
      else if (store.loaded.next !== undefined) store.paused = 'until asked';
    } finally {
      store.loading = false;
      redraw(undefined);
    }
  };
  usePoll(`jobs${query}`, async () => {
    if (store.loaded.next === undefined) return more();
    const { first, last } = seen.current;
    // Where few are found, what is new may belong to them and stands on the first page.
    const pages = new Set([...(isLocal(local) ? [0] : []), ...pagesWith(found, first, last)]);
    await refresh(store, filter, [...pages]);
    redraw(undefined);
  });
  const rows = useMemo(() => rowsOf(found), [found]);
  const looked = store.loaded.pages.reduce((sum, page) => sum + page.rows.length, 0);
  const { loading, refused, loaded } = store;
  const paused = store.paused === 'until asked' || (store.paused === 'while searched' && isLocal(local));
  return {
    ...{ rows, looked, loading, paused, refused, complete: loaded.next === null },
    more: () => void more(),
    see: (first, last) => {
      seen.current = { first, last };
    },
  };
}

async function pageAt(filter: JobFilter, cursor: string | null | undefined) {
  const page = { limit: PAGE, ...(cursor === undefined || cursor === null ? {} : { cursor }) };
  const { items, cursor: next } = await api().jobs({ ...filter, ...page });
  return { items: items.map(jobRow), cursor: next };
}

async function loadMore(store: Store, filter: JobFilter, local: LocalFilter): Promise<void> {
  const is = matches(local);
  const enough = isLocal(local) ? ENOUGH : 1;
  let found = 0;
  for (let pages = 0; pages < MAX_EMPTY; pages += 1) {
    const page = await pageAt(filter, store.loaded.next);
    store.loaded = addPage(store.loaded, page);
    store.refused = undefined;
    found += page.items.filter(is).length;
    if (found >= enough || page.cursor === null) return;
  }
  store.paused = isLocal(local) ? 'while searched' : 'until asked';
}

async function refresh(store: Store, filter: JobFilter, pages: readonly number[]): Promise<void> {
  for (const at of pages) {
    const page = await pageAt(filter, store.loaded.pages[at]?.asked);
    store.loaded = refreshPage(store.loaded, at, page);
  }
}
