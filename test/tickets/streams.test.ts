import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMap } from '../../src/tickets/columns.ts';
import { csvPages, withCells } from '../../src/tickets/csv-rows.ts';
import { splitMembers, startMembers } from '../../src/tickets/json-split.ts';
import { createLineSplitter } from '../../src/tickets/line-split.ts';
import { openTickets, readTickets } from '../../src/tickets/read.ts';
import { rejectedLine } from '../../src/tickets/results.ts';
import type { RowOutcome } from '../../src/tickets/row.ts';
import { acceptedOf, brief, inPieces, readAll } from './read-all.ts';

const folders = ['../field/inputs/', '../../examples/'].map((path) => new URL(path, import.meta.url));
const files = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => /\.(csv|json|jsonl)$/.test(name))
    .map((name) => [name, readFileSync(new URL(name, folder))] as const),
);

/** What becomes of a file whose bytes come in pieces of this size; the message where it cannot be read. */
async function outcomesOf(name: string, bytes: Uint8Array, size: number): Promise<readonly unknown[]> {
  const source = { name, size: bytes.length, open: () => inPieces(bytes, size) };
  const outcomes: unknown[] = [];
  try {
    for await (const outcome of readTickets(source)) outcomes.push(outcome);
  } catch (error) {
    outcomes.push(error instanceof Error ? error.message : error);
  }
  return outcomes;
}

async function* textInPieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function rowsOf(text: string, size: number, max?: number): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  for await (const page of csvPages(() => textInPieces(text, size), ',', max)) rows.push(...page);
  return rows;
}

describe('a file in pieces', () => {
  it.each(files)('says the same as in one piece: %s', async (name, bytes) => {
    const whole = await outcomesOf(name, bytes, bytes.length);
    expect(whole.length).toBeGreaterThan(0);
    for (const size of [1, 7]) expect(await outcomesOf(name, bytes, size)).toEqual(whole);
  });

  it('says the same as in one piece, whatever the bytes and the pieces', async () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'"\n\r,[]{}\\ x\u0000\u00ff')), {
      maxLength: 9,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(files.length - 1),
        changes,
        fc.nat(),
        fc.integer({ min: 1, max: 90 }),
        async (at, edits, cut, size) => {
          const [name, original] = files[at] ?? ['', Buffer.alloc(0)];
          const bytes = Buffer.from(original.subarray(0, cut % (Math.min(original.length, 3_000) + 1)));
          for (const [place, character] of edits)
            if (bytes.length > 0) bytes[place % bytes.length] = character.charCodeAt(0);
          expect(await outcomesOf(name, bytes, size)).toEqual(
            await outcomesOf(name, bytes, bytes.length || 1),
          );
        },
      ),
      { numRuns: 200, seed: 3 },
    );
  });

  it('says the same over the borders of the pieces that files are read in', async () => {
    const row = (at: number): string => `${at},"Überall ""${'x'.repeat(at % 97)}""\r\nzwei"\r\n`;
    const text = `id,body\r\n${Array.from({ length: 3_000 }, (_, at) => row(at)).join('')}`;
    const whole = await outcomesOf('a.csv', Buffer.from(text), text.length * 2);
    expect(whole).toHaveLength(3_000);
    expect(await outcomesOf('a.csv', Buffer.from(text), 65_536)).toEqual(whole);
  });
});

