import fc from 'fast-check';
import { expect, it } from 'vitest';
import { emptyItem, hashedText } from '../../src/core/message-item.ts';
import {
  createCover,
  noOriginals,
  type Originals,
  reveal,
  revealJson,
  withHidden,
} from '../../src/core/placeholders.ts';
import { privateKinds } from '../../src/core/redact.ts';

function covered(
  text: string,
  known: Originals = noOriginals,
): { readonly text: string; readonly known: Originals } {
  const cover = createCover(privateKinds, known);
  const hiding = cover.hide(text);
  const hidden = cover.hidden();
  return { text: hiding, known: hidden === undefined ? known : withHidden(known, hidden) };
}

const words = fc.constantFrom(
  ...[
    '4111 1111 1111 1111',
    'DE89370400440532013000',
    'kim@example.test',
    'lou@example.test',
    '+49 30 1234567',
  ],
  ...[
    'sk-ant-FAKE-canary-0001',
    'api_key=abc12345',
    '[card 1]',
    '[~card 1]',
    '[email 2]',
    '[~~',
    'card 1]',
    '~',
    '[',
    ']',
  ],
  ...[' ', '\n', '"', '\\', 'x', '１', '\u200b', '@', '['],
);
const texts = fc
  .array(fc.oneof(words, fc.string({ unit: 'grapheme' })), { maxLength: 30 })
  .map((parts) => parts.join(''));

it('gives back what it hid, whatever the text, and in JSON as well', () => {
  fc.assert(
    fc.property(texts, texts, (first, second) => {
      const one = covered(first);
      const two = covered(second, one.known);
      expect(reveal(one.text, two.known)).toBe(first);
      expect(reveal(two.text, two.known)).toBe(second);
      expect(JSON.parse(revealJson(JSON.stringify({ [two.text]: [two.text] }), two.known))).toEqual({
        [second]: [second],
      });
    }),
    { numRuns: 2_000 },
  );
});

it('numbers each kind in the order of first appearance, and the same alike, over several texts', () => {
  const one = covered('kim@example.test 4111111111111111 lou@example.test kim@example.test');
  expect(one.text).toBe('[email 1] [card 1] [email 2] [email 1]');
  expect(covered('max@example.test 5555555555554444 lou@example.test', one.known).text).toBe(
    '[email 3] [card 2] [email 2]',
  );
});

it('hides nothing new without saying so', () => {
  const cover = createCover(['email'], covered('kim@example.test').known);
  expect(cover.hide('kim@example.test')).toBe('[email 1]');
  expect(cover.hidden()).toBeUndefined();
});

it('a transcript of the same words that hides something else has another hash', () => {
  const item = { ...emptyItem(0, 0), user: 'x' };
  expect(hashedText('', { ...item, hidden: '[["card","1"]]' })).not.toBe(hashedText('', item));
  expect(hashedText('', { ...item, hidden: '[["card","1"]]' })).not.toBe(
    hashedText('', { ...item, hidden: '[["card","2"]]' }),
  );
  expect(hashedText('h', item)).toBe('h\nx\n');
});

it('hides a key wherever it stands in the text that names it, and later', () => {
  const first = covered('Hunter22x was new. My password: Hunter22x. I type Hunter22x, "Hunter22x": no.');
  expect(first.text).toBe('[key 1] was new. My password: [key 1]. I type [key 1], "[key 1]": no.');
  expect(covered('Still Hunter22x?', first.known).text).toBe('Still [key 1]?');
  const both = createCover(['key'], noOriginals);
  expect([both.hide('api_key=abc12345'), both.hide('abc12345 fails')]).toEqual([
    'api_key=[key 1]',
    '[key 1] fails',
  ]);
});
