import { describe, expect, it } from 'vitest';
import { cleanText, cutText, stableJson, toResultText, utf8Bytes } from '../../src/core/safe-json.ts';

const cycle: Record<string, unknown> = { name: 'loop' };
cycle['self'] = cycle;
const nested = Array.from({ length: 2_000 }).reduce<unknown>((value) => ({ value }), 'deep');
class Broken {
  toJSON(): never {
    throw new RangeError('no');
  }
}
const revoked = Proxy.revocable({}, {});
revoked.revoke();
class Point {
  readonly x = 1;
  readonly y = 2;
}

describe('the text of a result', () => {
  it.each([
    ['a string', 'as it is', 'as it is'],
    ['NaN', NaN, 'null'],
    ['infinities and -0 in a list', [NaN, Infinity, -Infinity, -0], '[null,null,null,0]'],
    ['undefined in objects and lists', { a: undefined, b: [undefined, () => 1] }, '{"b":[null,null]}'],
    ['nothing', undefined, 'null'],
    ['a BigInt', { n: 9007199254740993n }, '{"n":"9007199254740993"}'],
    ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['an invalid date', new Date(NaN), 'null'],
    ['a Map', new Map<unknown, unknown>([[1, 'a']]), '{"1":"a"}'],
    ['a Set', new Set([1, 2]), '[1,2]'],
    ['an Error', new RangeError('too far'), '{"error":"RangeError: too far"}'],
    ['an Error without a message', new Error(''), '{"error":"Error: no message"}'],
    ['a cycle', cycle, '{"name":"loop","self":"[circular]"}'],
    ['a toJSON that throws', { a: new Broken() }, '{"a":"[unreadable: RangeError]"}'],
    [
      'a getter that throws',
      {
        get a() {
          return new Broken().toJSON();
        },
        b: 1,
      },
      '{"a":"[unreadable: RangeError]","b":1}',
    ],
    ['a toJSON that throws, by itself', new Broken(), '"[unreadable: RangeError]"'],
    ['a toJSON', { toJSON: () => ({ n: NaN }) }, '{"n":null}'],
    [
      'a toJSON that never ends',
      {
        toJSON() {
          return this;
        },
      },
      '"[circular]"',
    ],
    ['a proxy that is gone', [revoked.proxy], '["[unreadable: TypeError]"]'],
    ['a key without a text', new Map([[Object.create(null), 1]]), '"[unreadable: TypeError]"'],
    [
      'an Error with odd fields',
      Object.assign(new Error('x'), { name: 7, message: undefined }),
      '{"error":"Error: no message"}',
    ],
    ['a typed array', new Uint16Array(4), '"[binary, 8 bytes]"'],
    ['an ArrayBuffer', new ArrayBuffer(5), '"[binary, 5 bytes]"'],
    ['a function', () => 1, 'null'],
    ['a hole in a list', Array(1), '[null]'],
    ['a property named __proto__', JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
    ['texts inside data', { 'k\u0000': ['cut \ud83d', 'a\r\nb'] }, '{"k":["cut \ufffd","a\\nb"]}'],
    ['bytes', Buffer.from('abc'), '"[binary, 3 bytes]"'],
    ['a class instance', new Point(), '{"x":1,"y":2}'],
    ['white space', ' \n ', '(empty result)'],
    ['an empty string', '', '(empty result)'],
  ])('of %s follows its one rule', (_, value, expected) => {
    expect(toResultText(value, 20_000).text).toBe(expected);
  });

  it('marks where a nesting of 2,000 levels was cut', () => {
    expect(toResultText(nested, 20_000).text).toContain('[too deep]');
  });

  it.each([
    ['a list of 4,000 million holes', new Array(2 ** 32 - 1)],
    ['one huge text, 100 times', Array(100).fill('x'.repeat(1_000_000))],
    [
      'lists that double at every level',
      Array.from({ length: 60 }).reduce<unknown>((inner) => [inner, inner], 1),
    ],
    ['a text of 5 MB', 'é\u0000'.repeat(2_500_000)],
  ])('looks only at so much of %s', (_, value) => {
    const { text, cutBytes } = toResultText(value, 1_000);
    expect(utf8Bytes(text)).toBeLessThanOrEqual(1_000);
    expect(text).toContain(`[cut: ${cutBytes} of `);
  });

  it('keeps the same object used twice, which is no cycle', () => {
    const shared = { a: 1 };
    expect(toResultText([shared, shared], 1_000).text).toBe('[{"a":1},{"a":1}]');
  });
});

describe('a cut', () => {
  it.each([0, 1, 10, 40])('keeps to a limit of %i bytes, too small for its note', (max) => {
    expect(utf8Bytes(cutText('x'.repeat(100), max).text)).toBeLessThanOrEqual(max);
  });

  it.each([99, 100, 101, 102, 103])(
    'at %i bytes never splits an emoji and says how much is missing',
    (max) => {
      const { text, cutBytes } = cutText('😀'.repeat(100), max);
      expect(text.isWellFormed()).toBe(true);
      expect(utf8Bytes(text)).toBeLessThanOrEqual(max);
      expect(text).toContain(`[cut: ${cutBytes} of 400 bytes left out]`);
    },
  );

  it('leaves a text of exactly the limit alone', () => {
    expect(cutText('x'.repeat(100), 100)).toEqual({ text: 'x'.repeat(100), cutBytes: 0 });
  });

  it('counts UTF-8 bytes, not characters', () => {
    expect(utf8Bytes('ก')).toBe(3);
    expect(utf8Bytes('é😀\ud83d')).toBe(2 + 4 + 3);
    expect(utf8Bytes('ก'.repeat(400_000))).toBe(1_200_000);
  });
});

it('drops control characters but tab and line feed, and replaces lone surrogates', () => {
  expect(cleanText('W\u0000s\u0007\u001b[31m\r\nx\ty\u0085\u007f cut \ud83d end 😀')).toBe(
    'Ws[31m\nx\ty cut \ufffd end 😀',
  );
});

it('writes equal JSON for equal data whatever the order of keys', () => {
  expect(stableJson({ b: [1, { d: 1, c: undefined }], a: 'x' })).toBe(
    stableJson({ a: 'x', b: [1, { d: 1 }] }),
  );
});

it.each([
  ['other values', { a: 1 }, { a: 2 }],
  ['a date', { at: new Date(0) }, { at: new Date(1) }],
  ['text and number', ['1'], [1]],
  ['neighbours over 2^53', [9007199254740993n], [9007199254740992n]],
  ['null and nothing', { a: null }, {}],
])('writes other JSON for %s', (_, one, other) => {
  expect(stableJson(one)).not.toBe(stableJson(other));
});

it('writes plain data as JSON does, and any depth of it', () => {
  const value = { a: [1, 'x', null, true, { b: [] }], c: {} };
  expect(stableJson(value)).toBe(JSON.stringify(value));
  expect(stableJson([undefined, () => 1, NaN])).toBe('[null,null,null]');
  const deep = Array.from({ length: 50_000 }).reduce<unknown>((inner) => [inner], 1);
  expect(stableJson(deep)).toHaveLength(100_001);
});
