/** Tags that make a text HTML where nobody said that it is. */
export const blocks = 'html|body|div|p|br|table|tbody|tr|td|ul|ol|li|blockquote|h[1-6]|hr|pre';
export const others =
  'a|abbr|address|article|aside|b|big|button|caption|center|cite|code|col|colgroup|dd|del|dl|dt|em|figcaption|figure|font|footer|form|header|i|img|input|ins|kbd|label|main|mark|nav|q|s|samp|section|small|span|strike|strong|sub|sup|tfoot|th|thead|tt|u|var|wbr';
/** What follows `<` in a whole tag: no angle bracket, and every quote closed, so that none swallows words behind it. */
export const tag = (names: string): string => `/?(?:${names})(?:[\\s/](?:[^<>"']|"[^"<>]*"|'[^'<>]*')*)?>`;

/** Word processors write tags of their own, with a colon; and conditions in comments. */
const silent = '/?[a-z]+:[a-z]+(?:\\s[^<>]*)?>|!doctype[^<>]*>|!\\[[^<>]*\\]>|\\?xml[^<>]*>';
const strayBracket = new RegExp(`<(?!${tag(`${blocks}|${others}`)}|${silent})`, 'gi');

/** Tags that a parser closes by itself, or that hold nothing: they do not nest. */
const flat = /^(?:br|hr|img|input|wbr|col|p|li|tr|td|th|dd|dt)$/i;
const nesting = /<(\/?)([a-z][a-z0-9]*)(?:[\s/][^<>]*)?>/gi;

/** How deep elements nest: every level of a list or quotation adds a mark to each line, and every level takes stack. */
const maxDepth = { list: 10, quote: 5, other: 100 } as const;

function kindOf(name: string): keyof typeof maxDepth {
  if (/^[uo]l$/i.test(name)) return 'list';
  return /^blockquote$/i.test(name) ? 'quote' : 'other';
}

/**
 * HTML that a parser reads in a time that grows with its length, and from which it drops no words: no scripts, styles,
 * comments and pictures inside; a bracket that opens no tag we know is text; elements nested deeper than mails are
 * lose their tags and keep their words.
 */
export function tamed(html: string): string {
  const text = withoutHidden(withoutData(html)).replace(strayBracket, '&lt;');
  const depth = { list: 0, quote: 0, other: 0 };
  return text.replace(nesting, (whole: string, slash: string, name: string) => {
    if (flat.test(name)) return whole;
    const kind = kindOf(name);
    const most = maxDepth[kind];
    const isTooDeep = depth[kind] > most || (slash === '' && depth[kind] === most);
    depth[kind] = Math.max(0, depth[kind] + (slash === '' ? 1 : -1));
    return isTooDeep ? '<br>' : whole;
  });
}

/** Pictures inside a mail are megabytes of letters. */
const withoutData = (html: string): string =>
  html.includes(';base64,') ? html.replace(/data:[\w/+.-]{1,80};base64,[\w+/=\s]*/gi, 'data:') : html;

/** Comments, scripts and styles; one that is never closed is text, because the rest of a mail may stand behind it. */
function withoutHidden(html: string): string {
  let text = between(html, /<!--/g, /-->/g);
  for (const name of ['script', 'style', 'head', 'title']) {
    text = between(text, new RegExp(`<${name}(?=[\\s>])`, 'gi'), new RegExp(`</${name}\\s*>`, 'gi'));
  }
  return text;
}

function between(text: string, open: RegExp, close: RegExp): string {
  let kept = '';
  let at = 0;
  for (;;) {
    open.lastIndex = at;
    const start = open.exec(text)?.index;
    if (start === undefined) break;
    close.lastIndex = start;
    const end = close.exec(text);
    if (end === null) break;
    kept += text.slice(at, start);
    at = end.index + end[0].length;
  }
  return at === 0 ? text : kept + text.slice(at);
}
