import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { resultTable } from '../../src/cli/result-table.ts';
import { totalsText } from '../../src/tickets/table.ts';
import { aResult, besideOf, summarise } from './a-result.ts';

const plain = { width: 100, color: false };
/** The terminal column in which `text` starts. */
const startOf = (line: string, text: string): number => stringWidth(line.slice(0, line.indexOf(text)));

describe('resultTable', () => {
  it.each([
    'plain',
    'ใบแจ้งหนี้ค้าง',
    '請求書について',
    '👩‍👩‍👧‍👦 family',
    'a'.repeat(60),
    '返'.repeat(60),
    '👩‍👩‍👧‍👦'.repeat(30),
  ])('keeps the columns in line for the ticket %s', (id) => {
    const [header = '', row = ''] = resultTable([aResult({ id })], plain).split('\n');
    for (const [title, value] of [
      ['category', 'delivery'],
      ['route', 'logistics'],
      ['status', 'succeeded'],
    ] as const) {
      expect(startOf(row, value)).toBe(startOf(header, title));
    }
  });

  it('cuts what is too long between characters, with an ellipsis', () => {
    const row = resultTable([aResult({ id: '👩‍👩‍👧‍👦'.repeat(30) })], plain).split('\n')[1] ?? '';
    expect(row).toMatch(/^(👩‍👩‍👧‍👦){9}… /u);
  });

  it.each([100, 80, 70])('fits a terminal of %i columns', (width) => {
    const long = { category: 'c'.repeat(40), priority: 'P1', route_to: 'r'.repeat(40) };
    const rows = [aResult({ id: '返'.repeat(40), output: long, needsReview: true }), aResult()];
    for (const line of resultTable(rows, { width, color: false }).split('\n')) {
      expect(stringWidth(line)).toBeLessThanOrEqual(width);
    }
  });

  it('says why a job stopped, and shows a row without output', () => {
    const stop = { reason: 'max_steps', message: '', resumable: true };
    const table = resultTable([aResult({ status: 'stopped', stop, output: null })], plain);
    expect(table).toContain('stopped: max_steps');
  });

  it('says of every answer that is to be checked so, whoever says it', () => {
    const rows = [aResult({ needsReview: true }), aResult({ output: { needs_human: true } }), aResult()];
    const statuses = resultTable(rows, plain).split('\n').slice(1, 4);
    expect(statuses.map((line) => line.includes('succeeded, to check'))).toEqual([true, true, false]);
  });

  it('writes control codes only where colours are wanted, whatever the text', () => {
    const rows = [aResult({ id: 'a\u001b[31mb\u0007\nc' })];
    const control = (text: string): boolean => [...text].some((one) => one < ' ' && one !== '\n');
    expect(control(resultTable(rows, plain))).toBe(false);
    expect(control(resultTable(rows, { ...plain, color: true }))).toBe(true);
    expect(resultTable(rows, plain).split('\n')).toHaveLength(3);
  });
});

describe('totalsText', () => {
  it('tells tokens by kind, cost, what the cache saved and how jobs ended', () => {
    const rows = [
      aResult(),
      aResult({ status: 'stopped', stop: { reason: 'deadline', message: '', resumable: true } }),
    ];
    const tally = { read: 4, accepted: 2, rejected: 1, skipped: 0, duplicates: 1 };
    const summary = summarise({ tally, rows, budgetUsd: 1, modelCalls: 4, scripted: false, out: '' });
    const text = totalsText(summary, besideOf(rows));
    expect(text).toContain('4 read = 2 accepted + 1 rejected + 0 skipped + 1 duplicates');
    expect(text).toContain('succeeded 1, deadline 1');
    expect(text).toContain('people   0 to approve, 0 to check, 1 without an answer');
    expect(text).toContain('20 in, 40 out, 60 written to the cache, 80 read from it');
    expect(text).toContain('$0.0246 of $1.0000, $0.002000 saved by the cache');
  });

  it.each([
    [0, undefined],
    [1, '1 ticket says the same as another'],
    [2, '2 tickets say the same as another'],
  ])('tells that %i tickets say what another says', (count, text) => {
    const tally = { read: 2, accepted: 2, rejected: 0, skipped: 0, duplicates: 0 };
    const facts = { tally, rows: [aResult()], budgetUsd: 1, modelCalls: 4, scripted: false, out: '' };
    const totals = totalsText(summarise(facts), { ...besideOf([]), sameAsAnother: count });
    if (text === undefined) expect(totals).not.toContain('the same');
    else expect(totals).toContain(text);
  });
});
