import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import { APIConnectionError, APIError, APIUserAbortError } from '@anthropic-ai/sdk/error';
import { Messages } from '@anthropic-ai/sdk/resources/messages/messages';
import type { Model, ModelOutcome, ModelRequest } from '../ports.ts';
import { readAnswer } from './claude-reply.ts';

export interface ClaudeOptions {
  /** @default `ANTHROPIC_API_KEY`, or another credential that the SDK finds */
  readonly apiKey?: string;
  /** Without `/v1`. @default `ANTHROPIC_BASE_URL`, or the vendor's */
  readonly baseURL?: string;
  readonly fetch?: typeof fetch;
  readonly defaultHeaders?: Readonly<Record<string, string>>;
}

/** Over any time that an invocation has: the abort signal ends a request, this only lifts the SDK's own limits. */
const TIMEOUT_MS = 900_000;

/** The model over the Messages API: one request a call, no retries of its own, every end an outcome. */
export function createClaude(options: ClaudeOptions = {}): Model {
  const client = new BaseAnthropic({
    maxRetries: 0,
    timeout: TIMEOUT_MS,
    logLevel: 'off',
    ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
    ...(options.baseURL === undefined ? {} : { baseURL: options.baseURL }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    ...(options.defaultHeaders === undefined ? {} : { defaultHeaders: { ...options.defaultHeaders } }),
  });
  const messages = new Messages(client);
  return {
    ask: async (request, signal) => {
      try {
        const { data, response } = await messages
          .create(bodyOf(request), { signal, maxRetries: 0, timeout: TIMEOUT_MS })
          .withResponse();
        return readAnswer(data, response.headers.get('request-id'));
      } catch (error) {
        return outcomeOf(error, signal);
      }
    },
  };
}

type Body = Parameters<Messages['create']>[0] & { stream?: false };

/** The order of keys is part of the raw prefix that the next request repeats: `messages` stands last. */
function bodyOf(request: ModelRequest): Body {
  const body = {
    model: request.model,
    max_tokens: request.maxTokens,
    cache_control: { type: 'ephemeral' },
    system: [{ type: 'text', text: request.system, cache_control: { type: 'ephemeral' } }],
    ...(request.tools.length === 0 ? {} : { tools: request.tools }),
    ...(request.effort === undefined ? {} : { output_config: { effort: request.effort } }),
    metadata: { user_id: request.conversation },
    messages: request.messages,
  };
  return body as unknown as Body;
}

const spendLimits = new Set(['enforced_spend_limit_reached', 'contract_spend_limit_reached']);
const waiting = new Set([408, 409, 429]);
const misconfigured = new Set([401, 402, 403, 404]);

/** Errors are told apart by status and code, never by their text. */
function outcomeOf(error: unknown, signal: AbortSignal): ModelOutcome {
  if (error instanceof APIUserAbortError || signal.aborted) return lost('timed out');
  if (error instanceof APIConnectionError) return lost('connection failed');
  if (error instanceof APIError && typeof error.status === 'number') return refusalOf(error, error.status);
  if (error instanceof APIError || error instanceof SyntaxError || error instanceof TypeError) {
    return lost('the answer did not come whole');
  }
  // Without a credential the SDK throws a plain error before anything is sent.
  return {
    type: 'refused',
    reason: 'configuration',
    problem: 'no usable credential or setting for the model: set ANTHROPIC_API_KEY',
    words: wordsOf(error),
  };
}

const lost = (problem: string): ModelOutcome => ({
  type: 'wait',
  billed: 'unknown',
  retryAfterMs: undefined,
  problem,
});

function refusalOf(error: APIError, status: number): ModelOutcome {
  const kind = typeof error.type === 'string' ? error.type : 'error';
  const code = typeof error.errorCode === 'string' ? error.errorCode : '';
  const problem = `${status} ${code || kind}`;
  const words = wordsOf(error);
  if (spendLimits.has(code) || kind === 'billing_error' || misconfigured.has(status)) {
    return { type: 'refused', reason: 'configuration', problem, words };
  }
  const retry = error.headers?.get('x-should-retry') === 'true';
  if (waiting.has(status) || status >= 500 || retry) {
    return { type: 'wait', billed: 'no', retryAfterMs: retryAfterMs(error.headers), problem };
  }
  return { type: 'refused', reason: 'rejected_request', problem, words };
}

const MAX_WORDS = 2_000;

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, MAX_WORDS) : '';
}

/** `retry-after-ms` beats `retry-after`, which is seconds or a date. */
function retryAfterMs(headers: Headers | undefined): number | undefined {
  const exact = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return Math.ceil(exact);
  const text = headers?.get('retry-after');
  if (text === null || text === undefined || text === '') return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.ceil(seconds * 1000) : undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
