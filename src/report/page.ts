import type { ReportAbout } from './about.ts';
import { count, countOf } from './figures.ts';
import { type Markup, markup, trusted } from './markup.ts';
import { styles } from './styles.ts';

/** Nothing is fetched and nothing runs, whatever a ticket says. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

export function pageStart(title: string): Markup {
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><title>${title}</title><style>${trusted(styles)}</style></head>
<body>
`;
}

/** What was used, and where the whole of it is. */
export function runFooter({ summary }: ReportAbout): Markup {
  const { usage, modelCalls } = summary;
  return markup`<footer><p>${countOf(modelCalls, 'model call')} in this run. Tokens: ${count(usage.inputTokens)} in, ${count(usage.outputTokens)} out,
${count(usage.cacheWriteTokens)} written to the cache, ${count(usage.cacheReadTokens)} read from it. Times are in UTC.</p>
<p>Every ticket is in results.jsonl and results.csv beside this file. Long texts are cut here.</p></footer>
`;
}

export const pageEnd = '</body></html>\n';
