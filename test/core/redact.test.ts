import { describe, expect, it } from 'vitest';
import { findPrivate, type PrivateKind, privateKinds, replaceFindings } from '../../src/core/redact.ts';

/** The text with the kind of each finding in its place. */
const marked = (text: string, kinds: readonly PrivateKind[] = privateKinds): string =>
  replaceFindings(text, findPrivate(text, kinds), ({ kind }) => `<${kind}>`);

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';
const pem =
  '-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKj34GkxFhD9\nAoGBAKd+/=\n-----END RSA PRIVATE KEY-----';

describe('a card', () => {
  it.each([
    ['My card 4111 1111 1111 1111 exp 12/29', 'My card <card> exp 12/29'],
    ['4111111111111111', '<card>'],
    ['4111-1111-1111-1111.', '<card>.'],
    ['3782 822463 10005 and 371449635398431', '<card> and <card>'],
    ['5555 5555 5555 4444, 2223003122003222', '<card>, <card>'],
    ['3056 9309 0259 04', '<card>'],
    ['6011 0009 9013 9424', '<card>'],
    ['4222222222222', '<card>'],
    ['6304 0000 0000 0000 000', '<card>'],
    ['4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', '<card>'],
    ['4111\t1111\t1111\t1111', '<card>'],
    ['4111  1111 - 1111  1111', '<card>'],
    ['card=4111111111111111&cvv=1', 'card=<card>&cvv=1'],
    ['{"pan":4111111111111111}', '{"pan":<card>}'],
    ['卡号4111111111111111。', '卡号<card>。'],
    ['Kim,4111111111111111,12/29,123', 'Kim,<card>,12/29,123'],
    ['[17,4111111111111111,5555555555554444]', '[17,<card>,<card>]'],
    // Digits of other scripts, full width, characters that do not show, blanks and dashes of all kinds.
    ['４１１１ １１１１ １１１１ １１１１', '<card>'],
    ['٤١١١ ١١١١ ١١١١ ١١١١', '<card>'],
    ['𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏 ok', '<card> ok'],
    ['4111\u200b1111\u200d1111\u20601111', '<card>'],
    ['4111\u00a01111\u20111111\u20131111', '<card>'],
    ['④①①①-①①①①-①①①①-①①①①', '<card>'],
  ])('is found in %j', (text, expected) => {
    expect(marked(text, ['card'])).toBe(expected);
  });

  it.each([
    'order 4111111111111112',
    '4111 1111 1111 1112',
    '0000 0000 0000 0000',
    'at 1760000000000 and 1812345678901',
    '2025-10-02 12 30 45 123',
    '20251002123045',
    'arn:aws:sqs:us-west-2:123456789012:queue and us-west-2-123456789012',
    '12345678-1234-4123-8123-123456789012',
    'x4111111111111111 4111111111111111x job_4111111111111111',
    '0.4111111111111111 and 4111111111111111.25',
    '41111111111111114111111111111111',
    'IMEI 356938035643809',
    '4111,1111,1111,1111',
    'rows 10 20 30 40 50 60 70',
    '5512 items, order 9999',
  ])('is not seen in %j', (text) => {
    expect(marked(text, ['card'])).toBe(text);
  });

  it('is hidden whole where another number stands right before it', () => {
    expect(marked('order 5512 4111 1111 1111 1111', ['card'])).not.toContain('1111');
  });
});

describe('an IBAN', () => {
  it.each([
    ['IBAN DE89370400440532013000, key', 'IBAN <iban>, key'],
    ['DE89 3704 0044 0532 0130 00 exp', '<iban> exp'],
    ['de89 3704 0044 0532 0130 00', '<iban>'],
    ['GB29 NWBK 6016 1331 9268 19', '<iban>'],
    ['FR14 2004 1010 0505 0001 3M02 606', '<iban>'],
    ['NO93-8601-1117-947', '<iban>'],
    ['DE89 370400440532013000', '<iban>'],
    ['MT84MALT011000012345MTLCAST001S 5512', '<iban> 5512'],
    ['ＤＥ８９３７０４００４４０５３２０１３０００', '<iban>'],
  ])('is found in %j', (text, expected) => {
    expect(marked(text, ['iban'])).toBe(expected);
  });

  it.each([
    'DE89370400440532013001',
    'DE89 3704 0044 0532 0130',
    'DE893704004405320130001',
    'order AB12 3456',
    'xDE89370400440532013000',
    'dE89370400440532013000',
    'DHL JD014600003RR77',
    '9d3a862f-c37b-4d8c-be58-b93fbb95493d',
    'be58b93fbb95493d',
  ])('is not seen in %j', (text) => {
    expect(marked(text, ['iban'])).toBe(text);
  });
});

