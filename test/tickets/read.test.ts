import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TerminalError } from '../../src/core/errors.ts';
import { parseMap } from '../../src/tickets/columns.ts';
import { rejectedLine } from '../../src/tickets/results.ts';
import { emptyTally, tally } from '../../src/tickets/row.ts';
import { acceptedOf, brief, readAll } from './read-all.ts';

const field = (name: string): Promise<Buffer> =>
  readFile(new URL(`../field/inputs/${name}`, import.meta.url));

describe('rows', () => {
  it.each([
    ['an empty file', '', []],
    ['white space only', ' \n\n', []],
    ['a header only', 'id,subject\n\n', []],
    ['all cells empty', 'id,body\n1,a\n , \n\n2,b\n', ['2 1', '3 skipped', '4 skipped', '5 2']],
    ['two files one behind the other', 'id,body\n1,a\nid,body\n2,b\n', ['2 1', '3 skipped', '4 2']],
    ['a cell too many', 'id,body\n1,a,b\n2,c\n', ['2 rejected', '3 2']],
    ['delimiters to spare', 'id,body\n1,a,,\n', ['2 1']],
    ['a cell too few', 'id,subject,body\n1,a\n', ['2 1']],
    ['the same row again', 'id,body\n1,a\n1,a\n', ['2 1', '3 duplicate of 2']],
    ['the same id for another text', 'id,body\n1,a\n1,b\n', ['2 1', '3 rejected']],
    ['a newline in quotes', 'id,body\n1,"a\nb\n"\n2,c', ['2 1', '5 2']],
    ['CR line ends', 'id,body\r1,a\r2,b\r', ['2 1', '3 2']],
    ['mixed line ends', 'id,body\r\n1,a\n2,b\r\n', ['2 1', '3 2']],
    ['a quote that is never closed', 'id,body\n1,a\n2,"b\n3,c\n', ['2 1', '3 rejected', '4 3']],
    ['a deleted row', 'id,body,deleted\n1,a,true\n2,b,false\n3,c,0\n', ['2 skipped', '3 2', '4 3']],
    ['a date of deletion', 'id,body,deleted_at\n1,a,2026-01-01\n2,b,\n', ['2 skipped', '3 2']],
    ['one column with commas in it', 'text\nHello, you\n', ['2 row-']],
  ])('reads %s', async (_, content, expected) => {
    const rows = brief(await readAll(content)).map((row) => row.replace(/row-\w+/, 'row-'));
    expect(rows).toEqual(expected);
  });

  it('names both lines when an id has two contents', async () => {
    const outcomes = await readAll('id,body\n7,a\n7,b\n');
    expect(outcomes[1]).toMatchObject({ type: 'rejected', line: 3, raw: '7,b' });
    expect(outcomes[1]).toHaveProperty('reason', 'line 3 has the id 7 of line 2, but other content');
  });

  it.each([
    ['ISO times', '2026-01-02', '2026-01-10', '2026-01-03'],
    ['seconds', '999', '1000', '998'],
    ['days first', '13/01/2025 00:01', '01/02/2025 00:01', '02/01/2025 00:01'],
  ])('keeps the newest row of an id by %s', async (_, first, newest, last) => {
    const outcomes = await readAll(
      `id,body,updated\n1,a,${first}\n1,b,${newest}\n1,c,${last}\n2,d,${last}\n`,
    );
    expect(brief(outcomes)).toEqual(['2 duplicate of 3', '3 1', '4 duplicate of 3', '5 2']);
  });

  it('rejects other content of the same update time', async () => {
    const outcomes = await readAll('id,body,updated\n1,a,2026-01-02\n1,b,2026-01-02\n1,a,2026-01-02\n');
    expect(brief(outcomes)).toEqual(['2 1', '3 rejected', '4 duplicate of 2']);
  });

  it('makes the same id from the same content, whatever the order of columns', async () => {
    const [one] = acceptedOf(await readAll('subject,body\nHi,there\n'));
    const [other] = acceptedOf(await readAll('{"body":"there","subject":"Hi"}\n', 'a.jsonl'));
    expect(one?.ticket.id).toMatch(/^row-[0-9a-f]{12}$/);
    expect(other?.ticket.id).toBe(one?.ticket.id);
  });
});

