import { isObject } from '../../core/content.ts';
import type { ModelPrice } from '../../core/prices.ts';
import { countedUsage } from './bill.ts';
import type { Brain } from './brain.ts';
import type { Fields } from './check-block.ts';
import { withReply } from './check-history.ts';
import { readBlocks } from './check-messages.ts';
import { invalid, type Refusal, readRequest } from './check-request.ts';
import { compose, countOutput } from './compose.ts';
import type { Conversation } from './conversations.ts';
import type { PrefixCache } from './prefix-cache.ts';
import { type ModelScript, turnAt } from './script.ts';

/** An answer before it is written out. */
export type Answer =
  | {
      readonly type: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** A string goes out as it is. */
      readonly body: string | Fields;
      readonly delayMs: number;
    }
  | { readonly type: 'refused'; readonly refusal: Refusal };

/** A checked request. */
export interface Asked {
  readonly body: Fields;
  readonly raw: string;
  readonly conversation: Conversation;
  readonly model: ModelPrice;
  readonly cache: PrefixCache;
}

/** Answers with the conversation's next turn of the script. */
export function answerFromScript(script: ModelScript, asked: Asked): Answer {
  const { conversation } = asked;
  const turn = turnAt(script, conversation.turns);
  if (turn === undefined) {
    const message = `script_exhausted: ${script.name} has ${script.turns.length} turns`;
    return { type: 'refused', refusal: { status: 400, type: 'script_exhausted', message } };
  }
  conversation.turns += 1;
  const body = withCountedUsage(turn.body, asked);
  if (turn.http === 200 && typeof body !== 'string' && Array.isArray(body['content'])) remember(asked, body);
  const { http, headers = {}, delayMs = 0 } = turn;
  return { type: 'answered', status: http, headers, body, delayMs };
}

function withCountedUsage(body: string | Fields, asked: Asked): string | Fields {
  if (typeof body === 'string' || body['usage'] !== 'count') return body;
  const prompt = asked.cache.bill(asked.body, asked.model);
  return { ...body, usage: countedUsage(prompt, countOutput(body['content'])) };
}

/** Answers by rules. */
export function answerFromBrain(brain: Brain, asked: Asked): Answer {
  const request = readRequest(asked.body);
  const reply = brain(request);
  if (reply === undefined || reply === null) {
    return { type: 'refused', refusal: invalid('no rules for this agent') };
  }
  const { id, content, stopReason, outputTokens } = compose(reply, asked.raw, request.max_tokens);
  const body = {
    id,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    stop_details: null,
    usage: countedUsage(asked.cache.bill(asked.body, asked.model), outputTokens),
  };
  remember(asked, body);
  return { type: 'answered', status: 200, headers: {}, body, delayMs: 0 };
}

function remember({ conversation }: Asked, body: Fields): void {
  const content = readBlocks(body['content']);
  conversation.history = withReply(conversation.history, content, body['stop_reason']);
}

/** The tokens that an answer says it used. */
export function usageIn(body: string | Fields): unknown {
  return typeof body === 'string' || !isObject(body['usage']) ? undefined : body['usage'];
}
