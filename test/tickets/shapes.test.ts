import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { fieldNames } from '../../src/tickets/columns.ts';
import { delimiterOf } from '../../src/tickets/csv-rows.ts';
import { dataSets } from '../../src/tickets/data-sets.ts';
import { helpdesks } from '../../src/tickets/exports.ts';
import { shapeOf } from '../../src/tickets/shape.ts';
import { acceptedOf, readAll } from './read-all.ts';
import type { Said } from './shapes/expected.ts';
import { sharedInboxes } from './shapes/shared-inboxes.ts';
import { tables } from './shapes/tables.ts';
import { trackers } from './shapes/trackers.ts';

const folder = new URL('../fixtures/shapes/', import.meta.url);
const bytesOf = (file: string): Buffer => readFileSync(new URL(file, folder));

const shapes = [...sharedInboxes, ...trackers, ...tables];

describe('exports are read as their helpdesks mean them', () => {
  it.each(shapes)('%s', async (_, file, tickets) => {
    const accepted = acceptedOf(await readAll(bytesOf(file), file));
    expect(accepted.map(({ ticket }) => ticket)).toEqual(
      tickets.map(({ thread, fields: _fields, subjectOnly: _only, ...ticket }) => ({
        ...ticket,
        ...(thread === undefined ? {} : { thread: thread.map(messageOf) }),
      })),
    );
    for (const [at, { fields = {}, subjectOnly = false }] of tickets.entries()) {
      const row = accepted[at];
      expect(row).toMatchObject({ subjectOnly, noText: false });
      for (const [name, value] of Object.entries(fields)) expect(row?.fields[name], name).toEqual(value);
    }
  });

  const messageOf = ([author, role, text]: Said) => ({
    ...(author === undefined ? {} : { author }),
    ...(role === undefined ? {} : { role }),
    text,
  });

  it('names a test for every file', () => {
    expect(readdirSync(folder).sort()).toEqual(shapes.map(([, file]) => file).sort());
  });
});

describe('no cell of a table is lost without a word', () => {
  // Times of updates decide which row counts; addresses of files, and what Jira and journals write before a text, are not shown.
  const unsaid =
    /^(last update|last modified|updated|isdeleted|last activity|attachment|sys_updated|comment|work_notes)/i;
  const asTables = shapes.filter(
    ([, file]) => file.endsWith('.csv') && !/twcs|messages|mail-thread/.test(file),
  );

  it.each(asTables)('%s', async (_, file) => {
    const bytes = bytesOf(file);
    const text = file.startsWith('german') ? iconv.decode(bytes, 'windows-1252') : bytes.toString();
    const [header = [], ...rows] = parse(text, {
      ...{ delimiter: delimiterOf(text), relax_quotes: true, relax_column_count: true },
    });
    const outcomes = await readAll(bytes, file);
    for (const [at, row] of rows.entries()) {
      const outcome = outcomes[at];
      if (outcome?.type !== 'accepted') continue;
      const kept = `${Object.values(outcome.fields).join(' ')} ${JSON.stringify(outcome.ticket)}`;
      for (const [place, cell] of row.entries()) {
        if (unsaid.test(header[place] ?? '')) continue;
        for (const word of cell.match(/[\p{L}\d]{2,}/gu) ?? []) expect(kept, header[place]).toContain(word);
      }
    }
  });
});

describe('shapeOf', () => {
  it.each([
    [['id', 'subject', 'body'], 'table'],
    [['Issue key', 'Issue id', 'Summary'], 'Jira, issues as CSV'],
    [['tweet_id', 'author_id', 'inbound', 'text', 'in_response_to_tweet_id'], 'Customer support on Twitter'],
  ])('tells by the columns %j that it is: %s', (names, name) => {
    expect(shapeOf(names, {}).name).toBe(name);
  });

  it('lets a map overrule what the export calls so', () => {
    const names = ['Issue key', 'Issue id', 'Summary', 'Notes'];
    const { columns } = shapeOf(names, { subject: ['Notes'] });
    expect(columns.of).toMatchObject({ id: ['Issue key', 'Issue id'], subject: ['Notes'] });
  });

  it('ends where tweets answer one another in a circle', async () => {
    const header = 'tweet_id,author_id,inbound,created_at,text,response_tweet_id,in_response_to_tweet_id\n';
    const rows = await readAll(`${header}1,a,True,x,one,2,2\n2,b,False,y,two,1,1\n3,c,True,z,three,,3\n`);
    expect(acceptedOf(rows).map(({ ticket }) => ticket.body)).toEqual(['one', 'three']);
  });
});

describe('the page on ticket files', () => {
  const page = readFileSync(new URL('../../docs/tickets.md', import.meta.url), 'utf8');

  it('names the fields of --map and the types of files that the API takes', () => {
    const [, fields = ''] = /The fields are ([\s\S]*?)\. A field named twice/.exec(page) ?? [];
    expect([...fields.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(fieldNames);
    const types = routes.flatMap(({ body }) => body?.fileTypes ?? []);
    expect(types).not.toEqual([]);
    for (const type of types) expect(page).toContain(`\`${type}\``);
  });

  it('names every export that is recognised, in the order of recognising', () => {
    const first = page.split('\n').flatMap((line) => /^\| ([^|]+?) \| .*`/.exec(line)?.[1] ?? []);
    const names = [...helpdesks, ...dataSets].map(({ name }) => name);
    expect(first.slice(0, names.length)).toEqual(names);
  });
});