describe('tickets', () => {
  it.each([
    ['a subject alone', 'id,subject,body\n1,Help,\n', { noText: false, subjectOnly: true }],
    ['a body alone', 'id,subject,body\n1,,Help\n', { noText: false, subjectOnly: false }],
    ['white space', 'id,subject,body\n1," ","\t"\n', { noText: true, subjectOnly: false }],
    ['an id alone', 'id\n1\n', { noText: true, subjectOnly: false }],
  ])('says what text there is in %s', async (_, content, expected) => {
    expect((await readAll(content))[0]).toMatchObject(expected);
  });

  it('keeps unrecognised columns as fields and all values of a repeated header', async () => {
    const outcomes = await readAll('id,Text,Plan,Labels,Labels,Plan\n1,Hi,pro,a,b,max\n');
    expect(acceptedOf(outcomes)[0]).toMatchObject({
      ticket: { id: '1', body: 'Hi', tags: ['a', 'b'] },
      fields: { Plan: 'pro\nmax' },
    });
  });

  it('drops control characters but tab and newline', async () => {
    const [row] = acceptedOf(
      await readAll('{"id":"1","body":"a\\u0000b\\u001b[31m\\r\\nc\\td\\u0085"}', 'a.jsonl'),
    );
    expect(row?.ticket.body).toBe('ab[31m\nc\td');
  });

  it('keeps names that objects have from birth', async () => {
    const [row] = acceptedOf(await readAll('id,body,toString,__proto__\n1,a,b,c\n'));
    expect(Object.entries(row?.fields ?? {})).toEqual([
      ['toString', 'b'],
      ['__proto__', 'c'],
    ]);
  });

  it('rejects an id of more than 200 characters', async () => {
    const outcomes = await readAll(`id,body\n${'x'.repeat(200)},a\n${'x'.repeat(201)},a\n`);
    expect(outcomes.map(({ type }) => type)).toEqual(['accepted', 'rejected']);
  });

  it('cuts quoted history beyond 20 KB and keeps what the customer added', async () => {
    const quoted = `> ${'old '.repeat(20)}\n`.repeat(500);
    const [row] = acceptedOf(
      await readAll(JSON.stringify([{ id: 1, body: `New.\n${quoted}Below.` }]), 'a.json'),
    );
    const body = row?.ticket.body ?? '';
    expect(body.length).toBeLessThan(20_200);
    expect(body).toMatch(/^New\.\n> old/);
    expect(body).toMatch(/\n\[older quoted mail was left out here\]\nBelow\.$/);
  });

  it('cuts an older mail without quoting marks, oldest words first', async () => {
    const older = `On Monday, Kim wrote:\n${'word '.repeat(10_000)}`;
    const [row] = acceptedOf(await readAll(JSON.stringify([{ id: 1, body: `New.\n${older}` }]), 'a.json'));
    expect(Buffer.byteLength(row?.ticket.body ?? '')).toBeLessThan(20_100);
    expect(row?.ticket.body).toMatch(/^New\.\nOn Monday[\s\S]*\[cut: \d+ of \d+ bytes left out\]$/);
  });

  it('never cuts what is no quotation', async () => {
    const body = 'word '.repeat(10_000).trim();
    const [row] = acceptedOf(await readAll(JSON.stringify([{ id: 1, body }]), 'a.json'));
    expect(row?.ticket.body).toBe(body);
  });
});

describe('maps', () => {
  it('reads a field from the columns it is mapped to', async () => {
    const map = parseMap('subject=Kurz,body=Lang,body=Mehr');
    const [row] = acceptedOf(await readAll('id,Kurz,lang,Mehr,body\n1,a,b,c,d\n', 'a.csv', map));
    expect(row).toMatchObject({ ticket: { subject: 'a', body: 'b\n\nc' }, fields: { body: 'd' } });
  });

  it('names the mapped column that is not there, and those that are', async () => {
    const reading = readAll('id,text\n1,a\n', 'a.csv', parseMap('body=Txt'));
    await expect(reading).rejects.toMatchObject({
      code: 'invalid_map',
      message: '--map: a.csv has no column Txt; it has: id, text',
    });
  });
});

