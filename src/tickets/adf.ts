import { type Data, firstWord, isData } from './data.ts';

/** Documents are nested by people, in lists and tables; deeper ones are left out, with a note. */
const MAX_LEVELS = 60;

const childrenOf = (node: Data): readonly unknown[] =>
  Array.isArray(node['content']) ? node['content'] : [];

/** Words of one line: what Jira holds between the ends of a paragraph. */
function inline(node: Data): string {
  switch (node['type']) {
    case 'text': {
      const text = typeof node['text'] === 'string' ? node['text'] : '';
      const marks: readonly unknown[] = Array.isArray(node['marks']) ? node['marks'] : [];
      const address = marks
        .filter(isData)
        .map((mark) => firstWord(mark, ['attrs.href']))
        .find((one) => one !== undefined);
      return address === undefined || address === text ? text : `${text} (${address})`;
    }
    case 'hardBreak':
      return '\n';
    case 'mention':
    case 'emoji':
    case 'status':
      return firstWord(node, ['attrs.text', 'attrs.shortName']) ?? '';
    case 'inlineCard':
    case 'blockCard':
      return firstWord(node, ['attrs.url']) ?? '';
    case 'media':
    case 'mediaInline':
      return `[image${named(firstWord(node, ['attrs.alt', 'attrs.title']))}]`;
    default:
      return '';
  }
}

const named = (name: string | undefined): string => (name === undefined ? '' : `: ${name}`);

const inlineTypes: ReadonlySet<unknown> = new Set([
  ...['text', 'hardBreak', 'mention', 'emoji', 'status', 'inlineCard', 'blockCard', 'media', 'mediaInline'],
]);

function linesOf(node: Data, level: number): readonly string[] {
  if (level > MAX_LEVELS) return ['[nested too deep to be read]'];
  const children = childrenOf(node).filter(isData);
  if (children.length > 0 && children.every(({ type }) => inlineTypes.has(type))) {
    return children.map(inline).join('').split('\n');
  }
  const blocks = children.map((child) =>
    inlineTypes.has(child['type']) ? [inline(child)] : linesOf(child, level + 1),
  );
  switch (node['type']) {
    case 'bulletList':
    case 'orderedList':
      return blocks.flatMap((lines, at) => {
        const mark = node['type'] === 'bulletList' ? '- ' : `${at + 1}. `;
        return lines.map((line, row) => (row === 0 ? mark : '  ') + line);
      });
    case 'blockquote':
      return blocks.flat().map((line) => `> ${line}`);
    case 'tableRow':
      return [blocks.map((lines) => lines.join(' ')).join(' | ')];
    case 'table':
    case 'listItem':
      return blocks.flat();
    default:
      return blocks.flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]));
  }
}

/** The text of a document in Atlassian's format, block by block; undefined for any other value. */
export function adfText(value: unknown): string | undefined {
  if (!isData(value) || value['type'] !== 'doc' || !Array.isArray(value['content'])) return undefined;
  return linesOf(value, 1).join('\n');
}
