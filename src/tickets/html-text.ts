import { compile, type DomNode, type FormatCallback } from 'html-to-text';
import { cleanText, cutText } from '../core/safe-json.ts';
import { blocks, others, shownOf, tag, tamed } from './tame-html.ts';

const blockTag = new RegExp(`<${tag(blocks)}`, 'i');
const blockTags = new RegExp(`<${tag(blocks)}`, 'gi');
const anyTag = new RegExp(`<${tag(`${blocks}|${others}`)}`, 'i');
const entity = /&(?:[a-z]{2,8}|#\d{1,7}|#x[\da-f]{1,6});/i;
const beginsAsHtml = new RegExp(`^\\s*<(?:!doctype html|!--|${tag(`${blocks}|span|style|head`)})`, 'i');

/**
 * Whether a text is HTML. Where the export is known to write HTML, any tag or entity says so. Elsewhere it takes a
 * tag that lays out text (`<p>`, `<br>`, `<div>`, a table, a list …): at the beginning, or three of them. One
 * `<img …>`, `<b>` or `<order 12>` in a plain text is something the customer typed, and stays as typed.
 */
function isHtml(text: string, known: boolean): boolean {
  if (!text.includes('<')) return known && entity.test(text);
  if (known) return anyTag.test(text) || entity.test(text);
  if (!blockTag.test(text)) return false;
  return beginsAsHtml.test(text) || (text.match(blockTags)?.length ?? 0) >= 3;
}

/** A text as a person reads it: HTML becomes plain text, everything else stays as it is. Fetches nothing. */
export function plainText(text: string, known: boolean): string {
  return isHtml(text, known) ? fromHtml(text) : text;
}

/** Characters of HTML that are read; more is cut, with a note. A ticket takes a quarter of a megabyte of text. */
const MAX_HTML = 500_000;
/** Of more nothing is looked at: tags that are dropped make a text shorter, but not by much. */
const MAX_TAMED = 4 * MAX_HTML;

function fromHtml(html: string): string {
  const all = shownOf(html);
  const begin = all.slice(0, MAX_TAMED);
  const { text, note } = shortened(tamed(begin), all.length - begin.length);
  // A text without a tag that lays it out is laid out by its own lines.
  // Entities may stand for control characters as well.
  const read = cleanText(convert(blockTag.test(text) ? text : text.replaceAll('\n', '<br>')));
  const lines = read.replaceAll('\u00a0', ' ').split('\n');
  const tidy = lines.map((line) => line.trimEnd()).join('\n');
  return `${tidy.replace(/\n{3,}/g, '\n\n').trim()}${note}`;
}

function shortened(text: string, behind: number): { readonly text: string; readonly note: string } {
  const left = Math.max(0, text.length - MAX_HTML) + behind;
  if (left === 0) return { text, note: '' };
  return {
    text: text.slice(0, MAX_HTML),
    note: `\n[cut: ${left} characters of HTML left out]`,
  };
}

const childrenOf = (element: DomNode): readonly DomNode[] => element.children ?? [];
const attribute = (element: DomNode, name: string): string => {
  const attributes: unknown = element.attribs;
  const value: unknown =
    typeof attributes === 'object' && attributes !== null ? Reflect.get(attributes, name) : undefined;
  return typeof value === 'string' ? value.replaceAll(/\s+/g, ' ').trim() : '';
};

/** Images are named, never fetched, and their address is not shown: it may be made to carry something away. */
const image: FormatCallback = (element, _walk, builder) => {
  if (['width', 'height'].some((side) => /^[01](px)?$/.test(attribute(element, side)))) return;
  const path = attribute(element, 'src').split(/[?#]/, 1)[0] ?? '';
  const isInside = path.startsWith('data:');
  const file = isInside ? '' : path.slice(path.lastIndexOf('/') + 1).replace(/^cid:|@.*$/g, '');
  const name = attribute(element, 'alt') || cutText(file, 100).text;
  builder.addInline(name === '' ? '[image]' : `[image: ${name}]`, { noWordTransform: true });
};

const isCell = ({ name = '' }: DomNode): boolean => name === 'td' || name === 'th';
const isLaidOut = (cell: DomNode): boolean =>
  childrenOf(cell).some(({ name = '' }) => /^(p|div|table|ul|ol|h\d|blockquote)$/.test(name));

/** A row is a line, its cells are parted by bars; a cell that holds blocks of its own is layout and has none. */
const row: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 1 });
  let bar = '';
  for (const child of childrenOf(element)) {
    if (isCell(child) && !isLaidOut(child)) {
      if (bar !== '') builder.addInline(bar);
      bar = ' | ';
    }
    walk([child], builder);
  }
  builder.closeBlock({ trailingLineBreaks: 1 });
};

const quote: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 2 });
  walk(element.children, builder);
  builder.closeBlock({ trailingLineBreaks: 2, blockTransform: (text) => text.replace(/^/gm, '> ') });
};

const convert = compile({
  wordwrap: false,
  formatters: { image, row, quote },
  selectors: [
    {
      selector: 'a',
      options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'], noAnchorUrl: true },
    },
    { selector: 'img', format: 'image' },
    { selector: 'blockquote', format: 'quote' },
    { selector: 'table', format: 'block' },
    { selector: 'tr', format: 'row' },
    { selector: 'ul', options: { itemPrefix: '- ' } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'hr', options: { length: 3 } },
  ],
});