describe('formats', () => {
  const two = ['2 1', '3 2'];
  it.each([
    ['semicolons', 'id;body\n1;a, b, c\n2;d\n', 'a.csv', two],
    ['tabs', 'id\tbody\n1\ta,b\n2\tc\n', 'a.tsv', two],
    ['pipes', 'id|body\n1|a\n2|b\n', '-', two],
    ['quoted delimiters in the header', '"id";"body, all, of, it"\n1;a\n2;b\n', '-', two],
    ['a JSON list', '[\n{"id":1,"body":"a"},\n{"id":2,"body":"b"}]', '-', two],
    [
      'a list in an object',
      '{"count":2,"tickets":\n[ {"id":1,"body":"a"},\n{"id":2,"body":"b"}]}',
      'a.json',
      two,
    ],
    ['the list with the telling name', '{"users":[{"id":9}],"tickets":[{"id":1,"body":"a"}]}', '-', ['1 1']],
    ['one object', '{"id":1,"tags":["a"],\n"body":"a"}', '-', ['1 1']],
    ['JSONL called json', '{"id":1,"body":"a"}\n{"id":2,"body":"b"}\n', 'a.json', ['1 1', '2 2']],
    ['a list cut short', '[{"id":1,"body":"a"},\n{"id":2,"bo', 'a.json', ['1 1', '2 rejected']],
    ['text behind a list', '[{"id":1,"body":"a"}]\n[]', 'a.json', ['1 1', '2 rejected']],
  ])('reads %s', async (_, content, name, expected) => {
    expect(brief(await readAll(content, name))).toEqual(expected);
  });

  it('keeps the digits of every number', async () => {
    const content = '[{"id":12345678901234567890,"body":"a","n":{"deep":9007199254740993}}]';
    const [row] = acceptedOf(await readAll(content, 'a.json'));
    expect(row).toMatchObject({
      ticket: { id: '12345678901234567890' },
      fields: { 'n.deep': '9007199254740993' },
    });
  });

  it.each([50, 4000, 1_000_000])('survives a row nested %i levels deep', async (levels) => {
    const nested = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const outcomes = await readAll(`{"id":1,"body":"a","n":${nested}}\n{"id":2,"body":"b"}\n`, 'a.jsonl');
    expect(brief(outcomes)[1]).toBe('2 2');
  });

  it.each([
    ['sep=;\r\n', ';', '\r\n'],
    ['sep=,\n', ',', '\n'],
    ['\ufeffSEP=\t\n', '\t', '\n'],
    ['"sep=|"\n\n', '|', '\n'],
    ['sep=:\r', ':', '\r'],
    ['\nsep=*\n', '*', '\n'],
    ['sep=;;;;\n', ';', '\n'],
  ])('takes the line %j of a spreadsheet for the name of the delimiter', async (first, by, end) => {
    const rows = [
      ['id', '"subject, or; so"', 'body'],
      ['1', 'a', 'where'],
      ['2', 'b', 'c', 'too', 'many'],
    ];
    const outcomes = await readAll(first + rows.map((row) => row.join(by)).join(end), 'a.csv', {
      subject: ['subject, or; so'],
    });
    const at = (first.match(/\r\n|\n|\r/g) ?? []).length + 2;
    expect(brief(outcomes)).toEqual([`${at} 1`, `${at + 1} rejected`]);
    expect(acceptedOf(outcomes)[0]?.ticket).toEqual({ id: '1', subject: 'a', body: 'where' });
    // The rejected row is split by the same delimiter when it comes back.
    const [rejected] = outcomes.filter((outcome) => outcome.type === 'rejected');
    if (rejected === undefined) throw new Error('nothing was rejected');
    const mended = rejectedLine({ ...rejected, raw: ['2', 'b', 'c'].join(by) });
    const again = acceptedOf(await readAll(mended, 'rejected.jsonl', { subject: ['subject, or; so'] }));
    expect(again[0]?.ticket).toEqual({ id: '2', subject: 'b', body: 'c' });
  });

  it('takes sep= with a word behind it for a column', async () => {
    expect(brief(await readAll('sep=body\n1\n'))).toEqual([expect.stringMatching(/^2 row-/)]);
  });

  it('refuses a .json file that is no JSON', async () => {
    await expect(readAll('id,body\n1,a\n', 'a.json')).rejects.toMatchObject({ code: 'unreadable_json' });
  });

  it('takes the newest words of the customer out of a thread', async () => {
    const outcomes = await readAll(await field('nested_thai_vietnamese.json'), 'nested.json');
    const [, second, , subjectOnly] = acceptedOf(outcomes);
    expect(outcomes).toHaveLength(5);
    expect(second?.ticket).toMatchObject({
      id: 'tk-902',
      body: 'nok@example.test กดลืมรหัสแล้วไม่ได้รับเมล',
      thread: [{ role: 'customer' }, { role: 'agent' }],
    });
    expect(subjectOnly).toMatchObject({ ticket: { subject: 'สวัสดี' }, subjectOnly: true });
  });

  it('marks what was said after the words to answer', async () => {
    const [first, second, third] = acceptedOf(
      await readAll(await field('intercom_conversations.json'), 'intercom.json'),
    );
    expect(first?.ticket.body).toContain('charged twice');
    expect(first?.ticket.thread?.map(({ role }) => role)).toEqual(['customer', 'agent, later']);
    expect(second?.ticket).toMatchObject({ id: '57002', subject: 'Refund', tags: ['refund'] });
    expect(third?.noText).toBe(true);
  });
});

