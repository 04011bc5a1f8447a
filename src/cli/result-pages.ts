import { createReadStream } from 'node:fs';
import { subjectIn } from '../agents/triage.ts';
import { rowJobId, rowsAt } from '../app/batch-rows.ts';
import { type JobView, viewJob } from '../app/views.ts';
import type { World } from '../app/world.ts';
import { type Batch, rowsOf } from '../core/batch.ts';
import type { Row } from '../core/batch-format.ts';
import { isObject } from '../core/content.ts';
import { startedResult, unstartedResult } from '../core/row-result.ts';
import { textOf } from '../tickets/decode.ts';
import { linePages } from '../tickets/json-rows.ts';
import type { CsvRow, ResultRow } from '../tickets/results.ts';
import type { Input } from './read-input.ts';

/** A result with what the files beside `results.jsonl` show of it. */
export interface PagedRow extends CsvRow {
  readonly subject: string;
  /** Undefined for a row that was never started. */
  readonly job: JobView | undefined;
}

const PAGE = 200;
const AT_ONCE = 20;

/** The results of a batch's rows in order, with the columns of the input that nobody recognised; a page at a time. */
export async function* resultPages(
  world: World,
  batch: Batch,
  input: Pick<Input, 'duplicateOf' | 'subjectOnly'>,
): AsyncGenerator<readonly PagedRow[]> {
  for await (const rows of rowPages(world, batch)) {
    const firsts = await firstsOf(world, batch, rows, input);
    const page: PagedRow[] = [];
    const places = [...rows];
    for (let at = 0; at < places.length; at += AT_ONCE) {
      const some = places.slice(at, at + AT_ONCE).map(async ([place, row]): Promise<PagedRow> => {
        const duplicateOf = firsts.get(place) ?? null;
        const job = await viewJob(world, batch.tenant, rowJobId(world, batch, row.key));
        const result = resultOf(batch, row, job, duplicateOf);
        const needsReview = result.needsReview || (job !== undefined && input.subjectOnly.has(place));
        const subject = subjectIn(row.input);
        return { row: { ...result, needsReview }, fields: fieldsOf(row), subject, job };
      });
      page.push(...(await Promise.all(some)));
    }
    yield page;
  }
}

async function* rowPages(world: World, batch: Batch): AsyncGenerator<ReadonlyMap<number, Row>> {
  const count = rowsOf(batch);
  for (let first = 0; first < count; first += PAGE) {
    const places = Array.from({ length: Math.min(PAGE, count - first) }, (_, at) => first + at);
    const rows = await rowsAt(world, batch, places);
    yield new Map([...rows].sort(([one], [other]) => one - other));
  }
}

/** By place: the id of the first row that says the same. */
async function firstsOf(
  world: World,
  batch: Batch,
  rows: ReadonlyMap<number, Row>,
  { duplicateOf }: Pick<Input, 'duplicateOf'>,
): Promise<ReadonlyMap<number, string>> {
  const wanted = [...rows.keys()].flatMap((place) => duplicateOf.get(place) ?? []);
  const found = wanted.length === 0 ? undefined : await rowsAt(world, batch, [...new Set(wanted)]);
  return new Map(
    [...rows.keys()].flatMap((place): readonly (readonly [number, string])[] => {
      const first = found?.get(duplicateOf.get(place) ?? -1);
      return first === undefined ? [] : [[place, first.id]];
    }),
  );
}

function resultOf(batch: Batch, row: Row, job: JobView | undefined, duplicateOf: string | null): ResultRow {
  const common = { id: row.id, line: row.line, duplicateOf };
  if (job !== undefined) return { ...common, ...startedResult(row.id, job) };
  return {
    ...common,
    ...unstartedResult(row.id, batch.status === 'cancelled' ? 'cancelled' : 'not_started'),
  };
}

/** The columns that nobody recognised went along as metadata, beside the ticket's id. */
function fieldsOf({ id, metadata }: Row): Readonly<Record<string, string>> {
  const all: unknown = JSON.parse(metadata);
  if (!isObject(all)) return {};
  const fields = Object.entries(all).filter(([name, value]) => name !== 'ticket' || value !== id);
  return Object.fromEntries(fields.map(([name, value]) => [name, String(value)]));
}

/** The rows of a `results.jsonl` that was written from this batch, with what `results.csv` has beside them. */
export async function* fieldsOfRows(
  world: World,
  batch: Batch,
  results: string,
): AsyncGenerator<readonly CsvRow[]> {
  const lines = linesOf(results);
  for await (const rows of rowPages(world, batch)) {
    const page: CsvRow[] = [];
    for (const row of rows.values()) {
      const { value } = await lines.next();
      const result = JSON.parse(String(value)) as ResultRow;
      page.push({ row: result, subject: subjectIn(row.input), fields: fieldsOf(row) });
    }
    yield page;
  }
}

async function* linesOf(name: string): AsyncGenerator<string> {
  const source = { name, size: 0, open: () => createReadStream(name) };
  for await (const page of linePages(() => textOf(source, 'utf-8'))) for (const { raw } of page) yield raw;
}
