import { api } from './api.ts';
import { save } from './files.ts';
import { joinCsv } from './model/results.ts';
import { PAGE } from './read-all.ts';

/** A batch has 100,000 rows at most. */
const MAX_PAGES = 1_000;

/** Everything of a batch that has ended so far, as a file of the browser. */
export async function exportBatch(id: string, format: 'jsonl' | 'csv'): Promise<void> {
  const pages: string[] = [];
  let cursor: string | null | undefined;
  for (let at = 0; at < MAX_PAGES && cursor !== null; at += 1) {
    const from = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const page = format === 'csv' ? await csvPage(id, from) : await linesPage(id, from);
    pages.push(page.text);
    cursor = page.cursor;
  }
  if (format === 'csv') save(`${id}.csv`, 'text/csv', [joinCsv(pages)]);
  else save(`${id}.jsonl`, 'application/x-ndjson', pages);
}

interface From {
  readonly limit: number;
  readonly cursor?: string;
}

interface TextPage {
  readonly text: string;
  readonly cursor: string | null;
}

async function csvPage(id: string, from: From): Promise<TextPage> {
  const { csv, cursor } = await api().resultsCsv(id, from);
  return { text: csv, cursor };
}

async function linesPage(id: string, from: From): Promise<TextPage> {
  const { items, cursor } = await api().results(id, from);
  return { text: items.map((item) => `${JSON.stringify(item)}\n`).join(''), cursor };
}
