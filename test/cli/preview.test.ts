import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { type Preview, preview } from '../../src/cli/preview.ts';
import { createReadProgress } from '../../src/cli/read-progress.ts';
import { parseMap } from '../../src/tickets/columns.ts';

function file(name: string, content: string | Uint8Array): string {
  const path = join(mkdtempSync(join(tmpdir(), 'treadle-preview-')), name);
  writeFileSync(path, content);
  return path;
}

interface Shown {
  readonly code: number;
  readonly out: string;
}

async function show(
  files: readonly string[],
  more: { json?: boolean; map?: string; piped?: boolean } = {},
): Promise<Shown> {
  let out = '';
  const terminal = {
    ...{ live: false, color: false, width: 60, ask: undefined, err: () => undefined },
    piped: more.piped ?? false,
    out: (text: string) => {
      out += text;
    },
  };
  const map = more.map === undefined ? undefined : parseMap(more.map);
  const code = await preview(
    { files, map, agent: 'triage', agents: undefined, json: more.json ?? false, quiet: true },
    terminal,
  );
  return { code, out };
}

const tickets = [
  'Nr;Betreff;description;Plan;comments',
  `1;Late;${'word '.repeat(60)};pro;hello`,
  '2;;;;',
  '3;Broken;It is broken;max;',
  ';;;;',
  '4;Lost;It is lost;max;;x',
  '5;Refund;Two charges;max;',
  '5;Refund;Two charges;max;',
  '6;Never shown;It is the fourth;max;',
].join('\n');

it('shows format, mapping, the first tickets as the model reads them, and what becomes of every row', async () => {
  const { code, out } = await show([file('a.csv', tickets)], { map: 'id=Nr,subject=Betreff' });
  expect(code).toBe(exitCode.partly);
  expect(out).toMatch(
    /^file {5}\S+a\.csv\nformat {3}delimited text in utf-8, split by ";"\nexport {3}table\n/,
  );
  expect(out).toContain('reads    id ← Nr\n');
  expect(out).toContain('reads    subject ← Betreff\n');
  expect(out).toContain('reads    body ← description\n');
  expect(out).toContain('reads    thread ← comments\n');
  expect(out).toContain('along    into the results only: Plan\n');
  expect(out).toContain('line 2, as the model will read it:\n  Triage this ticket.\n  <ticket>\n  id: 1\n');
  expect(out).toContain('  subject: Broken\n');
  expect(out).not.toContain('Never shown');
  expect(out).toContain('rows     8 read = 5 accepted + 1 rejected + 1 skipped + 1 duplicates\n');
  expect(out).toContain('rejected line 6: the row has 6 cells, the header 5\n');
  for (const line of out.split('\n').filter((one) => one.startsWith('  '))) {
    expect(line.length).toBeLessThanOrEqual(60);
  }
});

it('prints the same as one object', async () => {
  const { code, out } = await show([file('a.csv', tickets)], { json: true, map: 'id=Nr,subject=Betreff' });
  const found = JSON.parse(out) as Preview;
  expect(code).toBe(exitCode.partly);
  expect(found).toMatchObject({
    files: [
      {
        ...{ format: 'delimited text', encoding: 'utf-8', delimiter: ';', shape: 'table' },
        fields: { id: ['Nr'], subject: ['Betreff'], body: ['description'], thread: ['comments'] },
        along: ['Plan'],
      },
    ],
    ...{ read: 8, accepted: 5, rejected: 1, skipped: 1, duplicates: 1 },
    rejections: [{ line: 6, reason: 'the row has 6 cells, the header 5' }],
  });
  expect(found.tickets.map(({ line }) => line)).toEqual([2, 4, 7]);
});

