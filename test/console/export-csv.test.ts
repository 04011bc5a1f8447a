import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import type { Result } from '../../src/client.ts';
import { csvOf } from '../../src/console/model/export-csv.ts';

const result = (id: string, changes: Partial<Result> = {}): Result => ({
  ...{ id, line: null, jobId: `job_${id}`, status: 'succeeded', stop: null, output: null, text: null },
  ...{ steps: 1, needsReview: false, metadata: null, usage: null, duplicateOf: null, error: null },
  cost: { spentUsd: 0.1, reservedUsd: 0, unsettledUsd: 0, ceilingUsd: 1, savedByCacheUsd: 0 },
  ...changes,
});

async function* pagesOf(...pages: readonly (readonly Result[])[]) {
  yield* pages;
}

const rowsOf = async (...pages: readonly (readonly Result[])[]) =>
  parse((await csvOf(pagesOf(...pages))).join(''), { columns: true }) as readonly Record<string, string>[];

it('gives every row the columns of all rows, whichever page they came on', async () => {
  const [first, second, third] = await rowsOf(
    [result('a', { output: { route: 'billing' } })],
    [result('b', { metadata: { ticket: 'T-2', 'col\n1': 'x,"y"' }, line: 7 })],
    [result('c', { output: { note: 'late', route: 'sales' }, text: '=1+1' })],
  );
  expect(first).toMatchObject({ id: 'a', line: '', 'output.route': 'billing', 'input.ticket': '' });
  expect(second).toMatchObject({ id: 'b', line: '7', 'input.ticket': 'T-2', 'input.col\n1': 'x,"y"' });
  expect(third).toMatchObject({ id: 'c', 'output.note': 'late', 'output.route': 'sales', text: "'=1+1" });
  expect(first).toHaveProperty(['output.note'], '');
});

it('has its header also where no row has ended', async () => {
  expect((await csvOf(pagesOf([]))).join('')).toMatch(/^id,line,jobId,status,[^\n]*\n$/);
});
