import { expect } from 'vitest';
import type { Shaped } from './expected.ts';

const madeOfContent = expect.stringMatching(/^row-[0-9a-f]{12}$/);

/** Public sets of tickets, and spreadsheets. */
export const tables: readonly Shaped[] = [
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
