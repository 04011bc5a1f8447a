import { defineAgent, defineTool } from 'treadle';
import * as z from 'zod';

const search = defineTool({
  name: 'search_kb',
  description: 'Searches',
  input: z.object({ query: z.string() }),
  policy: 'pure',
  run: ({ query }) => `about ${query}`,
});

/** An agent that goes on for as long as its model asks it to, within sixty steps. */
export const agents = [
  defineAgent({
    name: 'walker',
    model: 'scripted-1',
    system: 'Walk.',
    tools: [search],
    limits: { maxSteps: 60, maxCostUsd: 5, maxTokens: 10_000_000 },
  }),
];
