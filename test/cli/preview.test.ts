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

async function show(files: readonly string[], more: { json?: boolean; map?: string } = {}): Promise<Shown> {
  let out = '';
  const terminal = {
    ...{ live: false, color: false, width: 60, ask: undefined, err: () => undefined },
    out: (text: string) => {
      out += text;
    },
  };
  const map = more.map === undefined ? undefined : parseMap(more.map);
  const code = await preview({ files, map, json: more.json ?? false, quiet: true }, terminal);
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