describe('what an export keeps and nobody answers', () => {
  it.each([
    [
      'a deleted ticket of Zendesk',
      '[{"id":1,"via":{"channel":"email"},"requester_id":5,"subject":"a","status":"deleted"}]',
      'its status is deleted',
    ],
    [
      'spam of Freshdesk',
      '[{"id":1,"subject":"a","description_text":"b","requester_id":5,"spam":true,"deleted":false}]',
      'its spam is true',
    ],
    [
      'a deleted ticket of Freshdesk',
      '[{"id":1,"subject":"a","description_text":"b","requester_id":5,"spam":false,"deleted":true}]',
      'it is marked as deleted',
    ],
  ])('skips %s', async (_, content, reason) => {
    expect(await readAll(content, 'a.json')).toEqual([{ type: 'skipped', line: 1, reason }]);
  });

  it('answers open tickets, and those of others that have such words', async () => {
    const zendesk = '[{"id":1,"via":{"channel":"email"},"requester_id":5,"subject":"a","status":"open"}]';
    expect(brief(await readAll(zendesk, 'a.json'))).toEqual(['1 1']);
    expect(brief(await readAll('id,body,status,spam\n1,a,deleted,true\n'))).toEqual(['2 1']);
  });
});

it("takes the job of Freshdesk's contact for no subject", async () => {
  const head = 'Ticket ID,Subject,Resolution status,First response status,Full name,Title';
  const [one] = acceptedOf(await readAll(`${head}\n101,,,,Ana Lopez,Head of Ops\n`));
  expect(one).toMatchObject({ noText: true, ticket: { subject: '' }, fields: { Title: 'Head of Ops' } });
});

it("reads Zendesk's view with its own words for a time and for nothing", async () => {
  const head = 'Status,ID,Subject,Requester,Requested,Submitter,Assignee,Priority,Via,Tags';
  const [one] = acceptedOf(
    await readAll(`${head}\nOpen,7,Late,Ana,2026-05-01 10:22,Ana,Bob,-,Mail,vip late\n`),
  );
  expect(one?.ticket).toEqual({
    ...{ id: '7', subject: 'Late', body: '', from: 'Ana', createdAt: '2026-05-01 10:22' },
    tags: ['vip', 'late'],
  });
});

describe('rows that share a line', () => {
  it('are named by their place in it as well', async () => {
    const rows = '[{"id":1,"body":"a"},7,{"id":1,"body":"b"},{"id":1,"body":"a"}]';
    expect(await readAll(rows, 'a.json')).toMatchObject([
      { type: 'accepted', line: 1, item: 1 },
      { line: 1, item: 2, reason: 'item 2: the row is not an object' },
      { line: 1, item: 3, reason: 'item 3 has the id 1 of item 1 of line 1, but other content' },
      { type: 'duplicate', line: 1, item: 4, ofLine: 1, ofItem: 1 },
    ]);
  });

  it('are counted anew in each line, and a row alone has no place', async () => {
    const rows = '[{"id":1,"body":"a"},{"id":2,"body":"a"},\n{"id":3,"body":"a"},\n{"id":4,"body":"a"}, 5\n]';
    const places = (await readAll(rows, 'a.json')).map(({ line, item }) => [line, item]);
    expect(places).toEqual([
      [1, 1],
      [1, 2],
      [2, undefined],
      [3, 1],
      [3, 2],
    ]);
  });
});

