import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { delimiterOf } from '../../src/tickets/csv-rows.ts';
import { dataSets } from '../../src/tickets/data-sets.ts';
import { helpdesks } from '../../src/tickets/exports.ts';
import { shapeOf } from '../../src/tickets/shape.ts';
import { acceptedOf, readAll } from './read-all.ts';

const folder = new URL('../fixtures/shapes/', import.meta.url);
const bytesOf = (file: string): Buffer => readFileSync(new URL(file, folder));

/** Author, role and text of each message of a conversation. */
type Said = readonly [author: string | undefined, role: string | undefined, text: string];

interface Expected {
  readonly id: unknown;
  readonly subject: string;
  readonly body: string;
  readonly from?: string;
  readonly createdAt?: string;
  readonly priority?: string;
  readonly tags?: readonly string[];
  readonly thread?: readonly Said[];
  /** Some of what goes along; a value of `undefined` is a field that must not be there. */
  readonly fields?: Readonly<Record<string, string | undefined>>;
  readonly subjectOnly?: true;
}

const madeOfContent = expect.stringMatching(/^row-[0-9a-f]{12}$/);

const shapes: readonly (readonly [format: string, file: string, tickets: readonly Expected[]])[] = [
  [
    'Zendesk: JSON export of tickets with comments, one a line',
    'zendesk-tickets.ndjson',
    [
      {
        ...{ id: '3101', subject: 'Lamp flickers', from: 'ida@example.test', priority: 'high' },
        ...{ createdAt: '2026-03-02T08:11:00Z', tags: ['lamp', 'warranty'] },
        body: 'Yes, same with a new bulb.\n\n[quoted mail]\nOn Mon, Mar 2, 2026 at 9:00 AM Lamps <help@example.test> wrote:\n> Did you try another bulb?',
        thread: [
          [
            'Ida Holm',
            'customer',
            'The desk lamp flickers since Monday.\n\n[attachment: flicker.mp4] (video/mp4, 48210 bytes)',
          ],
          [undefined, 'agent', 'Did you try another bulb?'],
          [undefined, 'note', 'Third case of this batch.'],
        ],
        fields: { 'via.channel': 'email', 'satisfaction_rating.score': 'offered', raw_subject: undefined },
      },
      {
        ...{ id: '3102', subject: 'Where is <order 12>?', body: 'I paid a < b of it & wait.' },
        ...{ from: 'jo@example.test', createdAt: '2026-03-03T10:00:00Z' },
      },
    ],
  ],
  [
    'Zendesk: export of a view as CSV',
    'zendesk-view.csv',
    [
      {
        ...{ id: '3201', subject: 'Wrong colour delivered', body: '', subjectOnly: true, priority: 'Normal' },
        ...{ from: 'ida@example.test', createdAt: '2026-03-04 09:10', tags: ['colour', 'delivery'] },
        fields: { Requester: 'Ida Holm', 'Satisfaction Score': 'Offered', Replies: '1' },
      },
      {
        ...{ id: '3202', subject: 'Invoice 88 missing', body: '', subjectOnly: true, priority: '-' },
        ...{ from: 'jo@example.test', createdAt: '2026-03-05 10:00' },
      },
    ],
  ],
  [
    'Freshdesk: tickets of the REST API with conversations',
    'freshdesk-api.json',
    [
      {
        ...{
          id: '501',
          subject: 'Cannot log in',
          from: 'rina@example.test',
          priority: 'Urgent',
          tags: ['login'],
        },
        createdAt: '2026-04-01T07:00:00Z',
        body: 'Firefox.\nStill locked out.\n\n[attachment: screen.png] (image/png, 912 bytes)',
        thread: [
          [undefined, 'customer', 'I cannot log in since the update.'],
          [undefined, 'agent', 'Which browser?'],
          [undefined, 'note', 'Customer is on the old plan'],
        ],
        fields: { status: 'Open', source: 'Email', type: 'Problem', description: undefined },
      },
      {
        ...{ id: '502', subject: 'Thanks', body: 'All fine & done', from: '130', priority: 'Low' },
        createdAt: '2026-04-02T07:00:00Z',
        fields: { status: 'Closed', source: 'Feedback Widget' },
      },
    ],
  ],
  [
    'Intercom: list of conversations of the REST API',
    'intercom-list.json',
    [
      {
        ...{ id: '9101', subject: 'Two invoices', from: 'lea@example.test', createdAt: '1772000000' },
        ...{ priority: 'not_priority', tags: ['billing', 'vip'] },
        body: 'I got two invoices for R&D\n\n- A-1\n- A-2\n\n[attachment: a1.pdf] (application/pdf, 2048 bytes)',
        thread: [
          ['Max', 'note, later', 'Known bug in March'],
          ['Fin', 'agent, later', 'We check it.'],
        ],
        fields: { state: 'open', 'source.type': 'email' },
      },
      {
        ...{
          id: '9102',
          subject: '',
          body: '',
          subjectOnly: true,
          createdAt: '1772001000',
          priority: 'priority',
        },
        thread: [['Max', 'agent', 'New: dark mode!']],
      },
    ],
  ],
  [
    'Jira: export of issues as CSV, comments and attachments as date;author;…',
    'jira-export.csv',
    [
      {
        ...{ id: 'HELP-7', subject: 'Printer on floor 3', from: 'nora', priority: 'High', tags: ['printer'] },
        createdAt: '03/Feb/26 9:12 AM',
        body: 'Yes; both.\nStill blank.\n\n[attachment: scan.pdf]\n[attachment: tray; left.jpg]',
        thread: [
          [undefined, 'customer', 'It prints *blank* pages, see C:\\new\\scan.pdf'],
          ['olaf', 'agent', 'Is it plugged in; and online?'],
        ],
        fields: { Status: 'Open', 'Issue id': '10007' },
      },
    ],
  ],
  [
    'Jira: search of the REST API, texts as documents',
    'jira-search.json',
    [
      {
        ...{ id: 'SD-21', subject: 'Access to payroll', from: 'nora@example.test', priority: 'Medium' },
        ...{ createdAt: '2026-01-12T10:00:00.000+0100', tags: ['payroll'] },
        body: 'Clerk.\n\n[attachment: form.docx] (application/msword, 3000 bytes)',
        thread: [
          [
            undefined,
            'customer',
            'Please give me access:\nsee the form (https://forms.example.test/1)\n\n- read\n- write',
          ],
          ['Olaf Agent', 'agent', '@Nora Berg which role?'],
          ['Olaf Agent', 'note', 'Ask her boss first'],
        ],
        fields: { 'fields.status.name': 'Open', 'fields.reporter.displayName': 'Nora Berg' },
      },
      {
        ...{ id: 'SD-22', subject: 'Mouse broken', body: '', from: 'Per Dal', subjectOnly: true },
        createdAt: '2026-01-13T10:00:00.000+0100',
      },
    ],
  ],
  [
    'GitHub: issues of the REST API',
    'github-rest.json',
    [
      {
        ...{
          id: '42',
          subject: 'Crash on start',
          from: 'kay',
          createdAt: '2026-02-01T00:00:00Z',
          tags: ['bug'],
        },
        body: 'It crashes with `<T>`:\n\n```\na < b && c > d\n```',
        fields: { id: '2200000001', comments: '2', state: 'open' },
      },
      {
        id: '43',
        subject: 'Docs typo',
        body: '',
        from: 'lou',
        createdAt: '2026-02-03T00:00:00Z',
        subjectOnly: true,
      },
    ],
  ],
  [
    'GitHub: gh issue list --json',
    'gh-issue-list.json',
    [
      {
        ...{ id: '51', subject: 'Tag visible', body: 'Version 2.1', from: 'kay', tags: ['bug', 'ui'] },
        createdAt: '2026-02-01T01:00:00Z',
        thread: [
          [undefined, 'customer', 'The <details> tag is shown.'],
          ['dev1', 'agent', 'Which version?'],
          ['stranger', undefined, '+1'],
        ],
        fields: { state: 'OPEN' },
      },
    ],
  ],
  [
    'GitLab: issues of the REST API',
    'gitlab-issues.json',
    [
      {
        ...{ id: '12', subject: 'Upload fails', body: 'Upload of 2 GB fails.', from: 'mia' },
        ...{ createdAt: '2026-02-10T08:00:00Z', tags: ['upload', 'customer'] },
        fields: { id: '7001', user_notes_count: '1' },
      },
    ],
  ],
  [
    'ServiceNow: list of incidents as CSV, journals in cells',
    'servicenow-list.csv',
    [
      {
        ...{
          id: 'INC0010001',
          subject: 'VPN drops',
          body: 'Still dropping - twice (today)',
          from: 'Pia Lund',
        },
        ...{ createdAt: '02-03-2026 08:15:00', priority: '2 - High' },
        thread: [
          [undefined, 'customer', 'VPN drops every hour.'],
          ['Sam Desk', 'agent', 'Which client version?'],
          ['Sam Desk', 'note', 'Looks like the old gateway'],
        ],
        fields: { category: 'Network', comments: undefined, work_notes: undefined },
      },
      {
        ...{
          id: 'INC0010002',
          subject: 'Need a second screen',
          body: '',
          from: 'Tom Rask',
          subjectOnly: true,
        },
        ...{ createdAt: '03-03-2026 08:15:00', priority: '4 - Low' },
      },
    ],
  ],
  [
    'ServiceNow: Table API, with display values',
    'servicenow-table.json',
    [
      {
        ...{
          id: 'INC0020001',
          subject: 'Mailbox full',
          body: 'Cannot send mail.\nQuota 100 %.',
          from: 'Pia Lund',
        },
        ...{ createdAt: '2026-03-02 08:00:00', priority: 'Critical' },
        fields: { impact: 'Medium', urgency: 'High', sys_id: 'a1' },
      },
      {
        ...{
          id: 'INC0020002',
          subject: 'Screen',
          body: '',
          createdAt: '2026-03-03 08:00:00',
          subjectOnly: true,
        },
        fields: { priority: '9' },
      },
    ],
  ],
  [
    'Help Scout: conversations of the Mailbox API with embedded threads, the newest first',
    'helpscout-conversations.json',
    [
      {
        ...{ id: '1042', subject: 'Return of a chair', from: 'vera@example.test', tags: ['return', 'chair'] },
        createdAt: '2026-05-01T09:00:00Z',
        body: 'Yes & sealed\n\n[attachment: box.jpg] (image/jpeg, 1200 bytes)',
        thread: [
          ['Vera Nys', 'customer', 'I want to return the chair'],
          ['Ann Help', 'agent', 'Is it in the box?\nKind regards'],
          ['Ann Help', 'note', 'Box is still here?'],
        ],
        fields: { id: '810', threads: '3', preview: undefined },
      },
      {
        ...{ id: '1043', subject: 'Hello', body: 'Is the shop open?', from: 'wim@example.test' },
        createdAt: '2026-05-02T09:00:00Z',
      },
    ],
  ],
  [
    'Help Scout: report of conversations as CSV, without their texts',
    'helpscout-report.csv',
    [
      {
        ...{
          id: '1042',
          subject: 'Return of a chair',
          body: '',
          from: 'vera@example.test',
          subjectOnly: true,
        },
        ...{ createdAt: '2026-05-01 09:00:00', tags: ['return', 'chair'] },
        fields: { Conversations: '3', Mailbox: 'Shop' },
      },
    ],
  ],
  [
    'HubSpot: export of tickets as CSV',
    'hubspot-export.csv',
    [
      {
        ...{
          id: '71001',
          subject: 'Chair wobbles',
          body: 'The chair wobbles.\nOne leg is short.',
          priority: 'HIGH',
        },
        ...{ from: 'zoe@example.test', createdAt: '2026-05-03 10:00' },
        fields: { 'Ticket status': 'New', Pipeline: 'Support Pipeline' },
      },
    ],
  ],
  [
    'HubSpot: tickets of the CRM API',
    'hubspot-api.json',
    [
      {
        ...{ id: '72001', subject: 'Manual', body: 'Please send the manual.', priority: 'LOW' },
        createdAt: '2026-05-04T10:00:00.000Z',
        fields: { 'properties.hs_pipeline_stage': '1' },
      },
    ],
  ],
  [
    'Zammad: tickets of the REST API, expanded, with articles',
    'zammad-tickets.json',
    [
      {
        ...{
          id: '67015',
          subject: 'Toner empty',
          from: 'uli@example.test',
          priority: '3 high',
          tags: ['toner'],
        },
        createdAt: '2026-05-05T08:00:00.000Z',
        body: 'The toner is empty.\nRoom 4.\n\n[attachment: room.txt] (text/plain, 12 bytes)',
        thread: [
          ['Ada Agent', 'note, later', 'Order more'],
          ['Ada Agent', 'agent, later', 'It comes tomorrow.'],
        ],
        fields: { state: 'open', group: 'Users' },
      },
    ],
  ],
  [
    'Front: conversations of the Core API with messages',
    'front-conversations.json',
    [
      {
        ...{ id: 'cnv_1', subject: 'Delivery on Friday?', from: 'yan@example.test', tags: ['delivery'] },
        createdAt: '1772100000.123',
        body: 'Will it come on Friday?\n\n[attachment: map.png] (image/png, 77 bytes)',
        thread: [['rep@example.test', 'agent, later', 'Yes, before noon.']],
        fields: { status: 'assigned' },
      },
    ],
  ],
  [
    'osTicket: export of a queue as CSV',
    'osticket-queue.csv',
    [
      {
        ...{
          id: '482913',
          subject: 'Refund for order 77',
          body: '',
          from: 'gus@example.test',
          subjectOnly: true,
        },
        ...{ createdAt: '03/04/2026 07:12', priority: 'Emergency' },
        fields: { From: 'Gus Hart', 'Help Topic': 'Refunds', 'Thread Count': '2', 'Attachment Count': '1' },
      },
    ],
  ],
  [
    'Gorgias: tickets of the REST API with messages',
    'gorgias-tickets.json',
    [
      {
        ...{ id: '9900', subject: 'Re: Order 55', body: 'Where is order 55?', from: 'hal@example.test' },
        ...{ createdAt: '2026-05-06T10:00:00.1', priority: 'high', tags: ['order'] },
        thread: [
          ['Amy', 'note, later', 'Lost by courier'],
          ['Amy', 'agent, later', 'We look into it.\n\n[attachment: claim.pdf] (application/pdf, 5 bytes)'],
        ],
        fields: { channel: 'email', excerpt: undefined },
      },
    ],
  ],
  [
    'Zoho Desk: tickets of the REST API',
    'zoho-desk.json',
    [
      {
        ...{ id: '101', subject: 'Blinking light', body: 'The light blinks red.', from: 'ira@example.test' },
        ...{ createdAt: '2026-05-07T08:00:00.000Z', priority: 'High' },
        thread: [['Kim Desk', 'note, later', 'Firmware 1.2?']],
        fields: { id: '1892000000042034', threadCount: '1' },
      },
    ],
  ],
  [
    'Salesforce: Data Loader export of cases; a deleted one is skipped',
    'salesforce-cases.csv',
    [
      {
        ...{
          id: '00001026',
          subject: 'Meter shows E7',
          body: 'The meter shows E7, order #5',
          priority: 'Medium',
        },
        ...{ from: 'jan@example.test', createdAt: '2026-05-08T08:00:00.000Z' },
        fields: { Id: '500A1', SuppliedName: 'Jan Oss' },
      },
    ],
  ],
  [
    'Dynamics 365: cases as CSV with semicolons',
    'dynamics-cases.csv',
    [
      {
        ...{ id: 'CAS-01001-K2', subject: 'Heater off', body: 'Heater is off; 14 °C', from: 'Contoso Kiln' },
        ...{ createdAt: '08.05.2026 10:00', priority: 'Normal' },
      },
    ],
  ],
  [
    'Linear: export of issues as CSV',
    'linear-issues.csv',
    [
      {
        ...{
          id: 'CS-9',
          subject: 'Login loop',
          body: 'User is sent back to *login*',
          from: 'ops@example.test',
        },
        ...{ createdAt: '2026-05-09T08:00:00.000Z', priority: 'Urgent', tags: ['Bug', 'Login'] },
      },
    ],
  ],
  [
    'Trello: export of a board as CSV',
    'trello-cards.csv',
    [
      {
        ...{ id: '5f1a', subject: 'Broken link on page', tags: ['web (red)', 'urgent (blue)'] },
        body: 'The link "help" is broken.\n\n[attachment: shot.png]\n[attachment: log.txt]',
        fields: { 'List Name': 'Inbox', 'Attachment Count': '2' },
      },
    ],
  ],
  [
    'Redmine: issues as CSV',
    'redmine-issues.csv',
    [
      {
        ...{ id: '881', subject: 'Cannot print label', body: 'Label printer "Z1" stops', from: 'Lia Moor' },
        ...{ createdAt: '05/10/2026 07:00 AM', priority: 'Normal' },
      },
    ],
  ],
  [
    'Kaggle, Customer Support on Twitter (twcs.csv): the tweets of one thread are one ticket',
    'twitter-twcs.csv',
    [
      {
        ...{ id: '3', subject: '', from: '115712', createdAt: 'Tue Oct 31 22:08:27 +0000 2017' },
        body: '@ShopHelp I did send two messages & no answer',
        thread: [
          ['115712', 'customer', '@ShopHelp is this still the worst service?'],
          ['ShopHelp', 'agent', '@115712 Sorry to hear that. Please DM us.'],
        ],
      },
      {
        ...{ id: '8', subject: '', from: '115713', createdAt: 'Tue Oct 31 21:45:10 +0000 2017' },
        body: '@ShopHelp parcel lost',
        thread: [['ShopHelp', 'agent, later', '@115713 We check it. https://t.example.test/x']],
      },
    ],
  ],
  [
    'Bitext customer support on Hugging Face: the response is not the words of the customer',
    'bitext-support.csv',
    [
      {
        ...{ id: madeOfContent, subject: '', body: 'question about cancelling order {{Order Number}}' },
        fields: { intent: 'cancel_order', response: expect.stringContaining("I've understood") },
      },
      { id: madeOfContent, subject: '', body: 'i have a qestion about cancelling oorder {{Order Number}}' },
    ],
  ],
  [
    'CFPB: consumer complaints as CSV',
    'cfpb-complaints.csv',
    [
      {
        ...{
          id: '3100001',
          subject: 'Problem with a purchase',
          createdAt: '05/11/26',
          tags: ['Older American'],
        },
        body: 'XXXX charged me {$45.00} twice.\nI called on XX/XX/XXXX.',
        fields: { Product: 'Credit card', 'Company response to consumer': 'Closed with explanation' },
      },
    ],
  ],
  [
    'Tobi-Bueck multilingual tickets as JSON lines: breaks are written as backslash and n',
    'multilang.jsonl',
    [
      {
        ...{ id: madeOfContent, subject: 'Router', priority: 'high', tags: ['Network'] },
        body: 'Hello,\n\nthe log is in C:\\new\\router.log\nPlease help.\nAnn',
        fields: { answer: 'Please restart.', queue: 'IT Support' },
      },
    ],
  ],
  [
    'a table of messages with the id of their conversation, as chat tools and warehouses export them',
    'conversation-messages.csv',
    [
      {
        ...{
          id: 'c1',
          subject: 'Broken cup',
          body: 'Blue, please',
          from: 'Eve',
          createdAt: '2026-05-12T08:00:00Z',
        },
        thread: [
          ['Eve', 'customer', 'The cup is broken'],
          ['Ann', 'agent', 'Which colour?'],
        ],
      },
      {
        ...{ id: 'c2', subject: 'Invoice', body: 'Where is my invoice?', from: 'Bob' },
        createdAt: '2026-05-12T08:01:00Z',
      },
    ],
  ],
  [
    'a spreadsheet of German Excel: semicolons, Windows-1252, its own words',
    'german-spreadsheet.csv',
    [
      {
        ...{ id: '1', subject: 'Rückgabe', body: 'Der Stuhl ist beschädigt;\nbitte um Rückruf.' },
        ...{ from: 'müller@example.test', createdAt: '03.04.2026', priority: 'hoch' },
      },
      { id: '2', subject: '', body: 'Wann kommt das Paket?', createdAt: '04.04.2026' },
    ],
  ],
  [
    'answers of Google Forms: the question is the header',
    'form-answers.csv',
    [
      {
        ...{
          id: madeOfContent,
          subject: '',
          body: 'My order came without the lid.',
          from: 'fay@example.test',
        },
        createdAt: '5/13/2026 8:01:02',
        fields: { 'Do you have an order number?': '5512', 'Your full name': 'Fay Ruiz' },
      },
    ],
  ],
  [
    'a plain spreadsheet of mails: HTML, signature, quotations, and a priority in numbers nobody explained',
    'mail-thread.csv',
    [
      {
        ...{ id: 'm1', subject: 'Re: Lid', from: 'fay@example.test', createdAt: '03/05/2026' },
        body: 'The lid is missing.\n\n[signature]\n--\nFay\nKiln Ltd\n\n[quoted mail]\nAm 3. Mai 2026 um 10:00 schrieb Shop <help@example.test>:\n\n> It was sent.',
        fields: { priority: '2' },
      },
      {
        ...{ id: 'm2', subject: 'Re: Lid', from: 'fay@example.test', createdAt: '03/05/2026' },
        body: 'Inline, see below.\n\n> Which lid?\nThe big one.\n> Which order?\n5512',
        fields: { priority: '1' },
      },
      {
        ...{ id: 'm3', subject: 'Fwd', from: 'fay@example.test', createdAt: '03/05/2026' },
        body: '> all of it is quoted\n> and stays',
      },
    ],
  ],
];

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
  const tables = shapes.filter(
    ([, file]) => file.endsWith('.csv') && !/twcs|messages|mail-thread/.test(file),
  );

  it.each(tables)('%s', async (_, file) => {
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

  it('names every export that is recognised, in the order of recognising', () => {
    const first = page.split('\n').flatMap((line) => /^\| ([^|]+?) \| .*`/.exec(line)?.[1] ?? []);
    const names = [...helpdesks, ...dataSets].map(({ name }) => name);
    expect(first.slice(0, names.length)).toEqual(names);
  });
});
