import { describe, expect, it } from 'vitest';
import { type Field, parseMap, plainName, recognise } from '../../src/tickets/columns.ts';
import { known } from '../../src/tickets/known-names.ts';

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

  it.each<[string, Partial<Record<Field, string>>]>([
    ['German', { id: 'Nr.', createdAt: 'Eingang', from: 'Absender', subject: 'Thema', body: 'Beschreibung' }],
    ['German', { id: 'Vorgangsnummer', from: 'Kunde (E-Mail)', priority: 'Wichtigkeit', subject: 'Betreff' }],
    ['French', { id: 'N° ticket', subject: 'Objet', body: 'Description du problème', createdAt: 'Créé le' }],
    ['Spanish', { id: 'Número de ticket', subject: 'Asunto', from: 'Correo', tags: 'Etiquetas' }],
    ['Italian', { subject: 'Oggetto', body: 'Messaggio', from: 'Cliente', createdAt: 'Data di creazione' }],
    ['Portuguese', { subject: 'Assunto', body: 'Descrição', createdAt: 'Criado em', from: 'Cliente' }],
    ['Dutch', { subject: 'Onderwerp', body: 'Bericht', from: 'Klant', createdAt: 'Aangemaakt' }],
    ['Polish', { subject: 'Temat', body: 'Treść', from: 'Klient', priority: 'Priorytet' }],
    ['Japanese', { id: '番号', subject: '件名', body: '本文', from: '顧客', createdAt: '作成日' }],
    ['mail', { id: 'Message-ID', subject: 'Subject', from: 'From', createdAt: 'Date', body: 'Body' }],
  ])('knows the names of a %s table', (_, names) => {
    const { of } = recognise(Object.values(names), {});
    for (const [field, name] of Object.entries(names)) expect(of[field as Field], name).toEqual([name]);
  });

  it('knows a name in decomposed letters, or without its accents', () => {
    for (const name of ['Descripción'.normalize('NFD'), 'descripcion', 'DESCRIPCIÓN']) {
      expect(recognise([name], {}).of.body).toEqual([name]);
    }
  });

  it('has every name in the form in which names are compared, for one field only', () => {
    const names = Object.values(known).flat();
    expect(names.map(plainName)).toEqual(names);
    expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([]);
  });

  it('takes words of two meanings for no field', () => {
    for (const name of ['Data', 'Client', 'Urgence', 'Ticket', 'Anrede']) {
      expect(Object.values(recognise([name], {}).of).flat(), name).toEqual([]);
    }
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
