import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openInput } from '../../src/cli/read-input.ts';
import { type ColumnMap, parseMap } from '../../src/tickets/columns.ts';

const folder = mkdtempSync(join(tmpdir(), 'treadle-warnings-'));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function warningsOf(files: readonly string[], map?: ColumnMap): Promise<readonly string[]> {
  const input = await openInput(files, map);
  await input.close();
  return input.warnings;
}

const story = 'My parcel has not come, and nobody answers the telephone since Monday';

describe('texts that were missed', () => {
  it('are named by the column that holds the longest', async () => {
    const path = file(
      'none.csv',
      'Fallnummer;Anliegen;Wer\n1;Paket fehlt ORD-1001;Ana\n2;Rückgabe bitte;Bob\n',
    );
    expect(await warningsOf([path])).toEqual([
      'No row has any text in a column that was recognised: name the columns with --map subject=…,body=…; "Anliegen" holds the longest texts: --map body=Anliegen',
    ]);
    expect(await warningsOf([path], parseMap('body=Anliegen'))).toEqual([]);
  });

  const half = `id,Subject,What happened?,Link\n1,Late,${story}\n2,Lost,"${story}, really"\n3,,\n`;
  it('are missed by half where only subjects were recognised', async () => {
    expect(await warningsOf([file('half.csv', half)])).toEqual([
      '1 row has no text and will be answered without a model',
      'No row has any text but its subject, and "What happened?" holds long texts that the model does not see: --map "body=What happened?"',
    ]);
    expect(await warningsOf([file('half.csv', half)], parseMap('body=What happened?'))).toEqual([
      '1 row has no text and will be answered without a model',
    ]);
  });

  it('are told apart from addresses, short words and columns that are mostly empty', async () => {
    const rows = Array.from({ length: 9 }, (_, at) => `${at},Late,${'x'.repeat(90)},pro user,`);
    const content = ['id,Subject,Link,Plan,Memo', ...rows, `9,Late,,,"${story}"`].join('\n');
    expect(await warningsOf([file('short.csv', content)])).toEqual([]);
  });

  it('are found in languages without blanks', async () => {
    const text = '先週注文した荷物がまだ届いていません。至急確認をお願いします。';
    const found = await warningsOf([file('ja.csv', `id,subject,ようけん\n1,荷物,${text}\n`)]);
    expect(found).toEqual([expect.stringContaining('--map body=ようけん')]);
  });

  it('are not missed where one row has a body, or a conversation', async () => {
    const bodies = `id,subject,body,Memo\n1,a,,${story}\n2,b,hello,${story}\n`;
    expect(await warningsOf([file('bodies.csv', bodies)])).toEqual([]);
    const talk = JSON.stringify([
      { id: 1, subject: 'a', memo: story, comments: [{ role: 'agent', body: 'hello' }] },
    ]);
    expect(await warningsOf([file('talk.json', talk)])).toEqual([]);
  });

  it('cannot be mapped by a name with a comma', async () => {
    const content = `id,subject,"Tell us, please"\n1,a,"${story}"\n`;
    expect(await warningsOf([file('comma.csv', content)])).toEqual([
      expect.stringContaining('call it body in the header line'),
    ]);
  });
});

describe('rows without text', () => {
  it('are counted, also when they are mended rows', async () => {
    const row = JSON.stringify({
      line: 3,
      reason: 'r',
      raw: '6;2026-05-06',
      header: 'id;created;subject;body',
    });
    expect(await warningsOf([file('rejected.jsonl', `{"id":1,"body":"b"}\n${row}\n`)])).toEqual([
      '1 row has no text and will be answered without a model',
    ]);
  });
});

describe('rows that are messages', () => {
  const head = 'Conversation ID,Direction,From,Message\n';

  it('are told by ids that come again with other content', async () => {
    const rows = '7,in,ana,Where is it?\n7,out,us,We look.\n7,in,ana,And?\n8,in,bob,Hello\n';
    expect(await warningsOf([file('messages.csv', head + rows)])).toEqual([
      expect.stringMatching(
        /^2 of 4 rows repeat a "Conversation ID" with other content: .* one row per message/,
      ),
    ]);
  });

  it('are none where ids seldom come again, or as they were', async () => {
    const many = Array.from({ length: 20 }, (_, at) => `${at},in,ana,text ${at}\n`).join('');
    expect(await warningsOf([file('few.csv', `${head}${many}1,in,ana,a\n2,in,ana,a\n`)])).toEqual([]);
    expect(await warningsOf([file('same.csv', `${head}${'1,in,ana,a\n'.repeat(5)}`)])).toEqual([]);
  });
});

it('names the file where there are several', async () => {
  const [one, other] = [file('one.csv', 'id,body\n1,a\n'), file('other.csv', 'id,body\n2,\n')];
  const found = await warningsOf([one, other]);
  expect(found).toEqual([expect.stringContaining('No row has any text')]);
  expect(found[0]?.startsWith(`${other}: No`)).toBe(true);
});
