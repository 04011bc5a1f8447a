import { expect, it } from 'vitest';
import { adfText } from '../../src/tickets/adf.ts';

const text = (words: string, ...marks: readonly object[]) => ({ type: 'text', text: words, marks });
const block = (type: string, ...content: readonly unknown[]) => ({ type, content });
const read = (...content: readonly unknown[]) => adfText({ type: 'doc', version: 1, content });

it.each([
  ['paragraphs', [block('paragraph', text('a')), block('paragraph', text('b'))], 'a\n\nb'],
  ['breaks', [block('paragraph', text('a'), { type: 'hardBreak' }, text('b'))], 'a\nb'],
  [
    'links',
    [block('paragraph', text('here', { type: 'link', attrs: { href: 'https://x.test' } }))],
    'here (https://x.test)',
  ],
  ['cards', [block('paragraph', { type: 'inlineCard', attrs: { url: 'https://x.test' } })], 'https://x.test'],
  [
    'lists in lists',
    [
      block(
        'orderedList',
        block(
          'listItem',
          block('paragraph', text('a')),
          block('bulletList', block('listItem', block('paragraph', text('b')))),
        ),
        block('listItem', block('paragraph', text('c'))),
      ),
    ],
    '1. a\n  - b\n2. c',
  ],
  ['quotations', [block('blockquote', block('paragraph', text('a')))], '> a'],
  [
    'tables row by row',
    [
      block(
        'table',
        block(
          'tableRow',
          block('tableHeader', block('paragraph', text('a'))),
          block('tableCell', block('paragraph', text('b'))),
        ),
      ),
    ],
    'a | b',
  ],
  ['code', [block('codeBlock', text('x\ny'))], 'x\ny'],
  ['images', [block('mediaSingle', { type: 'media', attrs: { alt: 'crack.png' } })], '[image: crack.png]'],
  ['nothing', [], ''],
  ['what is unknown', [block('panel', block('paragraph', text('a'))), { type: 'rule' }, 7, null], 'a\n\n'],
])('documents of Atlassian become text: %s', (_, content, expected) => {
  expect(read(...content)?.trimEnd()).toBe(expected.trimEnd());
});

it('a document nested too deep says so, and ends', () => {
  let nested: unknown = block('paragraph', text('deep'));
  for (let level = 0; level < 100_000; level += 1) nested = block('blockquote', nested);
  expect(read(nested)).toContain('[nested too deep to be read]');
});

it.each([['text'], [{ type: 'paragraph', content: [] }], [{ type: 'doc' }], [null], [7]])(
  '%j is none',
  (value) => {
    expect(adfText(value)).toBeUndefined();
  },
);