describe('a rejected row that was mended', () => {
  const mended = (raw: unknown, more: object = {}) =>
    readAll(`${JSON.stringify({ line: 1, reason: 'r', raw, ...more })}\n`, 'rejected.jsonl');

  it.each([
    ['as the text that it was', '{"Subject":"s","Body":"b"}'],
    ['as an object', { Subject: 's', Body: 'b' }],
  ])('is read %s', async (_, raw) => {
    expect(acceptedOf(await mended(raw))[0]?.ticket).toMatchObject({ subject: 's', body: 'b' });
    expect(acceptedOf(await mended(raw, { file: 'a.json' }))[0]?.ticket).toMatchObject({ body: 'b' });
  });

  it('has a content of its own when its raw is neither', async () => {
    expect(acceptedOf(await mended(5))[0]?.fields).toEqual({ line: '1', reason: 'r', raw: '5' });
  });
});

describe('exports of the field', () => {
  it('reads a messy JSONL file row by row', async () => {
    const outcomes = await readAll(await field('tickets_messy.jsonl'), 'tickets_messy.jsonl');
    expect(acceptedOf(outcomes).map(({ ticket }) => ticket.id)).toEqual(['j1', 'j2', '4', 'j5']);
    const rejected = outcomes.filter(({ type }) => type === 'rejected');
    expect(rejected.map(({ line }) => line)).toEqual([5, 6, 7]);
    expect(outcomes.reduce(tally, emptyTally)).toEqual({
      read: 9,
      accepted: 4,
      rejected: 3,
      skipped: 2,
      duplicates: 0,
    });
  });

  it('reads what Excel writes', async () => {
    const outcomes = await readAll(await field('excel_bom_crlf.csv'));
    expect(brief(outcomes)).toEqual(['2 1', '4 2', '5 skipped', '6 3', '7 skipped', '8 skipped']);
    expect(acceptedOf(outcomes)[0]?.ticket.body).toBe('Line one\nLine two, with comma');
  });

  it.each([
    ['freshdesk_list_export.csv', { id: '41002', from: 'Bea Sample', tags: ['line4', 'counter'] }],
    ['jira_service_management.csv', { id: 'SUP-12', from: 'rep.two', tags: ['hardware'] }],
    ['kaggle_17_columns.csv', { id: '2', from: 'bo@example.test', subject: 'Account access' }],
    ['label_encoded_itsm.csv', { subject: 'badge reader' }],
    ['multilang_tags.csv', { subject: '', tags: ['Billing', 'Plan'], priority: 'low' }],
    ['hostile_tickets.csv', { id: 'x2', from: 'lou@example.test', subject: 'Re: help' }],
  ])('recognises the columns of %s', async (name, second) => {
    expect(acceptedOf(await readAll(await field(name), name))[1]?.ticket).toMatchObject(second);
  });
});

describe('whatever the bytes', () => {
  const names = [
    'excel_bom_crlf.csv',
    'tickets_messy.jsonl',
    'nested_thai_vietnamese.json',
    'multilang_tags.csv',
  ];

  it('counts every row once, and throws TerminalError or nothing', async () => {
    const files = await Promise.all(names.map(field));
    const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.nat(names.length - 1), edits, fc.nat(), async (index, changes, length) => {
        const bytes = Buffer.from(files[index] ?? '');
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        const content = bytes.subarray(0, length % (bytes.length + 1));
        const outcomes = await readAll(content, names[index]).catch((error: unknown) => {
          expect(error).toBeInstanceOf(TerminalError);
          return [];
        });
        const { read, accepted, rejected, skipped, duplicates } = outcomes.reduce(tally, emptyTally);
        expect(read).toBe(outcomes.length);
        expect(accepted + rejected + skipped + duplicates).toBe(read);
        expect(new Set(acceptedOf(outcomes).map(({ ticket }) => ticket.id)).size).toBe(accepted);
      }),
      { numRuns: 150, seed: 1 },
    );
  });
});

