import type { Shaped } from './expected.ts';

/** Helpdesks in which customers write mails and chats. */
export const sharedInboxes: readonly Shaped[] = [
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
        ...{ id: '3202', subject: 'Invoice 88 missing', body: '', subjectOnly: true },
        ...{ from: 'jo@example.test', createdAt: '2026-03-05 10:00' },
      },
    ],
  ],
  [
    'Zendesk: export of tickets as CSV',
    'zendesk-tickets.csv',
    [
      {
        ...{ id: '3301', subject: 'Late parcel', body: 'Where is 88?\n\n[quoted mail]\n> we shipped it' },
        ...{
          from: 'ida@example.test',
          createdAt: '2026-04-01 10:00',
          priority: 'High',
          tags: ['late', 'vip'],
        },
        fields: { status: undefined, Status: 'open', 'Order number [txt]': '88' },
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
];
