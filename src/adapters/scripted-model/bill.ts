import { isObject } from '../../core/content.ts';
import { costOf, type ModelPrice, type TokenUsage } from '../../core/prices.ts';
import type { PromptTokens } from './prefix-cache.ts';

/** `usage` in the API's own names. */
export interface ApiUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  };
  readonly output_tokens: number;
  readonly service_tier: 'standard';
}

/** The `usage` of a reply that the server counted itself. */
export function countedUsage(prompt: PromptTokens, outputTokens: number): ApiUsage {
  return {
    input_tokens: prompt.input,
    cache_creation_input_tokens: prompt.cacheWrite5m + prompt.cacheWrite1h,
    cache_read_input_tokens: prompt.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: prompt.cacheWrite5m,
      ephemeral_1h_input_tokens: prompt.cacheWrite1h,
    },
    output_tokens: outputTokens,
    service_tier: 'standard',
  };
}

const count = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;

const within = (fields: Readonly<Record<string, unknown>>, name: string) => {
  const value = fields[name];
  return isObject(value) ? value : undefined;
};

/** The tokens that a reply says it used; `undefined` where it says nothing. A write without its ttl is one of 5 minutes. */
export function billedTokens(usage: unknown): TokenUsage | undefined {
  if (!isObject(usage)) return undefined;
  const split = within(usage, 'cache_creation');
  const written = count(usage['cache_creation_input_tokens']);
  const cacheWrite1h = count(split?.['ephemeral_1h_input_tokens']);
  return {
    input: count(usage['input_tokens']),
    output: count(usage['output_tokens']),
    cacheWrite5m: split === undefined ? written : count(split['ephemeral_5m_input_tokens']),
    cacheWrite1h,
    cacheRead: count(usage['cache_read_input_tokens']),
    webSearches: count(within(usage, 'server_tool_use')?.['web_search_requests']),
    batchTier: usage['service_tier'] === 'batch',
    usOnly: usage['inference_geo'] === 'us',
  };
}

/** What an answer costs, in micro-dollars; `null` where it does not say what it used. */
export function billOf(model: ModelPrice, usage: TokenUsage | undefined): number | null {
  return usage === undefined ? null : costOf(model, usage);
}