describe('a file that is not what it seems', () => {
  it.each([
    [
      'an issue with labels',
      '{"number":5,"title":"Broken","body":"It broke","labels":[{"name":"bug"}]}',
      'It broke',
    ],
    [
      'a ticket with fields',
      '{"id":5,"subject":"S","description":"It broke","custom_fields":[{"id":1,"value":"v"}]}',
      'It broke',
    ],
    [
      'a ticket with its conversation',
      '{"id":5,"subject":"S","description_text":"It broke","conversations":[{"body_text":"Since Monday","incoming":true}]}',
      'Since Monday',
    ],
  ])('is one ticket where the object is one: %s', async (_, json, body) => {
    const tickets = acceptedOf(await readAll(json, 'a.json')).map(({ ticket }) => ticket);
    expect(tickets.map((ticket) => [ticket.id, ticket.body])).toEqual([['5', body]]);
  });

  it.each([
    ['an object without an id', '{"count":1,"comments":[{"id":"1","body":"x"}]}'],
    ['a named list beside an id', '{"id":"export","title":"May","tickets":[{"id":"1","body":"x"}]}'],
  ])('is a list where the object is only its frame: %s', async (_, json) => {
    expect(acceptedOf(await readAll(json, 'a.json')).map(({ ticket }) => ticket.id)).toEqual(['1']);
  });

  it('is read as JSON lines where its name says CSV, and keeps its first', async () => {
    expect(brief(await readAll('{"id":"1","body":"x"}\n{"id":"2","body":"y"}\n', 'a.csv'))).toEqual([
      '1 1',
      '2 2',
    ]);
  });

  it('may have byte order marks where files were put together', async () => {
    const outcomes = await readAll('\ufeff{"id":"1","body":"x"}\n\ufeff{"id":"2","body":"y"}\n', 'a.jsonl');
    expect(brief(outcomes)).toEqual(['1 1', '2 2']);
  });

  it('names no more columns than can be read in an error, and no control characters', async () => {
    const header = Array.from({ length: 5000 }, (_, at) => `c${at}\u001b[31m${'x'.repeat(100)}`).join(',');
    const reading = readAll(`${header}\n1\n`, 'a.csv', parseMap('body=Text'));
    const error = await reading.catch((thrown: unknown) => thrown);
    expect(error).toHaveProperty('message', expect.stringMatching(/ and 4900 more$/));
    expect(String(error).length).toBeLessThan(10_000);
    expect(String(error)).not.toContain('\u001b');
  });
});

describe('messages in rows of their own', () => {
  it('keep their files, and the subject that only the first of them has', async () => {
    const rows = [
      'conversation_id,message_id,sender,subject,text,attachments',
      'c1,m1,agent,Your order,We got it,terms.pdf',
      'c1,m2,customer,,It broke,photo.jpg',
      'c1,m3,customer,,,proof.jpg',
    ];
    const [row] = acceptedOf(await readAll(rows.join('\n')));
    expect(row?.ticket).toMatchObject({ subject: 'Your order', body: '[attachment: proof.jpg]' });
    expect(row?.ticket.thread?.map(({ text }) => text)).toEqual([
      'We got it\n\n[attachment: terms.pdf]',
      'It broke\n\n[attachment: photo.jpg]',
    ]);
  });
});

it('names the first files of a cell that has thousands', async () => {
  const cell = Array.from({ length: 3000 }, (_, at) => `f${at}.pdf`).join(', ');
  const [row] = acceptedOf(await readAll(`id,body,attachments\n1,Hi,"${cell}"\n`));
  expect(row?.ticket.body.split('\n').slice(-2)).toEqual([
    '[attachment: f49.pdf]',
    '[2950 more attachments]',
  ]);
});

it('refuses a first line that is no header: every row would be hashed with its names', async () => {
  const reading = readAll(`${'x'.repeat(40_000)}\n1\n`);
  await expect(reading).rejects.toThrow('tickets.csv: the first line is too long to be a header line');
});

it('rejects a row of JSON that has more values than memory is for, and counts no marks in texts', async () => {
  const rows = [
    `{"id":"1","body":"Hi","x":[${'0,'.repeat(200_000)}0]}`,
    `{"id":"2","body":"${'a,\\\\,\\",'.repeat(30_000)}"}`,
    '{"id":"3","body":"Hi"}',
  ];
  const outcomes = await readAll(rows.join('\n'), 'a.jsonl');
  expect(brief(outcomes)).toEqual(['1 rejected', '2 2', '3 3']);
  expect(outcomes[0]).toHaveProperty('reason', 'the row has more than 50000 values');
});
