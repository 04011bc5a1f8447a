import * as z from 'zod';
import { type Agent, defineAgent, defineTool } from '../../core/agent.ts';
import type { ContentBlock } from '../../core/content.ts';
import { builtInPrices } from '../../core/prices.ts';
import type { Random } from '../random.ts';
import type { Cast } from './random-scenario.ts';
import type { Asked, Brain, Reply } from './sim-model.ts';

/** Keys under which `transfer` has taken effect: what its `check` looks up. Emptied before each run. */
const transferred = new Set<string>();

const input = z.object({ n: z.number() });
const common = { description: 'Does it.', input, maxResultBytes: 400, timeoutSeconds: 10 } as const;
const done = ({ n }: { readonly n: number }) => ({ done: n });

const tools = [
  defineTool({ ...common, name: 'look', policy: 'pure', run: done }),
  defineTool({ ...common, name: 'book', policy: 'idempotent', run: done }),
  defineTool({ ...common, name: 'pay', policy: 'once', run: done }),
  defineTool({
    ...common,
    name: 'transfer',
    policy: 'once',
    run: ({ n }, { idempotencyKey }) => {
      transferred.add(idempotencyKey);
      return { done: n };
    },
    check: ({ n }, { idempotencyKey }) =>
      transferred.has(idempotencyKey) ? { done: true, result: { done: n } } : { done: false },
  }),
  defineTool({
    ...common,
    name: 'refund',
    policy: 'once',
    approval: { when: ({ n }) => n % 2 === 0, expiresInSeconds: 600 },
    run: done,
  }),
  defineTool({ ...common, name: 'close', approval: { expiresInSeconds: 300, onExpiry: 'stop' }, run: done }),
];

const limits = { maxSteps: 8, maxCostUsd: 0.2, maxTokens: 200_000, timeoutSeconds: 86_400 };
const model = 'claude-sonnet-5';

/** Two agents with tools of every policy, one that ends in text and one that ends in a checked answer. */
const sampleAgents: readonly Agent[] = [
  defineAgent({ name: 'plain', model, system: 'Work.', tools, maxOutputTokens: 512, limits }),
  defineAgent({
    name: 'form',
    model,
    system: 'Work.',
    tools,
    maxOutputTokens: 512,
    limits,
    output: z.object({ answer: z.string(), confidence: z.number() }),
    reviewBelowConfidence: 0.5,
  }),
];

/** A call with an input that no other reply has, unless the model repeats itself. */
function call(asked: Asked, place: number, name: string, repeats: boolean): ContentBlock {
  const { serial } = asked;
  return {
    type: 'tool_use',
    id: repeats ? 'toolu_1' : `toolu_${serial}_${place}`,
    name,
    input: { n: repeats ? 4 : serial * 10 + place },
  };
}

const text = (words: string): ContentBlock => ({ type: 'text', text: words });

function answerBlock(asked: Asked, valid: boolean): ContentBlock {
  const confidence = asked.random.next();
  return {
    type: 'tool_use',
    id: `answer_${asked.serial}`,
    name: 'return_answer',
    input: valid ? { answer: 'yes', confidence } : { answer: 1 },
  };
}

const names = [
  'look',
  'book',
  'pay',
  'pay',
  'transfer',
  'transfer',
  'refund',
  'refund',
  'close',
  'nothing',
] as const;

function someCalls(asked: Asked, repeats: boolean): readonly ContentBlock[] {
  const { random } = asked;
  return Array.from({ length: random.whole(1, 3) }, (_, place) =>
    call(asked, place, random.pick(names), repeats),
  );
}

function ending(asked: Asked, random: Random, form: boolean): Reply {
  if (!form) return { content: [text('done')] };
  const beside = random.chance(0.25) ? someCalls(asked, false) : [];
  return { content: [...beside, answerBlock(asked, random.chance(0.85))] };
}

/** A model without a plan: it calls, ends, repeats ids and inputs, says nothing, pauses, refuses. */
const wanderingBrain: Brain = (asked) => {
  const { random, request } = asked;
  const form = request.tools.some((tool) => (tool as { name?: string }).name === 'return_answer');
  const odd = random.next();
  if (odd < 0.02) return { content: [], stopReason: 'end_turn' };
  if (odd < 0.04) return { content: [text('wait')], stopReason: 'pause_turn' };
  if (odd < 0.05) return { content: [text('no')], stopReason: 'refusal' };
  if (odd < 0.055) return { content: [], refused: true };
  if (odd < 0.07) return { content: [text('x'.repeat(900))] };
  const replies = request.messages.filter(({ role }) => role === 'assistant').length;
  if (random.chance(0.05 + replies * 0.1)) return ending(asked, random, form);
  return { content: someCalls(asked, random.chance(0.15)) };
};

/** Calls the sample tools of these names, all in one reply, with inputs that no other reply has. */
export const calls =
  (...tools: readonly string[]) =>
  (asked: Asked): Reply => ({ content: tools.map((name, place) => call(asked, place * 2, name, false)) });

/** The sample agents under a model that wanders. The rates are those of `claude-sonnet-5`, written down once more: the referee's own. */
export const sampleCast: Cast = {
  agents: sampleAgents,
  brain: wanderingBrain,
  prices: builtInPrices,
  ratesOf: () => ({ input: 2, output: 10, cacheWrite: 2.5, cacheRead: 0.2 }),
  inputs: ['please', 'please do'],
  reset: () => transferred.clear(),
  judge: () => undefined,
};
