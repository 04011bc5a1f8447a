import type { Brain } from '../../adapters/scripted-model/brain.ts';
import { triageBrain } from './triage.ts';

/** One set of rules per shipped agent. To add one, add its file and an entry here. */
const brains: readonly Brain[] = [triageBrain];

/** Plays the model for the shipped agents; undefined for every other. */
export const exampleBrain: Brain = (request) => {
  for (const brain of brains) {
    const reply = brain(request);
    if (reply !== undefined) return reply;
  }
  return undefined;
};
