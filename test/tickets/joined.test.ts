import { expect, it } from 'vitest';
import { recognise } from '../../src/tickets/columns.ts';
import { gather } from '../../src/tickets/gather.ts';
import { groupsApart } from '../../src/tickets/grouping.ts';
import { ticketPages } from '../../src/tickets/joined.ts';
import { openRecords, type RawRecord } from '../../src/tickets/records.ts';
import { groupingOf } from '../../src/tickets/shape.ts';
import { inPieces } from './read-all.ts';

const columns = recognise(['id', 'body'], {});
const shape = { name: 'thread', columns, rowsOf: 'id', answers: undefined };

/** The records of a file whose rows with one id are one ticket, and the lines that were held because they stand apart. */
async function ticketsIn(
  text: string,
  maxApart?: number,
): Promise<{ readonly records: readonly RawRecord[]; readonly held: readonly (readonly number[])[] }> {
  const bytes = Buffer.from(`id,body\n${text}`);
  const records = await openRecords({ name: 'a.csv', size: bytes.length, open: () => inPieces(bytes, 8) });
  const grouping = groupingOf(shape);
  const repeated = await groupsApart(records, bytes.length, grouping);
  const use = { of: {}, thread: [], codes: [] };
  const survey = { shape, grouping, repeated, names: ['id', 'body'], empty: false, dayFirst: false, use };
  const gathered = await gather(records, survey, maxApart);
  const found: RawRecord[] = [];
  for await (const page of ticketPages(records, survey, gathered)) found.push(...page);
  return { records: found, held: [...gathered.apart.values()].map((rows) => rows.map(({ line }) => line)) };
}

const brief = (records: readonly RawRecord[]): readonly string[] =>
  records.map((record) => `${record.line} ${record.type}`);

it('makes one ticket of rows that stand together, where the first of them stands, and holds none of them', async () => {
  const { records, held } = await ticketsIn('1,a\n1,b\n2,c\n,d\n,e\n3,f\n3,g\n');
  expect(brief(records)).toEqual(['2 values', '4 values', '5 values', '6 values', '7 values']);
  expect(held).toEqual([]);
});

it('makes one ticket of rows that stand apart, and holds only these', async () => {
  const { records, held } = await ticketsIn('1,a\n2,b\n2,c\n1,d\n3,e\n1,f\n');
  expect(brief(records)).toEqual(['2 values', '3 values', '6 values']);
  expect(held).toEqual([[2, 5, 7]]);
});

it('gives rows that are none, and lets them part no ticket', async () => {
  const { records } = await ticketsIn('1,a\n\n1,b,c,d\n1,c\n');
  expect(brief(records)).toEqual(['2 values', '3 blank', '4 bad']);
});

it('says by what column to sort when too many rows stand apart', async () => {
  await expect(ticketsIn('1,aaaa\n2,b\n1,cccc\n', 10)).rejects.toMatchObject({
    code: 'rows_apart',
    message:
      'a.csv: rows with the same id do not stand together, and they are too many to be held in memory: sort the file by id and try again',
  });
  expect((await ticketsIn('1,aaaa\n2,b\n1,cccc\n', 12)).records).toHaveLength(2);
});
