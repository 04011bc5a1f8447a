import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openInput } from '../../src/cli/read-input.ts';
import type { AcceptedRow } from '../../src/ticket-rows.ts';
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
async function readInput(files: readonly string[]): Promise<Held> {
  const input = await openInput(files, undefined);
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
