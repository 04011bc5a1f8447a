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

  it('keeps the same object used twice, which is no cycle', () => {
    const shared = { a: 1 };
    expect(toResultText([shared, shared], 1_000).text).toBe('[{"a":1},{"a":1}]');
  });
});

describe('a cut', () => {
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
