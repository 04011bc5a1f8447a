import * as z from 'zod';
import { type Agent, defineAgent, defineTool, type Tool, type ToolDefinition } from '../../src/core/agent.ts';

/** What the reference tools did: how often each ran, and every refund by its key. */
export interface Effects {
  readonly runs: Map<string, number>;
  readonly refunds: { readonly key: string; readonly orderId: string; readonly amountCents: number }[];
}

export function newEffects(): Effects {
  return { runs: new Map(), refunds: [] };
}

const blobs: Readonly<Record<string, () => unknown>> = {
  cycle: () => {
    const self: Record<string, unknown> = { name: 'loop' };
    self['self'] = self;
    return self;
  },
  map: () => new Map([['a', 1]]),
  error: () => new RangeError('out of range'),
  to_json_throws: () =>
    new (class Broken {
      toJSON(): never {
        throw new Error('no json');
      }
    })(),
  nested: () => {
    let value: unknown = 'deep';
    for (let level = 0; level < 2_000; level += 1) value = { value };
    return value;
  },
  nan: () => NaN,
  numbers: () => [NaN, -Infinity, -0],
  minus_infinity: () => -Infinity,
  minus_zero: () => -0,
  lone: () => 'cut \ud83d end',
  nul: () => 'W\u0000s\u0000l\u0000',
};

function refundTool(count: (name: string) => void, effects: Effects): Tool {
  return defineTool({
    name: 'issue_refund',
    description: 'Refund an order',
    input: z.object({ orderId: z.string(), amountCents: z.int(), reason: z.string().optional() }),
    policy: 'once',
    approval: true,
    run: ({ orderId, amountCents }, { idempotencyKey }) => {
      count('issue_refund');
      effects.refunds.push({ key: idempotencyKey, orderId, amountCents });
      return { refunded: amountCents };
    },
  });
}

/** The reference tools, counting what they do. `change` replaces parts of a tool's definition. */
export function fieldTools(effects: Effects, options: FieldOptions = {}): readonly Tool[] {
  const count = (name: string): void => void effects.runs.set(name, (effects.runs.get(name) ?? 0) + 1);
  const maxResultBytes = options.maxResultBytes ?? 20_000;
  return [
    defineTool({
      name: 'search_kb',
      description: 'Search the knowledge base',
      input: z.object({ query: z.string(), limit: z.number().optional() }),
      policy: 'pure',
      maxResultBytes,
      run: (input) => {
        count('search_kb');
        return options.search?.(input) ?? { hits: [`about ${input.query}`] };
      },
    }),
    defineTool({
      name: 'lookup_order',
      description: 'Look up an order by its id',
      input: z.object({ orderId: z.string() }),
      policy: 'pure',
      run: ({ orderId }) => {
        count('lookup_order');
        return { orderId, status: 'completed' };
      },
    }),
    defineTool({
      name: 'set_priority',
      description: 'Set the priority of a ticket',
      input: z.object({ ticketId: z.string(), priority: z.enum(['P1', 'P2', 'P3', 'P4']) }),
      policy: 'idempotent',
      run: () => {
        count('set_priority');
        return 'ok';
      },
    }),
    refundTool(count, effects),
    defineTool({
      name: 'slow_tool',
      description: 'Takes a while',
      input: z.object({ ms: z.number() }),
      policy: 'pure',
      run: async ({ ms }, { signal }) => {
        count('slow_tool');
        await new Promise((resolve) => {
          const timer = setTimeout(resolve, ms);
          signal.addEventListener('abort', () => {
            clearTimeout(timer);
            resolve(undefined);
          });
        });
        return 'slept';
      },
    }),
    defineTool({
      name: 'fail_tool',
      description: 'Throws',
      input: z.object({ message: z.string() }),
      policy: 'pure',
      run: ({ message }) => {
        count('fail_tool');
        throw new Error(message);
      },
    }),
    defineTool({
      name: 'big_result',
      description: 'Answers with many bytes',
      input: z.object({ kb: z.number(), thai: z.boolean().optional() }),
      policy: 'pure',
      run: ({ kb, thai }) => {
        count('big_result');
        return thai === true ? 'ก'.repeat(kb * 1_000) : 'x'.repeat(kb * 1_000);
      },
    }),
    defineTool({
      name: 'echo_blob',
      description: 'Answers with an odd value',
      input: z.object({ kind: z.string() }),
      policy: 'pure',
      run: ({ kind }) => {
        count('echo_blob');
        return blobs[kind]?.();
      },
    }),
  ];
}

export interface FieldOptions {
  readonly limits?: Partial<Agent['limits']>;
  readonly context?: { readonly maxTokens: number };
  readonly maxOutputTokens?: number;
  readonly maxResultBytes?: number;
  readonly search?: (input: { readonly query: string }) => unknown;
  readonly output?: z.ZodObject;
  readonly tools?: readonly Tool[];
}

/** The reference agents of the field cases: `field`, and `field_triage` for one ticket row. */
export function fieldAgents(effects: Effects, options: FieldOptions = {}): readonly Agent[] {
  const { limits, context, output } = options;
  const common = {
    model: 'scripted-1',
    system: 'You answer questions about orders with the tools you have.',
    tools: [...fieldTools(effects, options), ...(options.tools ?? [])],
    maxOutputTokens: options.maxOutputTokens ?? 4_096,
    limits: { maxSteps: 50, maxCostUsd: 2, maxTokens: 10_000_000, ...limits },
    ...(context === undefined ? {} : { context }),
    ...(output === undefined ? {} : { output }),
  };
  return [defineAgent({ ...common, name: 'field' }), defineAgent({ ...common, name: 'field_triage' })];
}

export type { ToolDefinition };
