import { expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentDefinition, defineAgent, defineTool, type ToolDefinition } from '../../src/core/agent.ts';

const tool = { name: 'look', description: 'Looks.', input: z.object({}), run: () => 'seen' };
const agent = { name: 'a', model: 'claude-haiku-5-5', system: 'Be short.', tools: [] };

const badTools: readonly (readonly [object, string])[] = [
  [{ policy: 'twice' }, 'tool look: policy Invalid option'],
  [{ timeoutSeconds: 0 }, 'tool look: timeoutSeconds Too small'],
  [{ policy: 'once', maxResultBytes: 300_001 }, 'must be at most 300000 for a once tool'],
  [{ timeout: 5 }, 'tool look: Unrecognized key: "timeout"'],
  [{ expiresInSeconds: 60 }, 'tool look: Unrecognized key: "expiresInSeconds"'],
  [{ approval: { expiresInSecond: 60 } }, 'tool look: approval: Unrecognized key: "expiresInSecond"'],
  [{ approval: { expiresInSeconds: 0 } }, 'tool look: approval: expiresInSeconds Too small'],
  [{ approval: { onExpiry: 'approve' } }, 'tool look: approval: onExpiry Invalid option'],
  [{ name: 'return_answer' }, 'tool return_answer: name return_answer is reserved'],
];

it.each(badTools)('a tool with %j is refused with a sentence that names it', (wrong, words) => {
  const define = (): unknown => defineTool({ ...tool, ...wrong } as ToolDefinition<z.ZodObject>);
  expect(define).toThrow(words);
});

const badAgents: readonly (readonly [object, string])[] = [
  [{ limits: { ceilingUSD: 0.01 } }, 'agent a: limits Unrecognized key: "ceilingUSD"'],
  [{ limits: { maxStep: 3 } }, 'agent a: limits Unrecognized key: "maxStep"'],
  [{ maxCostUsd: 0.01 }, 'agent a: Unrecognized key: "maxCostUsd"'],
  [{ limits: { maxSteps: 0 } }, 'agent a: limits.maxSteps Too small'],
  [
    { model: 'claude-sonnet-4-6', context: { maxTokens: 2_000, keep: 2 } },
    'agent a: context Unrecognized key: "keep"',
  ],
  [{ system: ' ' }, 'agent a: system must not be empty'],
  [{ reviewBelowConfidence: 0.5 }, 'reviewBelowConfidence needs a number "confidence" in output'],
  [{ tools: [defineTool(tool), defineTool(tool)] }, 'agent a: two tools have the same name'],
];

it.each(badAgents)('an agent with %j is refused with a sentence that names it', (wrong, words) => {
  expect(() => defineAgent({ ...agent, ...wrong } as AgentDefinition)).toThrow(words);
});

it('an agent whose every part is named as it should be is taken', () => {
  const approval = { when: () => true, expiresInSeconds: 60, onExpiry: 'stop' } as const;
  const gated = defineTool({ ...tool, policy: 'once', approval, check: () => undefined });
  const output = z.object({ confidence: z.number() });
  const whole = { ...agent, tools: [gated], effort: 'low', output, reviewBelowConfidence: 0.5 } as const;
  expect(defineAgent({ ...whole, limits: { maxSteps: 3 } }).limits.maxSteps).toBe(3);
});
