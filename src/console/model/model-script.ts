import type { Message, Step } from './step.ts';
import { isObject } from './text.ts';

/** A script of the scripted model: one answer for each request of a conversation. */
export interface ModelScript {
  readonly name: string;
  readonly note: string;
  readonly turns: readonly { readonly http: 200; readonly body: Readonly<Record<string, unknown>> }[];
}

type Blocks = readonly Readonly<Record<string, unknown>>[];

/**
 * The replies of a job as a script that gives them again, in the same order and with the same usage. The transcript has
 * them exactly; a reply that was cut or refused is in the steps only, and is made again from there.
 */
export function modelScriptOf(
  job: { readonly id: string; readonly agent: string },
  model: string,
  steps: readonly Step[],
  messages: readonly Message[],
): ModelScript {
  const replies = messages.filter(({ role }) => role === 'assistant').map(({ content }) => content as Blocks);
  let next = 0;
  const turns = steps.map((step) => {
    const exact = replies[next];
    const kept = exact !== undefined && isReplyOf(exact, step);
    if (kept) next += 1;
    const { stopReason, usage } = step.model;
    const body = {
      id: `msg_${String(step.step).padStart(4, '0')}`,
      ...{ type: 'message', role: 'assistant', model },
      content: kept ? exact : madeAgain(step),
      ...{ stop_reason: stopReason, stop_sequence: null },
      usage: {
        input_tokens: usage.inputTokens,
        output_tokens: usage.outputTokens,
        cache_creation_input_tokens: usage.cacheWriteTokens,
        cache_read_input_tokens: usage.cacheReadTokens,
      },
    };
    return { http: 200 as const, body };
  });
  return { name: job.id, note: `The ${turns.length} replies of ${job.id}, agent ${job.agent}.`, turns };
}

/** Inputs are not compared: the transcript of an agent that hides things has placeholders in them. */
function isReplyOf(content: Blocks, { calls }: Step): boolean {
  const names = content.filter(isCall).map((block) => block['name']);
  return names.length === calls.length && names.every((name, at) => name === calls[at]?.name);
}

const isCall = (block: unknown): boolean => isObject(block) && block['type'] === 'tool_use';

function madeAgain({ step, text, calls }: Step): Blocks {
  const words = text === '' ? [] : [{ type: 'text', text }];
  const uses = calls.map(({ name, input }, at) => ({
    type: 'tool_use',
    id: `toolu_${step}_${at}`,
    name,
    input,
  }));
  return [...words, ...uses];
}
