import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openInput } from '../../src/cli/read-input.ts';
import type { AcceptedRow } from '../../src/ticket-rows.ts';
import { type ColumnMap, parseMap } from '../../src/tickets/columns.ts';
import type { Tally } from '../../src/tickets/row.ts';

function file(name: string, content: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'treadle-read-')), name);
  writeFileSync(path, content);
  return path;
}

interface Held {
  readonly accepted: readonly AcceptedRow[];
  readonly rejected: readonly { readonly line: number; readonly reason: string }[];
  readonly tally: Tally;
}

/** All that the files hold, in memory. */
async function readInput(files: readonly string[], map?: ColumnMap): Promise<Held> {
  const input = await openInput(files, map);
  const accepted: AcceptedRow[] = [];
  for await (const row of input.rows()) accepted.push(row);
  const path = join(mkdtempSync(join(tmpdir(), 'treadle-read-')), 'rejected.jsonl');
  await input.writeRejected(path);
  await input.close();
  const lines = input.tally.rejected === 0 ? [] : readFileSync(path, 'utf8').trimEnd().split('\n');
  return { accepted, rejected: lines.map((line) => JSON.parse(line)), tally: input.tally };
}

it('treats one id in two files as it does in one: the same again is a duplicate, other content is rejected', async () => {
  const first = file('a.csv', 'id,subject,body\n1,Late,Day 9\n2,Refund,Two charges\n');
  const second = file('b.csv', 'id,subject,body\n1,Late,Day 9\n2,Refund,Three charges\n3,New,Hello\n');
  const { accepted, rejected, tally } = await readInput([first, second]);
  expect(accepted.map((row) => row.ticket.id)).toEqual(['1', '2', '3']);
  expect(rejected).toMatchObject([
    { file: second, line: 3, reason: `id 2 was used in ${first}, line 3, with other content` },
  ]);
  expect(tally).toEqual({ read: 5, accepted: 3, rejected: 1, skipped: 0, duplicates: 1 });
});

it('says which file has nothing to read, and that a folder is no file', async () => {
  await expect(readInput([file('empty.csv', '')])).rejects.toThrow('there is nothing to read in it');
  await expect(readInput([tmpdir()])).rejects.toThrow('is a folder');
  await expect(readInput(['nowhere.csv'])).rejects.toThrow('there is no such file');
});

it('rejects a row that is too large to be stored, and keeps its neighbours', async () => {
  const rows = [
    'id,subject,body,notes',
    '1,Late,Day 9,x',
    `2,Long,${'ก'.repeat(100_000)},x`,
    `3,Wide,Hello,${'y'.repeat(50_000)}`,
    '4,New,Hello,x',
  ];
  const { accepted, rejected, tally } = await readInput([file('large.csv', rows.join('\n'))]);
  expect(accepted.map((row) => row.ticket.id)).toEqual(['1', '4']);
  expect(rejected.map((row) => row.reason)).toEqual([
    expect.stringMatching(/the ticket has 300\d+ bytes, at most 262144 are taken/),
    expect.stringMatching(/its unrecognised columns have 500\d+ bytes, at most 49152 are kept/),
  ]);
  expect(tally).toMatchObject({ read: 4, accepted: 2, rejected: 2 });
});

it('takes a row with a thousand empty columns, without them', async () => {
  const names = Array.from({ length: 1200 }, (_, at) => `Custom field (with a name of some length ${at})`);
  const empty = ','.repeat(1200);
  const { accepted, rejected } = await readInput([
    file('wide.csv', `id,body,${names.join(',')}\n1,Hello${empty}\n2,Hi,x${empty.slice(1)}\n`),
  ]);
  expect(rejected).toEqual([]);
  expect(accepted.map((row) => row.fields)).toEqual([{}, { [names[0] ?? '']: 'x' }]);
});

it('keeps the text of a ticket that it rejects, whatever its other columns are called', async () => {
  const map = parseMap('body=Text');
  const first = file('a.csv', 'id,body,Text\n1,x,One\n');
  const second = file('b.csv', 'id,body,Text\n1,x,Two\n');
  const { rejected } = await readInput([first, second], map);
  expect(rejected).toMatchObject([{ raw: expect.stringContaining('"body":"Two"') }]);
});

it('rejects a text of millions of characters that do not show, without writing a prompt of it', async () => {
  const body = `<${'\u200b'.repeat(2_000_000)}/ticket>`;
  const { accepted, rejected } = await readInput([file('unseen.csv', `id,body\n1,${body}\n2,Hi\n`)]);
  expect(accepted.map((row) => row.ticket.id)).toEqual(['2']);
  expect(rejected.map((row) => row.reason)).toEqual([
    'the ticket has 2000042 characters, at most 262144 bytes are taken',
  ]);
});

it('takes the newest row of an id from whichever file has it, where rows say when', async () => {
  const monday = file('a.csv', 'id,body,updated_at\n1,Old,2026-01-05\n2,New,2026-01-07\n3,Once,2026-01-05\n');
  const tuesday = file(
    'b.csv',
    'id,body,updated_at\n1,New,2026-01-06\n2,Old,2026-01-06\n3,Other,2026-01-05\n',
  );
  const { accepted, tally } = await readInput([monday, tuesday]);
  expect(accepted.map(({ ticket }) => [ticket.id, ticket.body])).toEqual([
    ['2', 'New'],
    ['3', 'Once'],
    ['1', 'New'],
  ]);
  expect(tally).toEqual({ read: 6, accepted: 3, rejected: 1, skipped: 0, duplicates: 2 });
});
