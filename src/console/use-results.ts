import { useEffect, useMemo, useReducer } from 'preact/hooks';
import { api, tenant } from './api.ts';
import { type ResultRow, resultRow } from './model/results.ts';
import { PAGE } from './read-all.ts';

/** Rows that a page reads at most: the figures of a larger batch are in its export. */
const MOST_ROWS = 10_000;

interface Store {
  rows: readonly ResultRow[];
  cursor: string | undefined;
  reading: boolean;
  over: boolean;
}

/** The rows of a batch that ended, read on from where the last reading ended whenever more have. */
export function useResults(
  id: string,
  ended: number,
): { readonly rows: readonly ResultRow[]; readonly cut: boolean } {
  const [, redraw] = useReducer((drawn: number) => drawn + 1, 0);
  const store = useMemo<Store>(
    () => ({ rows: [], cursor: undefined, reading: false, over: false }),
    [id, tenant.value],
  );
  const cut = store.rows.length >= MOST_ROWS;
  useEffect(() => {
    if (store.reading || store.over || cut || ended <= store.rows.length) return;
    store.reading = true;
    void readOn(id, store)
      .catch(() => undefined)
      .finally(() => {
        store.reading = false;
        redraw(undefined);
      });
  }, [id, ended, store]);
  return { rows: store.rows, cut };
}

async function readOn(id: string, store: Store): Promise<void> {
  while (store.rows.length < MOST_ROWS) {
    const from = store.cursor === undefined ? {} : { cursor: store.cursor };
    const { items, cursor } = await api().results(id, { limit: PAGE, ...from });
    store.rows = [...store.rows, ...items.map(resultRow)];
    if (cursor === null) {
      store.over = items.length > 0;
      return;
    }
    store.cursor = cursor;
  }
}
