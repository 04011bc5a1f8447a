import type { Export } from './exports.ts';

/** The public sets of tickets that people try things with, and tables of messages; checked after the helpdesks. */
export const dataSets: readonly Export[] = [
  {
    name: 'Kaggle, customer support ticket dataset',
    needs: ['ticketid', 'ticketsubject', 'ticketdescription', 'productpurchased'],
  },
  {
    name: 'Tobi-Bueck, multilingual customer support tickets',
    needs: ['body', 'answer', 'queue', 'language'],
    habits: { escapedBreaks: true },
  },
  { name: 'Endava, all tickets', needs: ['title', 'body', 'subcategory1', 'businessservice', 'urgency'] },
  {
    name: 'Customer support on Twitter',
    needs: ['tweetid', 'authorid', 'inbound', 'text', 'inresponsetotweetid'],
    first: { id: ['tweetid'], from: ['authorid'] },
    habits: { html: true },
    answers: { id: 'tweetid', to: 'inresponsetotweetid' },
  },
  {
    name: 'Bitext, customer support',
    needs: ['instruction', 'intent', 'response'],
    first: { body: ['instruction'] },
  },
  {
    name: 'CFPB, consumer complaints',
    needs: ['complaintid', 'consumercomplaintnarrative'],
    first: {
      id: ['complaintid'],
      subject: ['issue'],
      body: ['consumercomplaintnarrative'],
      createdAt: ['datereceived'],
    },
  },
  {
    name: 'messages, a row each',
    needs: [
      'conversationid',
      'messageid',
      'text|body|message|content|extract',
      'role|sendertype|direction|authortype|sender|author|from',
    ],
    first: {
      id: ['conversationid'],
      from: ['senderemail', 'sendername', 'authorname', 'sender', 'author', 'from'],
      body: ['text', 'body', 'message', 'content', 'extract'],
    },
    rowsOf: 'conversationid',
  },
];
