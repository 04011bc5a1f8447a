import { api } from './api.ts';
import { save } from './files.ts';
import { csvOf, type Pages } from './model/export-csv.ts';
import { PAGE } from './read-all.ts';

/** A batch has 100,000 rows at most. */
const MAX_PAGES = 1_000;

/** Everything of a batch that has ended so far, as a file of the browser. */
export async function exportBatch(id: string, format: 'jsonl' | 'csv'): Promise<void> {
  const parts = format === 'csv' ? await csvOf(resultPages(id)) : await lineParts(resultPages(id));
  save(`${id}.${format}`, format === 'csv' ? 'text/csv' : 'application/x-ndjson', parts);
}

async function* resultPages(id: string): Pages {
  let cursor: string | null | undefined;
  for (let at = 0; at < MAX_PAGES && cursor !== null; at += 1) {
    const page = await api().results(id, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    yield page.items;
    cursor = page.cursor;
  }
}

async function lineParts(pages: Pages): Promise<readonly string[]> {
  const parts: string[] = [];
  for await (const page of pages) parts.push(page.map((result) => `${JSON.stringify(result)}\n`).join(''));
  return parts;
}
