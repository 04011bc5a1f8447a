import { createReadStream } from 'node:fs';
import { subjectIn } from '../agents/triage.ts';
import { startedResult, unstartedResult } from '../core/row-result.ts';
import type { CsvRow, ResultRow } from '../tickets/results.ts';
import type { Input } from './read-input.ts';
import type { Run, RunJob } from './run.ts';
import { linesOf } from './spool.ts';

/** A result with what the files beside `results.jsonl` show of it. */
export interface PagedRow extends CsvRow {
  readonly row: ResultRow;
  readonly subject: string;
  /** Undefined for a row that was never started. */
  readonly job: RunJob | undefined;
}

/** The results of a run's rows in order, with the columns of the input that nobody recognised; a page at a time. */
export async function* resultPages(
  run: Pick<Run, 'jobs'>,
  cancelled: boolean,
  { duplicateOf, subjectOnly }: Pick<Input, 'duplicateOf' | 'subjectOnly'>,
): AsyncGenerator<readonly PagedRow[]> {
  const unstarted = cancelled ? 'cancelled' : 'not_started';
  // A row says the same as an earlier one, so that the ids of those are known in time.
  const firsts = new Set(duplicateOf.values());
  const ids = new Map<number, string>();
  let place = -1;
  for await (const rows of run.jobs()) {
    yield rows.map(({ row: { id, line, input, fields }, job }): PagedRow => {
      place += 1;
      if (firsts.has(place)) ids.set(place, id);
      const found = job === undefined ? unstartedResult(id, unstarted) : startedResult(id, job);
      const needsReview = found.needsReview || (job !== undefined && subjectOnly.has(place));
      const first = ids.get(duplicateOf.get(place) ?? -1) ?? null;
      const row: ResultRow = { ...{ id, line, duplicateOf: first }, ...found, needsReview };
      return { row, fields, subject: subjectIn(input), job };
    });
  }
}

/** The rows of a `results.jsonl` that was written from this run, with what `results.csv` has beside them. */
export async function* fieldsOfRows(
  run: Pick<Run, 'rows'>,
  results: string,
): AsyncGenerator<readonly CsvRow[]> {
  const lines = linesOf(createReadStream(results));
  for await (const rows of run.rows()) {
    const page: CsvRow[] = [];
    for (const { input, fields } of rows) {
      const { value } = await lines.next();
      page.push({ row: JSON.parse(String(value)) as ResultRow, subject: subjectIn(input), fields });
    }
    yield page;
  }
}
