import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { type Asking, ask } from '../../src/cli/ask/asking.ts';
import { listBatches } from '../../src/cli/ask/batches.ts';
import { showCost } from '../../src/cli/ask/cost.ts';
import { listDeadLetters } from '../../src/cli/ask/dead-letters.ts';
import { type FitColumn, fitTable } from '../../src/cli/ask/fit-table.ts';
import { listJobs } from '../../src/cli/ask/list-jobs.ts';
import { resultTable } from '../../src/cli/result-table.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { keptTerminal } from '../support/command-line.ts';
import { aResult } from '../tickets/a-result.ts';

const PIPE = Number.POSITIVE_INFINITY;

type Row = Readonly<Record<'id' | 'note' | 'why' | 'cost', string>>;
const columns: readonly FitColumn<Row>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'note', most: 8, least: 6, spare: 1, cell: ({ note }) => note },
  { title: 'why', folds: true, cell: ({ why }) => why },
  { title: '', bar: true, cell: () => '[#...]' },
  { title: 'extra', spare: 2, cell: () => 'extra' },
  { title: 'cost', right: true, cell: ({ cost }) => cost },
];
const row: Row = { id: 'id-1', note: 'a long note', why: 'stopped: of_that', cost: '$1.25' };
const table = (width: number, rows: readonly Row[] = [row]): string => {
  const { header, lines } = fitTable(columns, rows, { width, color: false });
  return `${header}${lines(rows)}`;
};

describe('a table', () => {
  it.each<[string, number, string]>([
    [
      'whole where there is room',
      60,
      'id    note      why                       extra   cost\nid-1  a long …  stopped: of_that  [#...]  extra  $1.25\n',
    ],
    [
      'without its bar first',
      48,
      'id    note      why               extra   cost\nid-1  a long …  stopped: of_that  extra  $1.25\n',
    ],
    [
      'then cut',
      44,
      'id    note    why               extra   cost\nid-1  a lon…  stopped: of_that  extra  $1.25\n',
    ],
    [
      'then without what is spare',
      37,
      'id    note    why                cost\nid-1  a lon…  stopped: of_that  $1.25\n',
    ],
    [
      'then folded between words',
      30,
      'id    note     why        cost\nid-1  a long…  stopped:  $1.25\n               of_that\n',
    ],
    ['and at last without the rest', 21, 'id    why        cost\nid-1  stopped:  $1.25\n      of_that\n'],
  ])('is %s', (_how, width, text) => {
    expect(table(width)).toBe(text);
  });

  it('leaves empty columns out before it cuts any', () => {
    expect(table(48, [{ ...row, note: '' }])).toMatch(/^id +note +why/);
    expect(table(36, [{ ...row, note: '' }])).toMatch(/^id +why +extra +cost\n/);
  });

  it('cuts nothing in a pipe, whatever the column says', () => {
    expect(table(PIPE)).toContain('id-1  a long note  stopped: of_that  [#...]  extra  $1.25\n');
    const { lines } = fitTable(columns, [row], { width: PIPE, color: false });
    expect(lines([{ ...row, note: 'a longer note', why: 'stopped: a_longer_reason' }])).toBe(
      'id-1  a longer note  stopped: a_longer_reason  [#...]  extra  $1.25\n',
    );
  });

  it('never cuts a later cell of a column that is whole', () => {
    const { lines } = fitTable(columns, [row], { width: 60, color: false });
    expect(lines([{ ...row, why: 'stopped: much_longer_than_before', cost: '$1234.5678' }])).toMatch(
      /\$1234\.5678\n +much_longer_than_before/,
    );
  });
});

