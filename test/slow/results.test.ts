import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { triage } from '../../src/cli/triage.ts';
import type { ResultRow } from '../../src/tickets/results.ts';

it('writes every row in order, links what says the same, and shows no more than the first two hundred', async () => {
  const out = mkdtempSync(join(tmpdir(), 'treadle-results-'));
  const texts = [
    'a1,Parcel,Where is ORD-1001?,pro\u2028max,x',
    'a2,PARCEL,where  is ord-1001?,max',
    'a3,Only a subject,,max',
    'a4,Parcel,Where is ORD-1001?,,too,many',
    'a5,Parcel,Where is ORD-1001?,basic',
  ];
  const ids = Array.from({ length: 200 }, (_, at) => `b${at},,,plan ${at}`);
  const file = join(out, 'tickets.csv');
  writeFileSync(file, ['id,subject,body,Plan,Note', ...texts, ...ids].join('\n'));
  let printed = '';
  const terminal = {
    ...{ live: false, color: false, width: 100, ask: undefined, err: () => undefined },
    out: (text: string) => {
      printed += text;
    },
  };
  const options = {
    ...{
      files: [file],
      endpoint: undefined,
      out,
      agent: 'triage',
      data: undefined,
      budgetUsd: undefined,
      maxCostUsd: undefined,
    },
    ...{ maxSteps: undefined, concurrency: 40, fresh: false, approvals: undefined, map: undefined },
    ...{ agents: undefined, modelScript: undefined, json: false, quiet: false },
  };
  expect(await triage(options, terminal, {})).toBe(exitCode.partly);

  expect(printed).toMatch(/^rejected line 5: \S.*$/m);

  const read = (name: string): string => readFileSync(join(out, name), 'utf8');
  const results = read('results.jsonl')
    .trimEnd()
    .split('\n')
    .map((line): ResultRow => JSON.parse(line));
  expect(results.map(({ id }) => id)).toEqual([
    'a1',
    'a2',
    'a3',
    'a5',
    ...ids.map((row) => row.split(',')[0]),
  ]);
  expect(results.slice(0, 5).map(({ duplicateOf }) => duplicateOf)).toEqual([null, 'a1', null, 'a1', null]);
  expect(results[2]?.needsReview).toBe(true);

  // Excel takes a file without the mark for one in the encoding of its country.
  expect(read('results.csv').startsWith('\ufeffid,subject,line,')).toBe(true);
  const table: readonly Record<string, string>[] = parse(read('results.csv'), { columns: true, bom: true });
  expect(table).toHaveLength(204);
  expect(table.map((row) => row['id'])).toEqual(results.map(({ id }) => id));
  expect(table[0]).toMatchObject({
    subject: 'Parcel',
    'input.Plan': 'pro\u2028max',
    'input.Note': 'x',
    duplicateOf: '',
  });
  expect(table[203]).toMatchObject({ 'input.Plan': 'plan 199' });

  expect(JSON.parse(read('rejected.jsonl'))).toMatchObject({
    ...{ line: 5, reason: 'the row has 6 cells, the header 5', raw: texts[3] },
    header: 'id,subject,body,Plan,Note',
  });
  const lines = printed.split('\n');
  expect(lines.filter((line) => /^b\d+ /.test(line))).toHaveLength(196);
  expect(lines).toContain('… and 4 more in results.jsonl');
  expect(printed).toContain('2 tickets say the same as another');
  // One rule for the terminal and the report.
  const said = /^people {3}(.*)$/m.exec(printed)?.[1];
  expect(said).toMatch(/^0 to approve, [1-9]\d* to check$/);
  expect(read('report.html')).toContain(`<span class="more">${said}</span>`);
});
