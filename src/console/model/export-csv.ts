import type { Result } from '../../client.ts';
import { apiCsvRow, createCsvColumns } from '../../tickets/results.ts';

export type Pages = AsyncIterable<readonly Result[]>;

/** All pages as the parts of one file. Only all rows together tell the columns: the last page may have one of its own. */
export async function csvOf(pages: Pages): Promise<readonly string[]> {
  const columns = createCsvColumns();
  const kept: string[] = [];
  for await (const page of pages) {
    for (const result of page) columns.add(apiCsvRow(result));
    // As text: a hundred thousand rows as objects take several times the room.
    kept.push(JSON.stringify(page));
  }
  const lines = kept.map((page) => columns.lines((JSON.parse(page) as readonly Result[]).map(apiCsvRow)));
  return [columns.header(), ...lines];
}