const job = (reason: string) => ({
  ...{
    id: `job_${'x'.repeat(23)}`,
    agent: 'triage',
    status: 'stopped',
    steps: 12,
    metadata: { ticket: 'T-004' },
  },
  ...{ stop: { reason, message: '', resumable: true }, createdAt: new Date(0).toISOString() },
  cost: { spentUsd: 0.001_895, ceilingUsd: 0.05 },
});
const batch = {
  ...{ id: `batch_${'x'.repeat(22)}`, agent: 'triage', status: 'cancelled', rows: 1_000 },
  ...{
    counts: { succeeded: 0, stopped: 0, failed: 0, cancelled: 999, rejected: 0, awaiting_approval: 0 },
  },
  ...{ cost: { spentUsd: 0.001_895, budgetUsd: 1.5 }, createdAt: new Date(0).toISOString() },
};
const costs = {
  ...{
    key: `batch_${'x'.repeat(22)}`,
    jobs: 100,
    steps: 1_234,
    spentUsd: 0.001_895,
    unsettledUsd: 0.000_123,
  },
};
const letter = {
  ...{ id: '5f2c7b1e-8d0a-4a53-9c1d-2b7f6f1f4b10', at: new Date(0).toISOString(), redrivenAt: null },
  ...{ reason: 'received too often', body: '{"v":1}'.repeat(20) },
};

type Listing = readonly [
  name: string,
  items: readonly object[],
  list: (asking: Asking) => Promise<number>,
  words: readonly string[],
];
const listings: readonly Listing[] = [
  [
    'jobs',
    [job('consecutive_failures'), job('refusal')],
    (asking) => listJobs(asking, {}),
    [job('').id, 'stopped:', 'consecutive_failures', 'refusal', '$0.001895'],
  ],
  ['batches', [batch], (asking) => listBatches(asking, {}), [batch.id, 'cancelled', '999/1000', '$0.001895']],
  ['costs', [costs], (asking) => showCost(asking, { by: 'batch' }), [costs.key, '$0.001895', '$0.000123']],
  ['dead letters', [letter], (asking) => listDeadLetters(asking, {}), [letter.id, 'received', 'often']],
];

async function listed([, items, list]: Listing, given: Partial<Terminal>): Promise<string> {
  const { terminal, said } = keptTerminal(given);
  const send: typeof fetch = async () => Response.json({ items, cursor: null });
  await ask({ endpoint: 'http://127.0.0.1:8787', json: false }, terminal, list, { parts: { send } });
  return said().out;
}

describe.each(listings)('the list of %s', (...listing) => {
  const words = listing[3];
  it.each([60, 80, 100])('has status, reason and money in whole words in %i columns', async (width) => {
    const out = await listed(listing, { width });
    for (const word of words)
      expect(out).toMatch(new RegExp(`(^|\\s)${word.replace('$', '\\$')}(\\s|$)`, 'm'));
    for (const line of out.split('\n').slice(0, -2)) expect(stringWidth(line)).toBeLessThanOrEqual(width);
  });

  it('is whole in a pipe, one line for each', async () => {
    const out = await listed(listing, { width: PIPE });
    expect(out).not.toContain('…');
    expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
  });
});

it('of jobs has the reason and the ticket in one line in a pipe', async () => {
  const [jobs] = listings;
  if (jobs === undefined) throw new Error('no jobs');
  expect(await listed(jobs, { width: PIPE })).toMatch(
    /T-004 +triage +stopped: consecutive_failures +12 +\$0/,
  );
});

it.each([60, 80])(
  'the results of a run have status, reason and money in whole words in %i columns',
  (width) => {
    const stop = { reason: 'consecutive_failures', message: '', resumable: true };
    const rows = [
      aResult({ id: 'x'.repeat(40), status: 'stopped', stop, output: null }),
      aResult({ needsReview: true }),
    ];
    const text = resultTable(rows, { width, color: false });
    for (const word of ['stopped:', 'consecutive_failures', 'succeeded,', 'to check', '$0.0'])
      expect(text).toContain(word);
    for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    expect(resultTable(rows, { width: PIPE, color: false })).toContain('x'.repeat(40));
  },
);