it('says the first rows that were skipped or are there already, and why', async () => {
  const path = file('a.csv', tickets);
  const { out } = await show([path], { map: 'id=Nr,subject=Betreff' });
  expect(out).toContain('\nskipped line 5: there is nothing in it\n');
  expect(out).toContain('\nduplicate line 8: id 5 is that of line 7, which counts\n');
  expect(out).toContain('\nwarning  1 row has no text and will be answered without a model\n');
  const { out: json } = await show([path], { map: 'id=Nr,subject=Betreff', json: true });
  expect(JSON.parse(json)).toMatchObject({
    skippedRows: [{ line: 5, reason: 'there is nothing in it' }],
    duplicateRows: [{ line: 8, reason: 'id 5 is that of line 7, which counts' }],
    warnings: ['1 row has no text and will be answered without a model'],
  });
});

it('counts the rows that it does not list', async () => {
  const { out } = await show([file('a.csv', `id,body\n1,a\n${',\n'.repeat(13)}`)]);
  expect(out).toContain('\nskipped line 12: there is nothing in it\nskipped … and 3 more\n');
});

it('hides what the agent hides from its model', async () => {
  const path = file(
    'a.csv',
    'id,body\n1,card 4111 1111 1111 1111 or DE89 3704 0044 0532 0130 00\n2,4111111111111111\n',
  );
  for (const json of [false, true]) {
    const { out } = await show([path], { json });
    expect(out).toContain('card [card 1] or [iban 1]');
    expect(out).not.toMatch(/4111|3704/);
  }
});

it('shows the beginning of a long ticket, and beginning and end of its body', async () => {
  const talk = Array.from({ length: 20 }, (_, at) => ({ role: 'agent', body: `said ${at}` }));
  const said = { role: 'customer', body: Array.from({ length: 30 }, (_, at) => `words ${at}`).join('\n') };
  const row = {
    id: 1,
    subject: 'Late',
    from: 'a@x',
    priority: 'high',
    tags: ['a'],
    comments: [...talk, said],
  };
  const { out } = await show([file('a.json', JSON.stringify([row]))]);
  const shown = out.split('\n').map((line) => line.trim());
  for (const line of ['subject: Late', 'body:', 'words 0', 'words 6', 'words 27', 'words 29', '</ticket>']) {
    expect(shown).toContain(line);
  }
  expect(shown).toContain('earlier message: (agent) said 19');
  expect(shown).toContain('… 16 more lines');
  expect(shown).toContain('… 20 more lines');
  expect(shown).not.toContain('words 15');
});

it('names the columns that are really read, in the order in which they are asked', async () => {
  const rows = ['1,,Ana,a,b,also,2,x', '2,b@x,Bob,c,d,too,3,y'].join('\n');
  const path = file('a.csv', `Nr,Email,Customer,Subject,Body,Description,Priority,Tags\n${rows}\n`);
  const { out } = await show([path]);
  expect(out).toContain('reads    from ← Email, else Customer\n');
  expect(out).toContain('reads    body ← Body\n');
  expect(out).toContain('reads    priority ← nothing: Priority has bare numbers');
  expect(out).toContain('along    into the results only: Description, Priority\n');
});

it('names where a conversation is read from', async () => {
  const comments = { comment: { comments: [{ body: 'a', author: { displayName: 'x' } }] } };
  const jira = JSON.stringify([{ key: 'A-1', fields: { summary: 's', ...comments } }]);
  expect((await show([file('a.json', jira)])).out).toContain('reads    thread ← fields.comment\n');
  const rows = 'conversation_id,message_id,text,sender\n1,1,a,x\n1,2,b,y\n';
  expect((await show([file('a.csv', rows)])).out).toContain(
    'reads    thread ← the rows with one conversation_id\n',
  );
});

it('cuts no list of columns that no screen has to fit', async () => {
  const names = Array.from({ length: 60 }, (_, at) => `a rather long column ${at}`);
  const path = file('a.csv', `id,body,${names.join(',')}\n1,a\n`);
  expect((await show([path])).out).not.toContain(names.join(', '));
  expect((await show([path], { piped: true })).out).toContain(names.join(', '));
});

