import type { BaseAnthropic } from '@anthropic-ai/sdk/client';
import { APIConnectionError, APIError, APIUserAbortError } from '@anthropic-ai/sdk/error';
import { cleanText } from '../core/safe-json.ts';
import type { Model, ModelOutcome, ModelRequest } from '../ports.ts';
import { readAnswer } from './claude-reply.ts';

/** How every client of the SDK is made: a request is one try, and its end is the abort signal's business. */
export const clientSettings = {
  maxRetries: 0,
  /** Over any time that an invocation has: this only lifts the SDK's own limits. */
  timeout: 900_000,
  logLevel: 'off',
} as const;

export interface MessagesModelOptions {
  /** Whoever serves the API: it signs, and knows the address. Made at the first request. */
  readonly client: () => BaseAnthropic;
  readonly fetch?: typeof fetch | undefined;
  /** What the server calls a model. @default as the request does */
  readonly idOf?: (model: string) => string;
  /** Asked after a 401: whether there is another credential by now, with which the same request may succeed. */
  readonly replaced?: () => Promise<boolean>;
  /** Said to the person who finds no usable credential. */
  readonly remedy: string;
}

/** The model over the Messages API: one request a call, no retries of its own, every end an outcome. */
export function createMessagesModel(options: MessagesModelOptions): Model {
  const fetchOnce = options.fetch ?? ((url, init) => fetch(url, init));
  const { idOf = (model) => model, replaced = async () => false, remedy } = options;
  let client: BaseAnthropic | undefined;
  return {
    ask: async (request, signal) => {
      let sent = false;
      try {
        client ??= options.client();
        // A copy shares the credentials of its original; what it sends is this one request.
        const once = client.withOptions({
          fetch: (url, init) => {
            sent = true;
            return wholeError(fetchOnce(url, init));
          },
        });
        const { timeout, maxRetries } = clientSettings;
        const body = bodyOf({ ...request, model: idOf(request.model) });
        // The plain request: the class for messages brings along streams, batches and a parser, and warns on the console.
        const headers = request.dropBoundThinking ? { 'anthropic-beta': BINDING_CONTROLS } : {};
        const { data, response } = await once
          .post('/v1/messages', { body, signal, maxRetries, timeout, headers })
          .withResponse();
        return readAnswer(data, response.headers.get('request-id'));
      } catch (error) {
        const again = error instanceof APIError && error.status === 401 && (await replaced());
        return again ? notBilled('401 the credential was replaced') : outcomeOf(error, sent, signal, remedy);
      }
    },
  };
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

/** The beta that a request needs to say what becomes of thinking whose history is gone. Source: Messages API, preserved thinking. */
const BINDING_CONTROLS = 'thinking-binding-controls-2026-08-01';
const dropping = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };

/** The order of keys is part of the raw prefix that the next request repeats: `messages` stands last. */
function bodyOf(request: ModelRequest): Readonly<Record<string, unknown>> {
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    cache_control: { type: 'ephemeral' },
    system: [{ type: 'text', text: request.system, cache_control: { type: 'ephemeral' } }],
    ...(request.tools.length === 0 ? {} : { tools: request.tools }),
    ...(request.dropBoundThinking ? { thinking: dropping } : {}),
    ...(request.effort === undefined ? {} : { output_config: { effort: request.effort } }),
    metadata: { user_id: request.conversation },
    messages: request.messages,
  };
}

const spendLimits = new Set(['enforced_spend_limit_reached', 'contract_spend_limit_reached']);
const waiting = new Set([408, 409, 429]);
const misconfigured = new Set([401, 402, 403, 404]);

/**
 * Errors are told apart by status and code, never by their text. Before a request was sent, nothing but credentials and
 * settings can be wrong, and a connection that failed was one to fetch them.
 */
function outcomeOf(error: unknown, sent: boolean, signal: AbortSignal, remedy: string): ModelOutcome {
  if (error instanceof APIError && typeof error.status === 'number') return refusalOf(error, error.status);
  if (signal.aborted || error instanceof APIUserAbortError) return lost('timed out');
  if (error instanceof APIConnectionError) {
    return sent ? lost('connection failed') : notBilled('the credentials could not be fetched');
  }
  if (sent) return lost('the answer did not come whole');
  return {
    type: 'refused',
    reason: 'configuration',
    problem: `no usable credential or setting for the model: ${remedy}`,
    words: wordsOf(error),
  };
}

const lost = (problem: string): ModelOutcome => ({
  ...{ type: 'wait', billed: 'unknown', retryAfterMs: undefined },
  problem,
});

/** To be asked again, and no model has seen it. */
export const notBilled = (problem: string): ModelOutcome => ({
  ...{ type: 'wait', billed: 'no', retryAfterMs: undefined },
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
