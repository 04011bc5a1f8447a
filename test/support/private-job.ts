import * as z from 'zod';
import type { World } from '../../src/app/world.ts';
import { type Agent, defineAgent, defineTool } from '../../src/core/agent.ts';
import type { PrivateKind } from '../../src/core/redact.ts';
import type { Model, ModelOutcome, ModelRequest } from '../../src/ports.ts';
import { toolReply } from './fake-model.ts';

/** What the ticket of these tests holds, and what the tools bring to light. */
export const secret = {
  card: '4111 1111 1111 1111',
  iban: 'DE89370400440532013000',
  customer: 'ned@example.test',
  clerk: 'desk@shop.test',
  phone: '+49 30 1234567',
  key: 'sk-ant-FAKE-canary-0001',
} as const;

export const ticket = `Card ${secret.card}, key ${secret.key}. Write to ${secret.customer} or call ${secret.phone}.`;

export const hiddenTicket = 'Card [card 1], key [key 1]. Write to [email 1] or call [phone 1].';

/** What the tools were given, in order. */
export type Seen = { readonly tool: string; readonly input: unknown; readonly key: string }[];

export interface PrivateOptions {
  /** @default all */
  readonly redact?: readonly PrivateKind[];
  readonly maxSteps?: number;
}

/** An agent that looks a customer up, refunds once after approval, and answers by a checked address. */
export function privateAgent(seen: Seen, options: PrivateOptions = {}): Agent {
  const lookup = defineTool({
    name: 'lookup',
    description: 'Finds the account of a customer',
    input: z.object({ email: z.email() }),
    policy: 'pure',
    run: (input, { idempotencyKey: key }) => {
      seen.push({ tool: 'lookup', input, key });
      return { owner: input.email, iban: secret.iban };
    },
  });
  const refund = defineTool({
    name: 'refund',
    description: 'Refunds',
    input: z.object({ card: z.string().regex(/^[\d ]+$/), iban: z.string() }),
    policy: 'once',
    approval: ({ card }) => card === secret.card,
    run: (input, { idempotencyKey: key }) => {
      seen.push({ tool: 'refund', input, key });
      return `Refunded to ${input.card} by ${secret.clerk}`;
    },
  });
  const fail = defineTool({
    name: 'fail',
    description: 'Throws what it was given',
    input: z.object({ words: z.string() }),
    policy: 'pure',
    run: ({ words }) => {
      throw new Error(`cannot take ${words}`);
    },
  });
  return defineAgent({
    name: 'private',
    model: 'claude-sonnet-5',
    system: 'Help.',
    tools: [lookup, refund, fail],
    output: z.object({ email: z.email(), note: z.string() }),
    limits: { maxSteps: options.maxSteps ?? 12, maxCostUsd: 1 },
    redact: options.redact ?? ['phone', 'email', 'key', 'iban', 'card'],
  });
}

export const lookupReply = toolReply(['lookup', { email: '[email 1]' }]);
export const refundReply = toolReply(['refund', { card: '[card 1]', iban: '[iban 1]' }]);
export const answerReply = toolReply([
  'return_answer',
  { email: '[email 1]', note: 'Refunded to [card 1] by [email 2].' },
]);

/** A model that answers by how many replies the request holds, so that a step that is asked again gets the same. */
export function modelBySteps(replies: readonly ModelOutcome[]): { model: Model; asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  const ask = async (request: ModelRequest): Promise<ModelOutcome> => {
    asked.push(request);
    const steps = request.messages.filter(({ role }) => role === 'assistant').length;
    const outcome = replies[Math.min(steps, replies.length - 1)];
    if (outcome?.type !== 'reply') return outcome as ModelOutcome;
    // Ids are unique in a transcript, as those of the API are.
    const content = outcome.reply.content.map((block, at) =>
      block.type === 'tool_use' ? { ...block, id: `toolu_${steps}_${at}` } : block,
    );
    return { ...outcome, reply: { ...outcome.reply, content } };
  };
  return { model: { ask }, asked };
}

/** Whether any of the originals stands in a text, whole or in JSON. */
export const leaks = (text: string): readonly string[] =>
  Object.values(secret).filter((each) => text.includes(each));

export const jobIdOf = (submitted: object): string =>
  'job' in submitted ? (submitted.job as { readonly id: string }).id : '';

/** All that stands in the table of a world, as text. */
export const storedText = (world: World & { readonly table: { readonly all: () => unknown } }): string =>
  JSON.stringify(world.table.all());
