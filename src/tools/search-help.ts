import * as z from 'zod';
import { defineTool } from '../core/agent.ts';
import { type HelpArticle, helpArticles } from './shop-data.ts';

const MAX_HITS = 2;

/** Searches the demo shop's help pages. */
export const searchHelp = defineTool({
  name: 'search_help',
  description:
    'Search the help articles of the shop. The articles are in English, so search with English words. Gives up to two articles, best first; an empty list when nothing fits.',
  input: z.object({ query: z.string().describe('A few English words, for example: return label') }),
  policy: 'pure',
  run: ({ query }) => ({ articles: bestArticles(query) }),
});

/** A word in the title counts three times as much as one in the text; ties keep the order of the pages. */
function bestArticles(query: string): readonly HelpArticle[] {
  const words = [...new Set(query.toLowerCase().match(/[a-z]{3,}/g) ?? [])];
  const rated = helpArticles.map((article) => ({ article, score: scoreOf(article, words) }));
  return rated
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, MAX_HITS)
    .map(({ article }) => article);
}

function scoreOf(article: HelpArticle, words: readonly string[]): number {
  const title = article.title.toLowerCase();
  const text = article.text.toLowerCase();
  return words.reduce(
    (score, word) => score + (title.includes(word) ? 3 : 0) + (text.includes(word) ? 1 : 0),
    0,
  );
}