describe('a key', () => {
  it.each([
    ['key sk-ant-FAKE-canary-0001', 'key <key>'],
    ['sk-proj-abcDEF1234567890xyz.', '<key>.'],
    ['sk_live_4eC39HqLyjWDarjtT1', '<key>'],
    ['AKIAIOSFODNN7EXAMPLE', '<key>'],
    ['ghp_16C7e42F292c6912E7710c838347Ae178B4a', '<key>'],
    ['github_pat_11ABCDEFG0123456789_abcdefghij', '<key>'],
    ['xoxb-123456789012-abcdefABCDEF', '<key>'],
    [jwt, '<key>'],
    [`token ${jwt}, please`, 'token <key>, please'],
    [`a\n${pem}\nb`, 'a\n<key>\nb'],
    [JSON.stringify({ a: pem, b: 1 }), '{"a":"<key>","b":1}'],
    ['-----BEGIN PRIVATE KEY-----\nMIIBOgIBAAJBAKj34', '<key>'],
    ['Authorization: Bearer canary-token-1', 'Authorization: Bearer <key>'],
    ['bearer abcdefghijklmnopqrstuvwxyz', 'bearer <key>'],
    ['authorization: Basic dXNlcjpwYXNz', 'authorization: Basic <key>'],
    ['api_key=abc12345&x=1', 'api_key=<key>&x=1'],
    ['{"apiKey":"abc12345"}', '{"apiKey":"<key>"}'],
    ['{"m":"api_key=\\"abc12345\\""}', '{"m":"api_key=\\"<key>\\""}'],
    ['AWS_SECRET_ACCESS_KEY = wJalrXUtnFEMI/K7MDENG', 'AWS_SECRET_ACCESS_KEY = <key>'],
    ['password: hunter2', 'password: <key>'],
    ['mot de passe : Secret123', 'mot de passe : <key>'],
    ['Contraseña: Secreto123', 'Contraseña: <key>'],
    ['пароль: qwerty123', 'пароль: <key>'],
    ['パスワード：abc12345', 'パスワード：<key>'],
    ['kennwort = Geheim99', 'kennwort = <key>'],
    ['authorization: a1b2c3d4e5', 'authorization: <key>'],
    ['sk-ant-\u200bFAKE-canary-0001', '<key>'],
  ])('is found in %j', (text, expected) => {
    expect(marked(text, ['key'])).toBe(expected);
  });

  it.each([
    'the bearer of this letter, Bearer certificates',
    'sk-learn-is-a-library-for-learning, ask-anything-at-all-1234567',
    'order A-77, ticket ORD-2024-000123, ref AKIRA12345',
    'password: please reset it. Your token: expired. Secret: the sauce',
    'Authorization: pending. Pre-authorization: declined by my bank. Mot de passe : oublié',
    'token: ORDER-5512, key: A4711-9912-AB',
    '{"inputTokens":1234567,"idempotencyKey":"job_abcdefghij0123456789ab.3.0"}',
    'the API key is missing',
    'eyJust a word.then another',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    'risk-adjusted-returns-2024-overview',
  ])('is not seen in %j', (text) => {
    expect(marked(text, ['key'])).toBe(text);
  });
});

describe('an e-mail address', () => {
  it.each([
    ['from kim@example.test, thanks', 'from <email>, thanks'],
    ["<Kim.O'Neil+tag@mail.example.co.uk>.", '<<email>>.'],
    ['mailto:a@b.co?x', 'mailto:<email>?x'],
    ['jörg@müller.de', '<email>'],
    ['kim＠example．test', '<email>'],
    ['kim\u200b@example.test', '<email>'],
    ['a@b.co,c@d.org', '<email>,<email>'],
    ['x@xn--mller-kva.de.', '<email>.'],
  ])('is found in %j', (text, expected) => {
    expect(marked(text, ['email'])).toBe(expected);
  });

  it.each([
    '@SUM(1+1)',
    'kim@localhost',
    'zod@4.6.7',
    'meet @ 5.30',
    'a @ b.co',
    '@treadle/core',
    'x@y',
    'a.@b.co',
  ])('is not seen in %j', (text) => {
    expect(marked(text, ['email'])).toBe(text);
  });
});

