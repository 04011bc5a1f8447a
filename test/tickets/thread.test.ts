import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/tickets/thread.ts';
import { inTimeOrder, splitThread } from '../../src/tickets/thread.ts';
import { acceptedOf, readAll } from './read-all.ts';

const message = (role: string | undefined, text: string): Message => ({
  text,
  ...(role === undefined ? {} : { role }),
});

/** What becomes of a conversation: the words to answer, then the others in short. */
const split = (body: string, ...messages: readonly Message[]): readonly string[] => {
  const parts = splitThread(body, messages);
  return [parts.body, ...parts.thread.map(({ role, text }) => `${role}: ${text}`)];
};

describe('splitThread', () => {
  it.each([
    ['a description alone', split('Ask'), ['Ask']],
    ['a description that is the first comment', split('Ask', message('customer', 'Ask')), ['Ask']],
    [
      'a description with the beginning of a comment',
      split('Hi', message('agent', 'Hi Ida')),
      ['Hi', 'agent, later: Hi Ida'],
    ],
    [
      'a description that an agent took down',
      split('Ask', message('agent', 'Ask'), message('agent', 'Done')),
      ['Ask', 'agent, later: Done'],
    ],
    [
      'the newest words of the customer',
      split('Ask', message('agent', 'Which?'), message('customer', 'This'), message('note', 'n')),
      ['This', 'customer: Ask', 'agent: Which?', 'note, later: n'],
    ],
    [
      'agents alone',
      split('', message('agent', 'New!'), message('note', 'n')),
      ['', 'agent: New!', 'note: n'],
    ],
    [
      'people nobody named',
      split('', message(undefined, 'a'), message(undefined, 'b')),
      ['b', 'undefined: a'],
    ],
    ['comments nobody named', split('Ask', message(undefined, 'a')), ['Ask', 'reply, later: a']],
  ])('of %s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });
});

describe('inTimeOrder', () => {
  const order = (...times: readonly string[]): string =>
    inTimeOrder(times.map((at) => ({ text: '', at })))
      .map(({ at }) => at)
      .join(' ');

  it.each([
    [order('2026-01-02', '2026-01-01'), '2026-01-01 2026-01-02'],
    [order('1772000002', '1772000001.5'), '1772000001.5 1772000002'],
    [
      order('2026-05-01T09:00:00Z', '2026-05-01T09:30:00+01:00'),
      '2026-05-01T09:30:00+01:00 2026-05-01T09:00:00Z',
    ],
    [order('02/01/2026', '01/02/2026'), '02/01/2026 01/02/2026'],
    [order('2026-01-02', 'yesterday'), '2026-01-02 yesterday'],
  ])('sorts only times that can be read in one way: %s', (found, expected) => {
    expect(found).toBe(expected);
  });
});

describe('comments', () => {
  const threadOf = async (content: string, name: string) =>
    acceptedOf(await readAll(content, name)).map(({ ticket }) => ticket.thread);

  it('of one journal in three columns are said once', async () => {
    const entry = '2026-03-02 09:00:00 - Sam (Additional comments)\nWhich client?';
    const note = '2026-03-02 09:30:00 - Sam (Work notes)\nOld gateway';
    const header = 'number,sys_id,short_description,description,comments,work_notes,comments_and_work_notes';
    const row = `INC1,a,VPN,Drops,"${entry}","${note}","${note}\n\n${entry}"`;
    expect(await threadOf(`${header}\n${row}\n`, 'a.csv')).toEqual([
      [
        { author: 'Sam', role: 'agent, later', text: 'Which client?' },
        { author: 'Sam', role: 'note, later', text: 'Old gateway' },
      ],
    ]);
  });

  it('in a cell that are no journal are one message, as they stand', async () => {
    expect(await threadOf('id,body,comments\n1,Ask,"a; b; c - d (e)"\n', 'a.csv')).toEqual([
      [{ role: 'reply, later', text: 'a; b; c - d (e)' }],
    ]);
  });

  it('that are a number are how many there are', async () => {
    const [row] = acceptedOf(await readAll('id,body,comments\n1,Ask,4\n', 'a.csv'));
    expect(row).toMatchObject({ ticket: { body: 'Ask' }, fields: { comments: '4' } });
    expect(row?.ticket).not.toHaveProperty('thread');
  });

  it('that a map means as another field are no thread, and those beside them still are', async () => {
    const content = 'id,comments,work_notes,articles\n1,The ask,Old gateway,KB-12\n';
    const [row] = acceptedOf(await readAll(content, 'a.csv', { body: ['comments'] }));
    expect(row).toMatchObject({
      ticket: { body: 'The ask', thread: [{ role: 'note', text: 'Old gateway' }] },
      fields: { articles: 'KB-12' },
    });
  });

  it('may stand in JSON as one text', async () => {
    expect(await threadOf('[{"id":1,"body":"Ask","comments":"Called back"}]', 'a.json')).toEqual([
      [{ role: 'reply, later', text: 'Called back' }],
    ]);
  });

  it('are one file where a message is nothing else, and nothing where it is an event', async () => {
    const messages = [
      { role: 'customer', text: '', attachments: [{ name: 'a.png' }, { name: 'b].png', size: 3 }] },
      { role: 'agent', text: null },
    ];
    const [row] = acceptedOf(await readAll(JSON.stringify([{ id: 1, messages }]), 'a.json'));
    expect(row?.ticket).toEqual({
      ...{ id: '1', subject: '' },
      body: '[attachment: a.png]\n[attachment: b .png] (3 bytes)',
    });
  });
});

describe('a priority', () => {
  it.each([
    ['id,body,priority\n1,Ask,2\n', undefined, '2'],
    ['id,body,priority\n1,Ask,P2\n', 'P2', undefined],
    ['id,body,priority\n1,Ask,1 - Critical\n', '1 - Critical', undefined],
    ['number,sys_id,short_description,priority\nINC1,a,Ask,3\n', 'Moderate', undefined],
  ])('in numbers is one only where the export documents them: %j', async (content, priority, field) => {
    const [row] = acceptedOf(await readAll(content));
    expect([row?.ticket.priority, row?.fields['priority']]).toEqual([priority, field]);
  });
});
