import type { ContentBlock } from '../../src/core/content.ts';
import type { Model, ModelOutcome, ModelRequest } from '../../src/ports.ts';

const usage = {
  input: 100,
  output: 20,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  cacheRead: 0,
  webSearches: 0,
  batchTier: false,
  usOnly: false,
};

export function reply(content: readonly ContentBlock[], stopReason: string): ModelOutcome {
  return {
    type: 'reply',
    requestId: 'req_1',
    reply: { content, stopReason, stopSequence: null, refusalCategory: null, usage },
  };
}

export const textReply = (text: string): ModelOutcome => reply([{ type: 'text', text }], 'end_turn');

export function toolReply(...calls: readonly (readonly [string, object])[]): ModelOutcome {
  return reply(
    calls.map(([name, input], at) => ({ type: 'tool_use', id: `toolu_${at}`, name, input })),
    'tool_use',
  );
}

/** A model that answers in order and repeats its last outcome; what it was asked is kept. */
export function callsModel(outcomes: readonly ModelOutcome[]): { model: Model; asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  const model: Model = {
    ask: async (request) => {
      const outcome = outcomes[Math.min(asked.length, outcomes.length - 1)];
      asked.push(request);
      if (outcome === undefined) throw new Error('no outcome is left');
      return outcome;
    },
  };
  return { model, asked };
}

/** The type of the first block of the last assistant message of a request. */
export function replyOf(request: ModelRequest | undefined): string | undefined {
  return request?.messages.findLast((message) => message.role === 'assistant')?.content[0]?.type;
}
