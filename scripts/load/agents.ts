import { defineAgent } from 'treadle';

/** One reply, no tools: what is measured is the batch, not the agent. */
export const agents = [
  defineAgent({
    name: 'one-step',
    model: 'scripted-1',
    system: 'Answer in one word.',
    maxOutputTokens: 256,
    tools: [],
    limits: { maxSteps: 2, maxCostUsd: 0.02 },
  }),
];
