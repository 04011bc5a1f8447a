import type { Brain } from '../../adapters/scripted-model/brain.ts';
import { docsBrain } from './docs.ts';
import { ordersBrain } from './orders.ts';
import { reactBrain } from './react.ts';
import { refundsBrain } from './refunds.ts';
import { triageBrain } from './triage.ts';

/** One set of rules per shipped agent, known by the tools that a request offers. To add one, add its file and an entry here. */
const brains: readonly Brain[] = [triageBrain, ordersBrain, docsBrain, refundsBrain, reactBrain];

/** Plays the model for the shipped agents; undefined for every other. */
export const exampleBrain: Brain = (request) => {
  for (const brain of brains) {
    const reply = brain(request);
    if (reply !== undefined) return reply;
  }
  return undefined;
};
