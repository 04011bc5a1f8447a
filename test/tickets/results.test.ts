import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { rejectedLine, resultLine, resultsCsv } from '../../src/tickets/results.ts';
import { aResult } from './a-result.ts';

const cellsOf = (csv: string): readonly Record<string, string>[] => parse(csv, { columns: true });

describe('lines', () => {
  it('writes a result as one line with exactly the fields of the contract', () => {
    const line = resultLine(aResult({ text: 'a\nb' }));
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(Object.keys(JSON.parse(line))).toEqual(
      'id line jobId status stop output text steps needsReview duplicateOf usage cost error'.split(' '),
    );
  });

  it('writes a rejected row with its raw text', () => {
    const rejected = { line: 5, reason: 'the row is not valid JSON', raw: '{"a' };
    expect(JSON.parse(rejectedLine(rejected))).toEqual(rejected);
  });
});

describe('resultsCsv', () => {
  it('flattens the output, joins lists and keeps unrecognised columns', () => {
    const output = {
      category: 'billing',
      evidence: ['A-1', 'B-2'],
      who: { name: 'Kim', age: 3 },
      none: null,
    };
    const csv = resultsCsv([
      { row: aResult({ output }), fields: { Plan: 'pro', Note: 'a "b", c\nd' } },
      {
        row: aResult({ id: 't2', output: null, jobId: null, status: 'not_started', stop: null }),
        fields: {},
      },
    ]);
    const [first, second] = cellsOf(csv);
    expect(first).toMatchObject({
      id: 't1',
      stopReason: 'completed',
      spentUsd: '0.0123',
      cacheReadTokens: '40',
      'output.category': 'billing',
      'output.evidence': 'A-1; B-2',
      'output.who.name': 'Kim',
      'input.Plan': 'pro',
      'input.Note': 'a "b", c\nd',
    });
    expect(second).toMatchObject({ id: 't2', jobId: '', status: 'not_started', 'output.category': '' });
  });

  it.each(['=1+1', '+49 30', '-1', '@SUM(A1)', '\t=1', '\r=1', '  =1', '＝1'])(
    'neutralises a cell that starts a formula: %j',
    (text) => {
      const fields = { Note: text };
      const [row] = cellsOf(resultsCsv([{ row: aResult({ id: text, output: { list: [text] } }), fields }]));
      // A terminal would write what follows a carriage return over what stands before it.
      const cell = `'${text.replace('\r', '\n')}`;
      expect(row).toMatchObject({ id: cell, 'output.list': cell, 'input.Note': cell });
    },
  );

  it('leaves numbers and harmless text as they are', () => {
    const [row] = cellsOf(resultsCsv([{ row: aResult({ output: { n: -1, s: 'a=b' } }), fields: {} }]));
    expect(row).toMatchObject({ 'output.n': '-1', 'output.s': 'a=b' });
  });

  it('has the subject beside the id where it is known, and no column for it elsewhere', () => {
    const rows = [
      { row: aResult(), subject: '=Grüße', fields: {} },
      { row: aResult({ id: 't2' }), fields: {} },
    ];
    const [header, ...cells] = parse(resultsCsv(rows));
    expect(header?.slice(0, 3)).toEqual(['id', 'subject', 'line']);
    expect(cells.map((row) => row.slice(0, 3))).toEqual([
      ['t1', "'=Grüße", '2'],
      ['t2', '', '2'],
    ]);
    const [without] = parse(resultsCsv([{ row: aResult(), fields: {} }]));
    expect(without?.slice(0, 2)).toEqual(['id', 'line']);
  });

  it('neutralises the header of an input column as well', () => {
    const [header] = parse(resultsCsv([{ row: aResult(), fields: { '=1': 'x' } }]));
    expect(header).toContain('input.=1');
  });
});
