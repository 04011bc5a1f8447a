/** Tags that make a text HTML where nobody said that it is. */
export const blocks = 'html|body|div|p|br|table|tbody|tr|td|ul|ol|li|blockquote|h[1-6]|hr|pre';
export const others =
  'a|abbr|address|article|aside|b|big|button|caption|center|cite|code|col|colgroup|dd|del|dl|dt|em|figcaption|figure|font|footer|form|header|i|img|input|ins|kbd|label|main|mark|nav|q|s|samp|section|small|span|strike|strong|sub|sup|tfoot|th|thead|tt|u|var|wbr';
/** Characters and quoted values inside one tag: what is longer is no tag, and a pattern that runs over megabytes would overflow. */
const MAX_ATTRIBUTES = 10_000;
/** What follows `<` in a whole tag: no angle bracket, and every quote closed, so that none swallows words behind it. */
export const tag = (names: string): string =>
  `/?(?:${names})(?:[\\s/](?:[^<>"']|"[^"<>]*"|'[^'<>]*'){0,${MAX_ATTRIBUTES}})?>`;

/** Word processors write tags of their own, with a colon; and conditions in comments. */
const silent = '/?[a-z]+:[a-z]+(?:\\s[^<>]*)?>|!doctype[^<>]*>|!\\[(?:if|else|endif)[^<>]*\\]>|\\?xml[^<>]*>';
const strayBracket = new RegExp(`<(?!${tag(`${blocks}|${others}`)}|${silent})`, 'gi');

/** Tags that hold nothing. */
const empty: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input', 'wbr', 'col']);
const anyTag = /<(\/?)([a-z][a-z0-9]*)(?:[\s/][^<>]*)?>/gi;
const layout = [
  'div',
  'ul',
  'ol',
  'dl',
  'table',
  'form',
  'pre',
  'blockquote',
  'section',
  'article',
  'header',
];
/** What a parser closes when such a tag opens. */
const closedBy: Readonly<Record<string, readonly string[]>> = {
  ...{ li: ['li'], tr: ['tr', 'th', 'td'], th: ['th'], td: ['th', 'td'], dt: ['dt', 'dd'], dd: ['dt', 'dd'] },
  ...Object.fromEntries(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', ...layout].map((name) => [name, ['p']])),
};

/** How deep elements nest; of these every level adds a mark to each of their lines. */
const MAX_DEPTH = 100;
const maxOfKind: Readonly<Record<string, number>> = { ul: 10, ol: 10, blockquote: 5 };

/** HTML without what nobody reads: scripts, styles, comments and pictures inside. */
export const shownOf = (html: string): string => withoutHidden(withoutData(html));

/**
 * HTML that a parser reads in a time that grows with its length, and from which it drops no words: a bracket that opens no tag we know is text; elements nested deeper than mails are
 * lose their tags and keep their words, and so does a tag that closes nothing.
 */
export function tamed(html: string): string {
  const text = html.replace(strayBracket, '&lt;');
  const open: string[] = [];
  return text.replace(anyTag, (whole: string, slash: string, written: string) => {
    const name = written.toLowerCase();
    if (empty.has(name)) return whole;
    if (slash !== '') {
      const at = open.lastIndexOf(name);
      if (at >= 0) open.length = at;
      return at >= 0 ? whole : '';
    }
    while (closedBy[name]?.includes(open.at(-1) ?? '') === true) open.pop();
    const most = maxOfKind[name];
    const isTooDeep = most !== undefined && open.filter((one) => one === name).length >= most;
    if (isTooDeep || open.length >= MAX_DEPTH) return '<br>';
    open.push(name);
    return whole;
  });
}

/**
 * Pictures inside a mail are megabytes of letters. Those written over several lines fill each but the last: words behind
 * one are shorter.
 */
const withoutData = (html: string): string =>
  html.includes(';base64,')
    ? html.replace(/data:[\w/+.-]{1,80};base64,[\w+/=]*(?:\s{1,3}[\w+/=]{40,})*/gi, 'data:')
    : html;

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
