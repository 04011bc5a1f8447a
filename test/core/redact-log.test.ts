import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { embeddedMetrics } from '../../src/core/metrics.ts';
import { redactLine, redactText } from '../../src/core/redact-log.ts';

/** As the adapter writes it. */
const written = (message: string, fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ level: 'info', message, ...fields });
const line = (message: string, fields: Readonly<Record<string, unknown>>): string => {
  const clean = redactLine(message, fields);
  return written(clean.message, clean.fields);
};

const jobId = 'job_Xy2-_9aBcDeFgHiJkLmNo1';
const measures = {
  ...{ queued: 3, running: 1, waiting: 0, ended: 12 },
  ...{ oldestSeconds: 12, due: 3, costMicroUsd: 1_234_567 },
};

describe('a normal log line', () => {
  it.each([
    ['request', { method: 'GET', route: '/jobs/{id}', status: 200, ms: 12, tenant: 'default' }],
    ['request', { method: 'POST', route: '/jobs', status: 201, ms: 1.25, tenant: 'acme-eu' }],
    ['a message became a dead letter', { id: '0f8fad5b-d9cb-469f-a165-70867728950e', reason: 'not JSON' }],
    ['a notice was given up', { of: jobId, key: '3.ended', tries: 12, atMs: 1_760_000_000_000 }],
    [
      'a message could not be sent yet',
      { error: 'RetryableError sqs', message: `job ${jobId}: version 4 expected` },
    ],
    [
      'something due could not be looked at',
      { batchId: 'batch_5AbCdEfGhIjKlMnOpQrStU', of: '#12', error: 'x' },
    ],
    [
      'asked',
      {
        arn: 'arn:aws:sts::123456789012:assumed-role/desk/kim@example.test',
        queue: 'https://sqs.eu-west-2.amazonaws.com/123456789012/treadle',
      },
    ],
    [
      'a tool said',
      { jobId, tool: 'get_order', orderId: '5512', key: `${jobId}.12.0`, inputTokens: 123_456 },
    ],
    ['measured', embeddedMetrics(measures as never, 'treadle', 1_760_000_000_123)],
    [
      '',
      { nothing: null, list: [1, 'a', true], at: new Date(0), deep: { er: { still: [] } }, gone: undefined },
    ],
  ])('stays as it is, byte for byte: %s', (message, fields) => {
    expect(line(message, fields as Record<string, unknown>)).toBe(
      written(message, fields as Record<string, unknown>),
    );
    expect(redactLine(message, fields as Record<string, unknown>).message).toBe(message);
  });

  it('keeps twenty thousand ids of every kind that we and AWS make', () => {
    for (let n = 0; n < 20_000; n += 1) {
      const bytes = createHash('sha256').update(`${n}`).digest();
      const hash = bytes.toString('base64url').slice(0, 22);
      const uuid =
        n % 2 === 0
          ? randomUUID()
          : bytes
              .toString('hex')
              .slice(0, 32)
              .replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
      const text = `job_${hash} ${hash} ${uuid} arn:aws:sqs:eu-west-2:123456789012:q-${hash} ${hash}.3.0 ${bytes.toString('hex')} ${randomBytes(12).toString('base64url')}.claimed`;
      expect(redactText(text)).toBe(text);
    }
  });

  it('is not copied', () => {
    const fields = { jobId, deep: { list: [1, 2, { a: 'b' }] } };
    expect(redactLine('x', fields).fields).toBe(fields);
  });
});

describe('a log line that quotes', () => {
  const card = '4111 1111 1111 1111';
  it.each([
    ['in its message', `refused: ${card}`, {}, 'refused: [card]', {}],
    ['in a field', 'x', { message: `card\n${card}` }, 'x', { message: 'card\n[card]' }],
    [
      'deep inside',
      'x',
      { a: [{ b: `\t4111\t1111\t1111\t1111` }], c: 1 },
      'x',
      { a: [{ b: '\t[card]' }], c: 1 },
    ],
    [
      'as a number',
      'x',
      { a: 4_111_111_111_111_111, b: 1_760_000_000_000 },
      'x',
      { a: '[card]', b: 1_760_000_000_000 },
    ],
    ['as a name', 'x', { 'kim@example.test': 1 }, 'x', { '[email]': 1 }],
    ['an IBAN', 'x', { a: 'DE89 3704 0044 0532 0130 00' }, 'x', { a: '[iban]' }],
    [
      'a header',
      'x',
      { headers: { Authorization: 'Bearer abc' } },
      'x',
      { headers: { Authorization: '[key]' } },
    ],
    ['a key', 'x', { a: 'sk-ant-FAKE-canary-0001' }, 'x', { a: '[key]' }],
    ['a value that turns into text', 'x', { a: { toJSON: () => card } }, 'x', { a: '[card]' }],
    ['a phone number, which stays', 'x', { a: '+49 30 1234567' }, 'x', { a: '+49 30 1234567' }],
  ])('what is private, %s, says only its kind', (_, message, fields, cleanMessage, cleanFields) => {
    expect(redactLine(message, fields)).toEqual({ message: cleanMessage, fields: cleanFields });
  });

  it('something too deep to look at is cut there', () => {
    let deep: unknown = card;
    for (let level = 0; level < 30; level += 1) deep = { deep };
    expect(JSON.stringify(redactLine('x', { deep }).fields)).not.toContain('4111');
  });
});