/** What `findPhoneNumbersInText` of libphonenumber-js 1.13 makes of the same table stands in docs/security.md. */
const phones: readonly (readonly [string, string])[] = [
  ['+49 30 1234 is my phone', '<phone> is my phone'],
  ['+49 30 1234567', '<phone>'],
  ['call +1 (212) 555-0123 now', 'call <phone> now'],
  ['+442079460958.', '<phone>.'],
  ['+33 1 23 45 67 89', '<phone>'],
  ['0049 30 1234567', '<phone>'],
  ['030 1234567', '<phone>'],
  ['(0151) 2345-6789', '<phone>'],
  ['0151/23456789', '<phone>'],
  ['01 23 45 67 89', '<phone>'],
  ['01.23.45.67.89', '<phone>'],
  ['020 7946 0958', '<phone>'],
  ['(212) 555-0123', '<phone>'],
  ['212-555-0123 or 1-212-555-0123', '<phone> or <phone>'],
  ['Tel.: 6123456789', 'Tel.: <phone>'],
  ['my mobile is 612 34 56 78', 'my mobile is <phone>'],
  ['phone number: 0301234567', 'phone number: <phone>'],
  ['＋４９ ３０ １２３４５６７', '<phone>'],
];
const noPhones: readonly string[] = [
  'order 5512, ticket 0301234567',
  'order number 030-1234567',
  'Bestellnummer 0301 234567',
  'on 01.02.2024 and 2024-05-01, 01-02-2024 12:30',
  '2024-05-01T12:30:00+02:00',
  '+1.000.000,00 EUR, +12.50',
  '$1,234,567.89 and 0.123456789',
  'rows 100 200 300, 1234567890',
  '112-1234567-1234567',
  '10.0.0.1, 192.168.100.200',
  '12345678-1234-4123-8123-123456789012',
  'version 1.0.20240501',
  'size 200x300x4000',
  'phone 15 Pro, order 1234567',
  'EAN 4006381333931',
  'job_0301234567, #030 1234567',
];

describe('a phone number', () => {
  it.each(phones)('is found in %j', (text, expected) => {
    expect(marked(text, ['phone'])).toBe(expected);
  });

  it('is no part of a longer number in groups', () => {
    for (const text of ['parcel no. 0034 0434 1610 9404 2557', 'scanned 4711 0123 456 789'])
      expect(marked(text, ['phone'])).toBe(text);
  });

  it.each(noPhones)('is not seen in %j', (text) => {
    expect(marked(text, ['phone'])).toBe(text);
  });
});

describe('several in one text', () => {
  it('are each found once', () => {
    const text =
      'Mail ned@example.test or +49 30 1234567: card 4111 1111 1111 1111, IBAN DE89370400440532013000, key sk-ant-FAKE-canary-0001';
    expect(marked(text)).toBe('Mail <email> or <phone>: card <card>, IBAN <iban>, key <key>');
  });

  it.each([
    ['password: 4111111111111111a@example.test', 'password: <key>'],
    ['api_key=kim2@example.test', 'api_key=<key>'],
    ['Tel. 4111 1111 1111 1111', 'Tel. <card>'],
  ])('are one where they overlap: %j', (text, expected) => {
    expect(marked(text)).toBe(expected);
  });

  it('are only those that were asked for', () => {
    const text = 'kim@example.test 4111111111111111';
    expect(marked(text, [])).toBe(text);
    expect(marked(text, ['email'])).toBe('<email> 4111111111111111');
  });
});

describe('a text of a million characters', () => {
  const units = [
    ...[
      '4',
      '4 ',
      '41 ',
      '4111 ',
      '4111-',
      '0',
      '00 ',
      '01 ',
      '(0',
      '+4',
      '212-',
      'DE89',
      'DE89 ',
      'a',
      'a@',
      '@',
    ],
    ...[
      'a.',
      'a@a',
      'a@a.',
      'sk-',
      'sk-ant-',
      'eyJ',
      'eyJaaaaaaaa.',
      'eyJ-',
      'Bearer ',
      'bearer a',
      'api_key=',
      'token=a',
    ],
    ...[
      'password: ',
      '-----BEGIN PRIVATE KEY-----',
      '-----BEGIN ',
      'tel ',
      'tel. 1 ',
      'é',
      '４',
      '\u200b',
      '𝟒',
      '[card 1]',
    ],
    ...['xox', 'authorization: ', 'order #', '+', '(', '- ', '\t', '1.', 'ก'],
  ];

  /** A pattern that looks again and again takes many minutes here, not a moment. */
  it.each(units)('of %j is looked through in linear time', { timeout: 60_000 }, (unit) => {
    const text = unit.repeat(Math.ceil(120_000 / unit.length));
    findPrivate(text, privateKinds);
  });
});
