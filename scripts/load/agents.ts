import { defineAgent } from 'treadle';

/** One reply, no tools: what is measured is the batch, not the agent. */
const oneStep = {
  model: 'scripted-1',
  maxOutputTokens: 256,
  tools: [],
  limits: { maxSteps: 2, maxCostUsd: 0.02 },
} as const;

export const agents = [
  defineAgent({ ...oneStep, name: 'one-step', system: 'Answer in one word.' }),
  /** Its jobs hold a place for longer than the run needs it. */
  defineAgent({ ...oneStep, name: 'long-step', system: 'Think for long.' }),
];
