import type { Shaped } from './expected.ts';

/** Service desks, issue trackers and CRMs. */
export const trackers: readonly Shaped[] = [
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
];