describe('rows of delimited text', () => {
  const open = 'a quote is never closed';
  const alphabet = fc.array(fc.constantFrom('"', '"', ',', '\n', '\r', 'a', ' '), { maxLength: 60 });

  it('end where csv-parse ends them, and have the same cells', async () => {
    await fc.assert(
      fc.asyncProperty(alphabet, fc.integer({ min: 1, max: 9 }), async (characters, size) => {
        const text = characters.join('');
        const expected: readonly unknown[] = parse(text, {
          record_delimiter: ['\r\n', '\n', '\r'],
          ...{ relax_column_count: true, relax_quotes: true, skip_records_with_error: true },
        });
        const rows = (await rowsOf(text, size)) as { readonly cells: readonly string[] | undefined }[];
        const open = rows.findIndex(({ cells }) => cells === undefined);
        const closed = open < 0 ? rows : rows.slice(0, open);
        expect(closed.map(({ cells }) => cells)).toEqual(expected);
      }),
      { numRuns: 2_000, seed: 5 },
    );
  });

  it.each([1, 4, 1_000])('costs an open quote its own line only, in pieces of %i', async (size) => {
    const rows = await rowsOf('a,b\n1,"x\n2,y\n\n3","z\n4,z', size);
    expect(rows).toEqual([
      { line: 1, raw: 'a,b', cells: ['a', 'b'] },
      { line: 2, raw: '1,"x', cells: undefined, reason: open },
      { line: 3, raw: '2,y', cells: ['2', 'y'] },
      { line: 4, raw: '', cells: [''] },
      { line: 5, raw: '3","z', cells: undefined, reason: open },
      { line: 6, raw: '4,z', cells: ['4', 'z'] },
    ]);
  });

  it.each([1, 4, 1_000])(
    'gives up a row that is too long without holding it, in pieces of %i',
    async (size) => {
      const long = `2,"${'x\n'.repeat(20)}"`;
      expect(await rowsOf(`a,b\n${long}\n3,y\n`, size, 16)).toMatchObject([
        { line: 1, raw: 'a,b' },
        { line: 2, raw: '', tooLong: long.length + 1, cells: undefined },
        { line: 23, raw: '3,y', cells: ['3', 'y'] },
      ]);
    },
  );

  it.each([1, 4, 1_000])(
    'reads again behind an open quote that was too long to hold, in pieces of %i',
    async (size) => {
      const rest = Array.from({ length: 9 }, (_, at) => `${at},row`);
      const rows = await rowsOf(`a,b\n1,"x\n${rest.join('\n')}`, size, 16);
      expect(rows).toMatchObject([
        { line: 1, raw: 'a,b' },
        { line: 2, raw: '1,"x', cells: undefined, reason: open },
        ...rest.map((raw, at) => ({ line: 3 + at, raw, cells: [String(at), 'row'] })),
      ]);
    },
  );

  it.each([1, 4, 1_000])(
    'go on behind an open quote whose line alone is too long, in pieces of %i',
    async (size) => {
      const rows = await rowsOf(`a,b\n1,"${'x'.repeat(30)}\n2,y\n3,z\n`, size, 16);
      expect(rows).toMatchObject([
        { line: 1, raw: 'a,b' },
        { line: 2, raw: '', cells: undefined, reason: open },
        { line: 3, raw: '2,y' },
        { line: 4, raw: '3,z' },
      ]);
    },
  );

  it('keep their cells beside one that csv-parse does not take for one row', () => {
    const rows = ['1,"a"', '2,"b"\n3', '4,"d"'].map((raw, at) => ({ line: at, raw, quoted: true }));
    expect(withCells(rows, ',')).toEqual([
      { line: 0, raw: '1,"a"', cells: ['1', 'a'] },
      { line: 1, raw: '2,"b"\n3', cells: undefined, reason: 'its quotes cannot be read' },
      { line: 2, raw: '4,"d"', cells: ['4', 'd'] },
    ]);
  });

  it('ends after twenty open quotes: what is left is one row', async () => {
    const rows = await rowsOf(`a,b\n${'1","x\n'.repeat(30)}`, 8);
    expect(rows).toHaveLength(22);
    expect(rows.at(-1)).toEqual({
      line: 22,
      raw: Array(10).fill('1","x').join('\n'),
      cells: undefined,
      reason: open,
    });
  });
});

it('gives up a line that is too long without holding it', () => {
  const splitter = createLineSplitter(5);
  const pieces = ['12345\n123', '456\r', '\n1\n'].flatMap((text) => splitter.push(text));
  expect([...pieces, ...splitter.end()]).toEqual([
    { line: 1, raw: '12345' },
    { line: 2, raw: '', tooLong: 6 },
    { line: 3, raw: '1' },
  ]);
});

it('holds no more of a member of a list than is wanted, and knows its length', () => {
  const state = startMembers(0, true, 4);
  const members = ['[ 12', '3456,', '\n{"a":",]"}]'].flatMap((text) => splitMembers(state, text));
  expect(members).toEqual([
    { line: 1, at: 1, text: ' 123', length: 7 },
    { line: 2, at: 9, text: '\n{"a', length: 11 },
  ]);
});

