import { describe, expect, it } from 'vitest';
import { emptyTally, tally } from '../../src/tickets/row.ts';
import { acceptedOf, brief, readAll } from './read-all.ts';

const [a, b] = [
  { id: 1, subject: 'Late', body: 'Where is it?' },
  { id: 2, subject: 'Broken', body: 'It broke.' },
];
const issue = (number: number, title: string) => ({ number, title, body: 'b', author: { login: 'ida' } });
const ticketOf = (id: string, subject: string) => ({ id, properties: { subject, hs_pipeline: '0' } });

/** A page of each API as its manual shows it, with what stands around and behind the list. */
const pages: readonly (readonly [string, object])[] = [
  [
    'Help Scout, Mailbox API: _embedded.conversations',
    {
      _embedded: { conversations: [a, b] },
      _links: { self: { href: 'https://api.example.test/v2/conversations?page=1' } },
      page: { size: 25, totalElements: 2, totalPages: 1, number: 1 },
    },
  ],
  [
    'Jira, REST search: issues',
    { expand: 'names,schema', startAt: 0, maxResults: 50, total: 2, issues: [a, b] },
  ],
  [
    'HubSpot, CRM API: results',
    { results: [a, b], paging: { next: { after: '3', link: 'https://x.test' } } },
  ],
  [
    'Zendesk, incremental export: tickets, with users beside them',
    { users: [{ id: 9, name: 'Ida' }], count: 2, end_of_stream: true, tickets: [a, b], next_page: null },
  ],
  ['ServiceNow, Table API: result', { result: [a, b] }],
  ['Dynamics, OData: value', { '@odata.context': 'https://x.test/$metadata', value: [a, b] }],
  ['an envelope around the page: data.results', { code: 0, data: { total: 2, results: [a, b] } }],
];

describe('the pages of an API', () => {
  it.each(pages)('hold their rows in a list: %s', async (_, page) => {
    const whole = await readAll(JSON.stringify(page, null, 2), 'page.json');
    expect(acceptedOf(whole).map(({ ticket }) => ticket)).toMatchObject([
      { id: '1', subject: 'Late' },
      { id: '2', subject: 'Broken' },
    ]);
    expect(whole.reduce(tally, emptyTally)).toMatchObject({ read: 2, accepted: 2 });
  });

  it.each(pages)('are read one a line, and as a list of pages: %s', async (_, page) => {
    const other = JSON.stringify(page).replace('"id":1', '"id":"3"').replace('"id":2', '"id":"4"');
    const lines = `${JSON.stringify(page)}\n${other}\n`;
    for (const name of ['pages.ndjson', 'pages.json'])
      expect(brief(acceptedOf(await readAll(lines, name)))).toEqual(['1 1', '1 2', '2 3', '2 4']);
    const list = await readAll(`[${JSON.stringify(page)},\n${other}]`, 'pages.json');
    expect(brief(acceptedOf(list))).toEqual(['1 1', '1 2', '2 3', '2 4']);
  });

  it.each(pages)(
    'are read one behind the other, as tools write them that print each: %s',
    async (_, page) => {
      const other = JSON.stringify(page, null, 2)
        .replace('"id": 1', '"id": "3"')
        .replace('"id": 2', '"id": "4"');
      const rows = await readAll(`${JSON.stringify(page, null, 2)}\n${other}\n`, 'pages.json');
      expect(acceptedOf(rows).map(({ ticket }) => ticket.id)).toEqual(['1', '2', '3', '4']);
    },
  );

  it.each([
    ['nodes', { nodes: [issue(7, 'Crash'), issue(8, 'Typo')], pageInfo: { hasNextPage: false } }],
    ['edges', { edges: [issue(7, 'Crash'), issue(8, 'Typo')].map((node) => ({ cursor: 'Y3', node })) }],
  ])('of GraphQL hold them in data.….%s', async (_, issues) => {
    const page = { data: { repository: { id: 'R_1', name: 'shop', issues } } };
    for (const text of [JSON.stringify(page, null, 2), `${JSON.stringify(page)}\n${JSON.stringify(page)}`]) {
      const rows = await readAll(text, 'issues.json');
      expect(acceptedOf(rows).map(({ ticket }) => ticket)).toMatchObject([
        { id: '7', subject: 'Crash', from: 'ida' },
        { id: '8', subject: 'Typo', from: 'ida' },
      ]);
    }
  });

  it('are known by the columns of their rows', async () => {
    const page = { results: [ticketOf('72001', 'Manual')], paging: {} };
    const [row] = acceptedOf(await readAll(JSON.stringify(page), 'hubspot.ndjson'));
    expect(row?.ticket).toMatchObject({ id: '72001', subject: 'Manual' });
  });

  it('without any rows are counted as skipped', async () => {
    const lines = `${JSON.stringify({ tickets: [a] })}\n{"tickets":[],"end_of_stream":true}\n`;
    expect((await readAll(lines, 'x.ndjson')).reduce(tally, emptyTally)).toMatchObject({
      ...{ read: 2, accepted: 1, skipped: 1 },
    });
  });

  it('are read again from `rejected.jsonl`, once they are mended', async () => {
    const raw = JSON.stringify({ tickets: [a, b] });
    const line = JSON.stringify({ line: 9, reason: 'the row is not valid JSON', raw });
    expect(brief(acceptedOf(await readAll(`${line}\n`, 'rejected.jsonl')))).toEqual(['1 1', '1 2']);
  });

  it('may be broken behind the first, which is said', async () => {
    const text = `{"tickets":[${JSON.stringify(a)}]}\n{"tickets":[${JSON.stringify(b)}`;
    for (const wrapped of [text, text.replace('}\n', ',\n"n":1}\n').replace('[{', '[\n{')]) {
      const rows = await readAll(wrapped, 'x.json');
      expect(rows.map(({ type }) => type)).toEqual(['accepted', 'rejected']);
    }
  });
});

describe('a ticket that holds lists', () => {
  it.each([
    ['comments', { ...a, comments: [{ body: 'First', author: 'x' }] }],
    ['conversations', { id: 1, subject: 'Late', conversations: [{ body_text: 'First' }] }],
    ['items', { ...a, items: [{ id: 'SKU-1' }, { id: 'SKU-2' }] }],
    [
      'a conversation in an object',
      { ...a, comments: { nodes: [{ body: 'First' }], results: [{ body: 'x' }] } },
    ],
    ['related tickets', { ...a, related: { items: [{ id: 5 }] } }],
  ])('is one row in a file of its own, as a line and in a list: %s', async (_, ticket) => {
    for (const [text, name] of [
      [JSON.stringify(ticket, null, 2), 'one.json'],
      [`${JSON.stringify(ticket)}\n`, 'one.ndjson'],
      [JSON.stringify([ticket]), 'list.json'],
    ] as const) {
      const rows = acceptedOf(await readAll(text, name));
      expect(rows.map(({ ticket }) => [ticket.id, ticket.subject])).toEqual([['1', 'Late']]);
    }
  });

  it('is one row without an id too, where it says more than a page would', async () => {
    const order = { customer: 'Ida', issue: 'The lamp broke', items: [{ sku: 1 }] };
    const rows = acceptedOf(await readAll(JSON.stringify([order, order]), 'x.json'));
    expect(rows.map(({ fields }) => fields['items'])).toEqual([expect.stringContaining('sku')]);
  });
});
