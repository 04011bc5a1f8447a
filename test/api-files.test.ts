import { describe, expect, it } from 'vitest';
import { triage } from '../src/agents/triage.ts';
import type { FileRows } from '../src/api/files.ts';
import { apiFiles } from '../src/api-files.ts';

const read = (contentType: string, text: string | Uint8Array): Promise<FileRows> =>
  apiFiles.rowsOf(
    { contentType, bytes: typeof text === 'string' ? new TextEncoder().encode(text) : text },
    triage,
  );
const csv = (text: string | Uint8Array) => read('text/csv', text);
const lines = (text: string | Uint8Array) => read('application/x-ndjson', text);

describe('a CSV file', () => {
  it('is read as tickets where it has the columns of tickets, and a row without text has its output', async () => {
    const found = await csv('id,subject,description,team\n7,Hello,Where is it?,blue\n8,,,red\n,,,\n');
    expect(found).toMatchObject({
      type: 'rows',
      read: [
        { id: '7', line: 2, input: expect.stringContaining('subject: Hello'), metadata: { ticket: '7' } },
        { id: '8', line: 3, metadata: { ticket: '8', team: 'red' }, output: { needs_human: true } },
      ],
      refused: [],
    });
  });

  it('is read as rows where it has an id and an input and no text of a ticket', async () => {
    const found = await csv('ID;Input;team\na;say hi;blue\n;nobody;red\nb;two\nc;x;y;z\n');
    expect(found).toEqual({
      type: 'rows',
      read: [
        { id: 'a', line: 2, input: 'say hi', metadata: { team: 'blue' } },
        { id: 'b', line: 4, input: 'two', metadata: { team: '' } },
      ],
      refused: [
        { id: '', reason: 'line 3: id: it must be text of 1 to 256 visible characters' },
        { id: '', reason: 'line 5: the row has 4 cells, the header 3' },
      ],
    });
  });

  it.each(['id,input,body\n1,in,the body\n', 'id,input,comments\n1,in,the body\n'])(
    'with a column of tickets beside the input is one of tickets: %j',
    async (text) => {
      const found = await csv(text);
      expect(found).toMatchObject({ read: [{ id: '1', metadata: { ticket: '1', input: 'in' } }] });
      expect(JSON.stringify(found)).toContain('the body');
    },
  );

  it('rejects a row by its line, and keeps its neighbours', async () => {
    const found = await csv('id,body\n1,first\n1,other\n2,"never closed\n3,third\n');
    expect(found).toMatchObject({
      read: [{ id: '1' }, { id: '3' }],
      refused: [{ reason: 'line 3: line 3 has the id 1 of line 2, but other content' }, { id: '' }],
    });
  });

  it('refuses alone a ticket that grows too large behind its fence', async () => {
    const found = await csv(`id,body\n1,${'<ticket'.repeat(37_000)}\n2,small\n`);
    expect(found).toMatchObject({
      read: [{ id: '2' }],
      refused: [{ id: '1', reason: expect.stringMatching(/^line 2: the ticket has \d+ bytes/) }],
    });
  });

  it('is read in other encodings', async () => {
    const utf16 = new Uint8Array([0xff, 0xfe, ...Buffer.from('id,body\n1,Wo ist es?\n', 'utf16le')]);
    expect(JSON.stringify(await csv(utf16))).toContain('Wo ist es?');
    const latin = Buffer.from('id,body\n1,m\u00fcde\n', 'latin1');
    expect(JSON.stringify(await csv(latin))).toContain('müde');
  });
});

describe('a file of lines', () => {
  it('has rows where a line has an input, and tickets where it has none, in their order', async () => {
    const found = await lines(
      [
        '{"id":"a","input":{"n":12345678901234567890},"metadata":{"x":1}}',
        '{"id":2,"subject":"Hello","body":"Where is it?"}',
        '',
        '{"id":"c","input":7}',
        '{"id":"d","input":"x","__proto__":{}}',
        '{"broken',
        '[1]',
        '{"id":"e","input":"last"}',
      ].join('\r\n'),
    );
    expect(found).toMatchObject({
      read: [
        { id: 'a', line: 1, input: '{"n":"12345678901234567890"}', metadata: { x: 1 } },
        { id: '2', line: 2, input: expect.stringContaining('Where is it?') },
        { id: 'e', line: 8, input: 'last' },
      ],
      refused: [
        { id: 'c', reason: 'line 4: input: it must be text or a JSON object' },
        { id: '', reason: 'line 5: the row names a property __proto__' },
        { id: '', reason: 'line 6: the row is not valid JSON' },
        { id: '', reason: 'line 7: the row is not an object' },
      ],
    });
  });

  it('refuses a line that is nested too deep, and nothing else', async () => {
    const found = await lines(`{"id":"a","input":"x"}\n${'['.repeat(200_000)}\n`);
    expect(found).toMatchObject({
      read: [{ id: 'a' }],
      refused: [{ reason: 'line 2: the row is nested deeper than 100 levels' }],
    });
  });
});

it.each([
  ['an empty file', '', 'holds no rows'],
  ['blank lines', '\n \n', 'holds no rows'],
  ['a header alone', 'id,body\n', 'holds no rows'],
  ['an open quote in the header', 'id,"body\n1,x\n', 'file.csv: a quote in the header line is never closed'],
  ['a picture', new Uint8Array(600).map((_, at) => (at * 37) % 32), 'file.csv is not readable as text'],
])('says why it cannot read %s', async (_, bytes, why) => {
  expect(await csv(bytes)).toEqual({ type: 'unreadable', why: expect.stringContaining(why) });
});

it('writes CSV with metadata as columns and no formula in any cell', () => {
  const usage = { inputTokens: 1, outputTokens: 2, cacheWriteTokens: 0, cacheReadTokens: 0 };
  const cost = { spentUsd: 0.5, reservedUsd: 0, unsettledUsd: 0, ceilingUsd: 1, savedByCacheUsd: 0 };
  const text = apiFiles.csvOf([
    {
      ...{ id: '=1+1', line: 2, jobId: 'job_1', status: 'succeeded', stop: null, steps: 1, error: null },
      ...{ output: { reply: '@cmd' }, text: null, needsReview: false, usage, cost },
      metadata: { ticket: '=1+1', '=name': '+x', deep: { a: 1 } },
    },
  ]);
  const [header = '', row = ''] = text.split('\n');
  expect(header).toMatch(/error,output\.reply,input\.=name,input\.deep$/);
  expect(row).toBe(`'=1+1,2,job_1,succeeded,,1,false,,0.5,0,0,1,2,0,0,,,'@cmd,'+x,"{""a"":1}"`);
});
