import * as z from 'zod';
import type { ContentBlock } from '../core/content.ts';
import type { TokenUsage } from '../core/prices.ts';
import type { ModelOutcome } from '../ports.ts';

const block = z
  .looseObject({ type: z.string() })
  .refine(isWhole, 'a text or tool_use block without its fields');

function isWhole(value: { readonly type: string; readonly [key: string]: unknown }): boolean {
  if (value.type === 'text') return typeof value['text'] === 'string';
  if (value.type !== 'tool_use') return true;
  return typeof value['id'] === 'string' && typeof value['name'] === 'string';
}

const knownStops = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
] as const;

/** A message of the API as far as the loop reads it. Unknown fields and blocks are kept word for word. */
const message = z.looseObject({
  content: z.array(block),
  stop_reason: z.enum(knownStops),
  // A paid reply is not thrown away for what the loop only reports.
  stop_sequence: z.string().nullish().catch(null),
  stop_details: z.looseObject({ category: z.string().nullish() }).nullish().catch(null),
});

const count = z.number().int().nonnegative();
const optionalCount = count.nullish().transform((value) => value ?? 0);
const usageShape = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: optionalCount,
  cache_read_input_tokens: optionalCount,
  cache_creation: z
    .looseObject({ ephemeral_5m_input_tokens: optionalCount, ephemeral_1h_input_tokens: optionalCount })
    .nullish(),
  server_tool_use: z.looseObject({ web_search_requests: optionalCount }).nullish(),
  service_tier: z.string().nullish(),
  inference_geo: z.string().nullish(),
});

/**
 * The usage of a reply; undefined where the server sent none, or none that can be counted. Cache writes whose lifetime
 * is not told are those that were asked for: five minutes.
 */
export function readUsage(value: unknown): TokenUsage | undefined {
  const parsed = usageShape.safeParse(value);
  if (!parsed.success) return undefined;
  const usage = parsed.data;
  const told5m = usage.cache_creation?.ephemeral_5m_input_tokens ?? 0;
  const cacheWrite1h = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  return {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheWrite5m: Math.max(told5m, usage.cache_creation_input_tokens - cacheWrite1h),
    cacheWrite1h,
    cacheRead: usage.cache_read_input_tokens,
    webSearches: usage.server_tool_use?.web_search_requests ?? 0,
    batchTier: usage.service_tier === 'batch',
    usOnly: usage.inference_geo === 'us',
  };
}

/** Whether an answer with status 200 is a message of the API at all: otherwise it counts as a network error. */
function isMessage(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  return 'type' in value && value.type === 'message' ? true : 'content' in value && 'role' in value;
}

/** Reads an answer with status 200. */
export function readAnswer(value: unknown, requestId: string | null): ModelOutcome {
  if (!isMessage(value)) {
    return { type: 'wait', billed: 'unknown', retryAfterMs: undefined, problem: '200 without a message' };
  }
  const usage = readUsage(value['usage']);
  const parsed = message.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const problem = `${issue?.path.map(String).join('.') || 'message'} is not as the API has it`;
    return { type: 'unusable', raw: value, problem, usage, requestId };
  }
  const { stop_reason, stop_sequence, stop_details } = parsed.data;
  return {
    type: 'reply',
    requestId,
    reply: {
      // A parsed copy has its keys in the order of the schema: the cached prefix needs the order of the reply.
      content: value['content'] as readonly ContentBlock[],
      stopReason: stop_reason,
      stopSequence: stop_sequence ?? null,
      refusalCategory: stop_details?.category ?? null,
      usage,
    },
  };
}
