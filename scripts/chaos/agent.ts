import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { Brain } from '../../src/adapters/scripted-model/brain.ts';
import { type Agent, defineAgent, defineTool, type Policy } from '../../src/core/agent.ts';
import { callsOf } from './plan.ts';

export const AGENT = 'chaos';

/** What a tool did to the world, as the referee counts it. */
export interface Effect {
  readonly policy: Policy;
  readonly jobId: string;
  readonly mark: string;
  readonly key: string;
}

/** The longest time that a tool takes before and after its effect: where a kill leaves a call half-done. */
const AROUND_MS = 60;

/** An agent with one tool of each policy. `record` makes an effect durable before it returns. */
export function chaosAgent(steps: number, record: (effect: Effect) => void): Agent {
  const toolOf = (policy: Policy) =>
    defineTool({
      name: policy,
      description: `Does something that is ${policy}`,
      input: z.object({ mark: z.string() }),
      policy,
      timeoutSeconds: 2,
      maxResultBytes: 200,
      run: async ({ mark }, { jobId, idempotencyKey }) => {
        await sleep(Math.random() * AROUND_MS);
        record({ policy, jobId, mark, key: idempotencyKey });
        await sleep(Math.random() * AROUND_MS);
        return { done: mark };
      },
    });
  return defineAgent({
    name: AGENT,
    model: 'scripted-1',
    system: 'You do what the plan says, step by step, until it is done.',
    tools: (['pure', 'idempotent', 'once'] as const).map(toolOf),
    maxOutputTokens: 256,
    limits: { maxSteps: steps, maxTokens: 1_000_000_000, maxConsecutiveFailures: steps + 1 },
  });
}

/** The model: each reply makes the calls that the plan has for it. The same request always gives the same reply. */
export function chaosBrain(steps: number): Brain {
  return ({ messages }) => {
    const step = 1 + messages.filter(({ role }) => role === 'assistant').length;
    const calls = callsOf(step, steps);
    if (calls.length === 0) return { content: [{ type: 'text', text: 'All steps are done.' }] };
    return {
      content: calls.map(({ policy, mark }) => ({ type: 'tool_use', name: policy, input: { mark } })),
    };
  };
}