describe('columns', () => {
  const many = Array.from(
    { length: 1_500 },
    (_, at) => `{"number":"n${at % 1_499}","text":"t${at % 1_499}"}`,
  );

  it('that come late are recognised for all rows', async () => {
    const outcomes = await readAll([...many, '{"issue key":"k","text":"last"}'].join('\n'), 'a.jsonl');
    // Once there is a better id in the file, its column is the first; rows without it keep theirs.
    expect(brief(outcomes).slice(-2)).toEqual(['1500 duplicate of 1', '1501 k']);
    expect(acceptedOf(outcomes)).toHaveLength(1_500);
  });

  it('that come late are there for a map', async () => {
    const text = [...many, '{"number":"x","late":"words"}'].join('\n');
    const [last] = acceptedOf(await readAll(text, 'a.jsonl', parseMap('body=late'))).slice(-1);
    expect(last?.ticket.body).toBe('words');
  });
});

it('finds an id that comes again among many, and the newest where rows say when', async () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => `${at},text ${at},2026-01-01`);
  const text = `id,body,updated\n${rows.join('\n')}\n17,newer,2026-01-02\n18,text 18,2026-01-01\n`;
  const outcomes = await readAll(text);
  expect(brief(outcomes).filter((one) => one.includes('duplicate'))).toEqual([
    '19 duplicate of 20002',
    '20003 duplicate of 20',
  ]);
  expect(acceptedOf(outcomes)).toHaveLength(20_000);
});

it('gives the rows of a file as often as they are asked for', async () => {
  const bytes = readFileSync(new URL('../../examples/tickets.csv', import.meta.url));
  const file = await openTickets({ name: 'a.csv', size: bytes.length, open: () => inPieces(bytes) });
  const read = async (): Promise<readonly RowOutcome[]> => {
    const outcomes: RowOutcome[] = [];
    for await (const outcome of file.outcomes()) outcomes.push(outcome);
    return outcomes;
  };
  expect(await read()).toEqual(await read());
  expect(file).toMatchObject({ format: { type: 'csv', encoding: 'utf-8', delimiter: ',' } });
});

describe('rejected.jsonl', () => {
  const rejectedOf = async (text: string, name: string): Promise<readonly string[]> =>
    (await readAll(text, name)).flatMap((one) => (one.type === 'rejected' ? [rejectedLine(one)] : []));
  const mended = (line: string, from: string, to: string): string => {
    const row = JSON.parse(line) as { raw: string };
    return `${JSON.stringify({ ...row, raw: row.raw.replace(from, to) })}\n`;
  };

  it('of delimited text is read again with its header, once a row is mended', async () => {
    const [long = '', open = ''] = await rejectedOf('id;body;Plan\n1;a;b;c\n2;"d;e\n', 'a.csv');
    const again = await readAll(
      mended(long, ';c', '') + mended(open, '"d', '"d"') + long + open,
      'rejected.jsonl',
    );
    expect(acceptedOf(again)).toMatchObject([
      { line: 1, ticket: { id: '1', body: 'a' }, fields: { Plan: 'b' } },
      { line: 2, ticket: { id: '2', body: 'd' }, fields: { Plan: 'e' } },
    ]);
    // What was not mended stays rejected, in a form that can still be mended.
    const still = again.filter((one) => one.type === 'rejected').map(rejectedLine);
    expect(still.map((line) => ({ ...JSON.parse(line), line: 0 }))).toEqual(
      [long, open].map((line) => ({ ...JSON.parse(line), line: 0 })),
    );
  });

  it('of JSON is read again row by row, once a row is mended', async () => {
    const [broken = '', other = ''] = await rejectedOf(
      '{"id":1,"body":"a"\n{"id":2,"body":"b"}\n{"id":2,"body":"c"}\n',
      'a.jsonl',
    );
    const again = await readAll(
      mended(broken, '"a"', '"a"}') + mended(other, '2', '3') + broken,
      'rejected.jsonl',
    );
    expect(brief(again)).toEqual(['1 1', '2 3', '3 rejected']);
  });

  it('is not what a ticket with a reason of its own is taken for', async () => {
    const [row] = acceptedOf(await readAll('{"line":1,"reason":"r","raw":"x","body":"b"}\n', 'a.jsonl'));
    expect(row?.ticket.body).toBe('b');
  });
});
