import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readCases } from '../../src/cli/eval-cases.ts';
import { partsOf } from '../../src/cli/eval-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'treadle-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(name: string, text: string | Uint8Array): string {
  files += 1;
  const path = join(folder, `${files}-${name}`);
  writeFileSync(path, text);
  return path;
}
const read = (name: string, text: string | Uint8Array) => readCases(file(name, text), undefined);

describe('labelled cases', () => {
  it.each([
    [
      'columns of a table',
      'a.csv',
      'id,subject,description,expected.category,expected.needs_human,expected.priority\n7,Hi,Where is it?,delivery,TRUE,\n',
    ],
    [
      'an object in JSON lines',
      'a.jsonl',
      '{"id":7,"subject":"Hi","description":"Where is it?","expected":{"category":"delivery","needs_human":true,"priority":null}}\n',
    ],
    [
      'an object in a list',
      'a.json',
      '[{"id":7,"subject":"Hi","description":"Where is it?","expected":{"category":"delivery","needs_human":true}}]',
    ],
  ])('have their labels in %s, and the ticket is read as triage reads it', async (_where, name, text) => {
    const { cases, ...others } = await read(name, text);
    expect(cases).toEqual([
      {
        ...{ id: '7', line: expect.any(Number) },
        input: 'Triage this ticket.\n<ticket>\nid: 7\nsubject: Hi\nbody:\nWhere is it?\n</ticket>',
        labels: { category: 'delivery', needs_human: expect.stringMatching(/^true$/i) },
      },
    ]);
    expect(others).toMatchObject({ unlabelled: [], refused: [], skipped: 0, duplicates: 0 });
  });

  it('are also lines with an input of their own, which other agents read', async () => {
    const lines = [
      '{"id":"a","input":{"order":12345678,"deep":{"x":[1]}},"expected":{"team":"x"}}',
      '',
      '{"id":"b","input":"plain text","expected":{"team":"y"}}',
      '{"id":"t","subject":"A ticket beside them","expected":{"team":"z"}}',
      '{"id":"c","input":7,"expected":{"team":"z"}}',
      '{"input":"no id","expected":{"team":"z"}}',
      '{"id":"d","input":" ","expected":{"team":"z"}}',
    ];
    const { cases, refused } = await read('a.jsonl', lines.join('\n'));
    expect(cases.map(({ id, line, input, labels }) => [id, line, input, labels])).toEqual([
      ['a', 1, { order: 12345678, deep: { x: [1] } }, { team: 'x' }],
      ['b', 3, 'plain text', { team: 'y' }],
      ['t', 4, expect.stringContaining('subject: A ticket beside them'), { team: 'z' }],
    ]);
    expect(refused).toEqual([
      { line: 5, reason: 'input: it must be text or a JSON object' },
      { line: 6, reason: 'a line with an input needs an id' },
      { line: 7, reason: 'the input has no text' },
    ]);
  });

  it('have an input in a column as well', async () => {
    const { cases } = await read('a.csv', 'id,input,expected.team\n1,Say hello,x\n');
    expect(cases).toEqual([{ id: '1', line: 2, input: 'Say hello', labels: { team: 'x' } }]);
  });

  it('are kept apart from rows without labels, without text, broken, empty and repeated', async () => {
    const lines = [
      '{"id":"1","subject":"one","expected":{"category":"refund"}}',
      '{"id":"2","subject":"two"}',
      '{"id":"3","subject":"three","expected":{"category":""}}',
      '{"id":"4","subject":"","expected":{"category":"refund"}}',
      '{"id":"5",',
      '{}',
      '{"id":"1","subject":"one","expected":{"category":"refund"}}',
      '{"id":"1","subject":"one","expected":{"category":"return"}}',
      '{"id":"x","input":"x","expected":{"team":"x"}}',
      '{"id":"x","input":"x","expected":{"team":"x"}}',
      '{"id":"1","input":"x","expected":{"team":"x"}}',
    ];
    const found = await read('a.jsonl', lines.join('\n'));
    expect(found.cases.map(({ id }) => id)).toHaveLength(2);
    expect(found).toMatchObject({ unlabelled: ['2', '3'], duplicates: 2 });
    expect(found.refused.map(({ line }) => line)).toEqual([4, 5, 8, 11]);
  });

  it('have a hash that is another one where a text or a label is another, and the same in another order', async () => {
    const [one, two] = ['1,refund,Where?\n', '2,return,How?\n'];
    const header = 'id,expected.category,description\n';
    const hash = async (text: string) => (await read('a.csv', header + text)).casesHash;
    const first = await hash(one + two);
    expect(await hash(two + one)).toBe(first);
    expect(await hash(one.replace('refund', 'return') + two)).not.toBe(first);
    expect(await hash(one.replace('Where', 'When') + two)).not.toBe(first);
  });

  it.each([
    ['nothing', '', 'nothing_to_read'],
    ['no labels', '{"id":"1","subject":"one"}\n', 'no_labels'],
    ['only rows that cannot be read', '{"id":"1",\n', 'no_labels'],
    ['no text in any encoding', new Uint8Array([0, 1, 2, 255, 254, 0, 0]), 'unreadable_encoding'],
  ])('are missed in a file with %s', async (_what, text, code) => {
    await expect(read('a.jsonl', text)).rejects.toMatchObject({ code });
  });

  it.each([
    ['that is not there', 'absent.jsonl'],
    ['that is a folder', '.'],
  ])('are missed in a file %s: that is wrong usage', async (_what, name) => {
    await expect(readCases(join(folder, name), undefined)).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('the parts of a submission', () => {
  const aCase = (id: number, length = 3) => ({
    id: `${id}`,
    line: id,
    labels: {},
    input: 'x'.repeat(length),
  });

  it('have at most 5,000 rows each, in order, and no labels', () => {
    const parts = partsOf(Array.from({ length: 10_001 }, (_, at) => aCase(at)));
    expect(parts.map((part) => part.length)).toEqual([5_000, 5_000, 1]);
    expect(parts.flat().map((row) => (row as { id: string }).id)).toEqual(
      Array.from({ length: 10_001 }, (_, at) => `${at}`),
    );
    expect(parts[2]).toEqual([{ id: '10000', input: 'xxx', metadata: { ticket: '10000' } }]);
  });

  it('have less than 5 MB each', () => {
    const parts = partsOf(Array.from({ length: 60 }, (_, at) => aCase(at, 250_000)));
    expect(parts.flat()).toHaveLength(60);
    for (const rows of parts) expect(JSON.stringify({ rows }).length).toBeLessThan(5_000_000);
  });
});
