import { describe, expect, it } from 'vitest';
import { type Field, parseMap, recognise } from '../../src/tickets/columns.ts';

describe('recognise', () => {
  it.each<[Field, string[]]>([
    ['id', ['id', 'ID', 'ticket_id', 'Ticket ID', 'Issue key', 'number', 'Key', 'case-number']],
    ['subject', ['subject', 'Title', 'Summary', 'Ticket Subject', 'short_description', 'fields.summary']],
    ['body', ['body', 'Description', 'message', 'text', 'Content', 'Ticket Description', 'source.body']],
    [
      'from',
      ['from', 'Requester', 'requester_email', 'Customer Name', 'email', 'Reporter', 'customer.email'],
    ],
    ['createdAt', ['created', 'Created at', 'created_at', 'date', 'Created time']],
    ['priority', ['priority', 'Ticket Priority']],
    ['tags', ['tags', 'Labels', 'tag_1', 'tag_8']],
    ['updatedAt', ['updated', 'updated_at', 'Last update time']],
    ['deleted', ['deleted', 'is_deleted', 'Deleted At']],
  ])('finds %s', (field, names) => {
    for (const name of names) expect(recognise([name], {}).of[field], name).toEqual([name]);
  });

  it.each(['Customer Age', 'Ticket Type', 'Date of Purchase', 'Contact ID', 'tag', 'status', ''])(
    'takes "%s" for no text',
    (name) => {
      const { of } = recognise([name], {});
      expect([...of.id, ...of.subject, ...of.body, ...of.from]).toEqual([]);
    },
  );

  it('puts the most telling column first', () => {
    const { of } = recognise(['Issue id', 'Issue key', 'customer name', 'email'], {});
    expect(of.id).toEqual(['Issue key', 'Issue id']);
    expect(of.from).toEqual(['email', 'customer name']);
  });

  it('gives a mapped column to no other field', () => {
    const { of, mapped } = recognise(['title', 'text', 'Note'], parseMap('body=title,subject=note'));
    expect(of).toMatchObject({ body: ['title'], subject: ['Note'] });
    expect([...mapped]).toEqual(['subject', 'body']);
  });
});

describe('parseMap', () => {
  it('reads fields and columns', () => {
    expect(parseMap('subject=Title, body=Text,body=a=b')).toEqual({
      subject: ['Title'],
      body: ['Text', 'a=b'],
    });
  });

  it('knows a field by its other names', () => {
    expect(parseMap('description=Text,created_at=When')).toEqual({ body: ['Text'], createdAt: ['When'] });
  });

  it.each([
    ['', '"" is not FIELD=COLUMN'],
    ['subject', '"subject" is not FIELD=COLUMN'],
    ['subject=', '"subject=" is not FIELD=COLUMN'],
    ['=Title', '"=Title" is not FIELD=COLUMN'],
    ['body=a,,', '"" is not FIELD=COLUMN'],
    ['colour=Title', 'there is no field "colour"; there are: id, subject, body'],
  ])('refuses "%s" naming what is wrong', (text, problem) => {
    expect(() => parseMap(text)).toThrow(expect.objectContaining({ code: 'invalid_map' }));
    expect(() => parseMap(text)).toThrow(problem);
  });
});
