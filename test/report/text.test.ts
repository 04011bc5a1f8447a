import { expect, it } from 'vitest';
import { shown } from '../../src/core/printed.ts';
import { markup } from '../../src/report/markup.ts';
import { cut, oneLine, textOfValue, titleOf } from '../../src/report/text.ts';

it.each([
  ['a mark that turns the direction', 'pay \u202e00.21\u202c now', 'pay [U+202E]00.21[U+202C] now'],
  ['an isolate', '\u2066x\u2069', '[U+2066]x[U+2069]'],
  ['control characters', 'a\u0000b\u001b[31mc', 'ab[31mc'],
  ['half a character', 'a\ud83d', 'a\ufffd'],
  ['the marks that right-to-left text needs', '\u200fشكرا\u200f', '\u200fشكرا\u200f'],
  ['joined emoji', '👩‍👩‍👧', '👩‍👩‍👧'],
] as const)('shows %s', (_, text, expected) => {
  expect(shown(text)).toBe(expected);
});

it('escapes what stands in a hole, in text, attributes and lists, and leaves markup as it is', () => {
  const hostile = '<b a="1">&\'';
  const safe = '&lt;b a=&quot;1&quot;&gt;&amp;&#39;';
  expect(String(markup`<p title="${hostile}">${[hostile, markup`<i>${hostile}</i>`]}</p>`)).toBe(
    `<p title="${safe}">${safe}<i>${safe}</i></p>`,
  );
});

it.each([
  [4, 'abcd', 'abcd'],
  [3, 'abcd', 'abc… (1 more characters)'],
  [2, 'a💥b', 'a… (3 more characters)'],
] as const)('cuts after %i characters, and says how many are missing', (most, text, expected) => {
  expect(cut(text, most)).toBe(expected);
});

it('makes one line of a text, and cuts it with an ellipsis', () => {
  expect(oneLine(' a\n\tb ', 3)).toBe('a b');
  expect(oneLine('abcd', 3)).toBe('ab…');
  expect(oneLine(`${' '.repeat(5_000)}late`, 10)).toBe('');
});

it.each([
  ['route_to', 'Route to'],
  ['needsHuman', 'Needs human'],
  ['category', 'Category'],
] as const)('writes the name %s as %s', (name, title) => {
  expect(titleOf(name)).toBe(title);
});

it.each([
  ['text', 'text', 'text'],
  [
    'text blocks',
    [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ],
    'a\nb',
  ],
  ['data', { a: [1, null] }, '{"a":[1,null]}'],
  ['an empty list', [], '[]'],
  ['nothing', undefined, ''],
] as const)('writes %s', (_, value, expected) => {
  expect(textOfValue(value)).toBe(expected);
});
