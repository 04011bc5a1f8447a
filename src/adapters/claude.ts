import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import { APIConnectionError, APIError, APIUserAbortError } from '@anthropic-ai/sdk/error';
import { Messages } from '@anthropic-ai/sdk/resources/messages/messages';
import { cleanText } from '../core/safe-json.ts';
import type { Model, ModelOutcome, ModelRequest } from '../ports.ts';
import { readAnswer } from './claude-reply.ts';

export interface ClaudeOptions {
  /** Beats `authToken`. @default `ANTHROPIC_API_KEY`, or another credential that the SDK finds */
  readonly apiKey?: string;
  /** @default `ANTHROPIC_AUTH_TOKEN`, where no key is given or set */
  readonly authToken?: string;
  /** Without `/v1`. @default `ANTHROPIC_BASE_URL`, or the vendor's */
  readonly baseURL?: string;
  readonly fetch?: typeof fetch;
  /** Laid over those of `ANTHROPIC_CUSTOM_HEADERS`. */
  readonly defaultHeaders?: Readonly<Record<string, string>>;
}

/** Over any time that an invocation has: the abort signal ends a request, this only lifts the SDK's own limits. */
const TIMEOUT_MS = 900_000;

/** The model over the Messages API: one request a call, no retries of its own, every end an outcome. */
export function createClaude(options: ClaudeOptions = {}): Model {
  const client = clientOf(options);
  const fetchOnce = options.fetch ?? ((url, init) => fetch(url, init));
  return {
    ask: async (request, signal) => {
      let sent = false;
      try {
        // A copy shares the credentials of its original; what it sends is this one request.
        const messages = new Messages(
          client.withOptions({
            fetch: (url, init) => {
              sent = true;
              return wholeError(fetchOnce(url, init));
            },
          }),
        );
        const { data, response } = await messages
          .create(bodyOf(request), { signal, maxRetries: 0, timeout: TIMEOUT_MS })
          .withResponse();
        return readAnswer(data, response.headers.get('request-id'));
      } catch (error) {
        return outcomeOf(error, { sent, aborted: signal.aborted });
      }
    },
  };
}

/** With a key or token given, the SDK reads neither the environment nor a profile on disk for another credential. */
function clientOf({ apiKey, authToken, baseURL, defaultHeaders }: ClaudeOptions): BaseAnthropic {
  return new BaseAnthropic({
    maxRetries: 0,
    timeout: TIMEOUT_MS,
    logLevel: 'off',
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(authToken === undefined || apiKey !== undefined ? {} : { authToken }),
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(defaultHeaders === undefined ? {} : { defaultHeaders: { ...defaultHeaders } }),
  });
}

/**
 * Reads an error answer to its end before the SDK sees it. The SDK takes one that broke off for a whole one, and only a
 * whole one proves that nothing was billed.
 */
async function wholeError(answer: Promise<Response>): Promise<Response> {
  const response = await answer;
  if (response.ok) return response;
  const { status, statusText, headers } = response;
  const text = await response.text();
  return new Response(text === '' ? null : text, { status, statusText, headers });
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

interface Progress {
  /** Whether the request left: before that nothing but credentials and settings can be wrong. */
  readonly sent: boolean;
  readonly aborted: boolean;
}

/** Errors are told apart by status and code, never by their text. */
function outcomeOf(error: unknown, { sent, aborted }: Progress): ModelOutcome {
  if (error instanceof APIError && typeof error.status === 'number') return refusalOf(error, error.status);
  if (aborted || error instanceof APIUserAbortError) return lost('timed out');
  if (error instanceof APIConnectionError) return lost('connection failed');
  if (sent) return lost('the answer did not come whole');
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
  const code = error.errorCode ?? '';
  const problem = [status, codeWord(code) ?? codeWord(error.type)].join(' ').trim();
  const words = wordsOf(error);
  if (spendLimits.has(code) || error.type === 'billing_error') {
    return { type: 'refused', reason: 'configuration', problem, words };
  }
  const retry = error.headers?.get('x-should-retry') === 'true';
  if (waiting.has(status) || status >= 500 || retry) {
    return { type: 'wait', billed: 'no', retryAfterMs: retryAfterMs(error.headers), problem };
  }
  const reason = misconfigured.has(status) ? 'configuration' : 'rejected_request';
  return { type: 'refused', reason, problem, words };
}

/** Other servers put sentences, even parts of the request, where the API has a code. */
function codeWord(value: unknown): string | undefined {
  return typeof value === 'string' && /^[a-z0-9_]{1,64}$/i.test(value) ? value : undefined;
}

const MAX_WORDS = 2_000;

function wordsOf(error: unknown): string {
  return error instanceof Error ? cleanText(error.message.slice(0, MAX_WORDS)) : '';
}

/**
 * `retry-after-ms` beats `retry-after`, which is seconds or a date. A date is counted from the server's own, so that a
 * clock of ours that runs ahead does not ask too early.
 */
function retryAfterMs(headers: Headers | undefined): number | undefined {
  const exact = numberIn(headers?.get('retry-after-ms'));
  if (exact !== undefined) return Math.ceil(exact);
  const text = headers?.get('retry-after') ?? '';
  const seconds = numberIn(text);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  const at = Date.parse(text);
  if (Number.isNaN(at) || Number(text) < 0) return undefined;
  const sentAt = Date.parse(headers?.get('date') ?? '');
  return Math.max(0, at - (Number.isNaN(sentAt) ? Date.now() : sentAt));
}

function numberIn(text: string | null | undefined): number | undefined {
  return text !== null && text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}