it('names file and item where the line alone would not do', async () => {
  const one = file('one.json', '[{"id":1,"body":"a"},5,{"id":2,"body":"c"}]');
  const other = file('other.json', '[{"id":2,"body":"c"},{"id":1,"body":"b"}]');
  const { out } = await show([one, other], { piped: true });
  const { out: json } = await show([one, other], { json: true });
  const found = JSON.parse(json) as Preview;
  expect(found.tickets[1]).toMatchObject({ file: one, line: 1, item: 3 });
  expect(found.rejections).toEqual([
    { file: one, line: 1, item: 2, reason: 'item 2: the row is not an object' },
    {
      ...{ file: other, line: 1, item: 2 },
      reason: `item 2: id 1 was used in ${one}, line 1, item 1, with other content`,
    },
  ]);
  expect(found.duplicateRows).toEqual([
    {
      file: other,
      line: 1,
      item: 1,
      reason: `item 1: id 2 is that of item 3 of line 1 of ${one}, which counts`,
    },
  ]);
  expect(out).toContain('rejected /');
});

it('refuses an agent that is not there', async () => {
  const options = {
    files: ['a.csv'],
    map: undefined,
    agent: 'nobody',
    agents: undefined,
    json: true,
    quiet: true,
  };
  const terminal = { live: false, color: false, width: 60, ask: undefined, err: () => {}, out: () => {} };
  await expect(preview(options, terminal)).rejects.toMatchObject({ code: 'unknown_agent' });
});

it('counts an id in a second file as one in the first', async () => {
  const first = file('a.jsonl', '{"id":1,"body":"a"}\n{"id":2,"body":"b"}\n');
  const second = file('b.json', '[{"id":1,"body":"a"},{"id":2,"body":"c"},{"id":3,"body":"d"}]');
  const { out } = await show([first, second], { json: true });
  expect(JSON.parse(out)).toMatchObject({
    files: [{ format: 'JSON Lines' }, { format: 'JSON list' }],
    ...{ read: 5, accepted: 3, rejected: 1, duplicates: 1 },
  });
});

it('ends well where nothing is rejected, and throws where nothing can be read', async () => {
  expect(await show([file('a.csv', 'id,body\n1,a\n')])).toMatchObject({ code: exitCode.done });
  await expect(show([file('a.csv', 'id,body\n')])).rejects.toMatchObject({ code: 'nothing_to_read' });
  await expect(show(['nowhere.csv'])).rejects.toMatchObject({ code: 'usage' });
});

it('lets no control code of a file reach the terminal', async () => {
  const { out } = await show([file('a.csv', 'id,bo\u001b[31mdy\u0007,body\n1,x,\u001b[2Jhello\n')]);
  expect([...out].filter((one) => one < ' ' && one !== '\n')).toEqual([]);
});

it.each([false, true])('says how far the reading is, from two seconds on; on a terminal: %s', (live) => {
  const said: string[] = [];
  let nowMs = 0;
  const terminal = {
    ...{ live, color: false, width: 60, ask: undefined, out: () => undefined },
    err: (text: string) => void said.push(text),
  };
  const progress = createReadProgress(terminal, false, () => nowMs);
  progress.onRead('a.csv', 1_000_000, 9_000_000);
  nowMs = 1_999;
  progress.onRead('a.csv', 2_000_000, 9_000_000);
  expect(said).toEqual([]);
  nowMs = 2_000;
  progress.onRead('a.csv', 3_000_000, 9_000_000);
  nowMs = 2_100;
  progress.onRead('a.csv', 4_000_000, 9_000_000);
  progress.end();
  const line = 'Reading a.csv: 3 of 9 MB';
  expect(said).toEqual(live ? [`\r\u001b[K${line}`, '\r\u001b[K'] : [`${line}\n`]);
});
