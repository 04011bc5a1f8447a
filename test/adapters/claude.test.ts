import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ClaudeOptions, createClaude } from '../../src/adapters/claude.ts';
import type { ModelOutcome, ModelRequest } from '../../src/ports.ts';
import {
  aMessage,
  json,
  type MessagesServer,
  aRequest as request,
  type Seen,
  startMessagesServer,
} from '../support/messages-server.ts';

const aRequest: ModelRequest = {
  ...request,
  maxTokens: 64_000,
  tools: [{ name: 'get_order', description: '', input_schema: { type: 'object' } }],
};

type Answer = MessagesServer['answer'];

let server: MessagesServer;
let baseURL: string;
let seen: readonly Seen[];

beforeEach(async () => {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('ANTHROPIC_')) vi.stubEnv(name, undefined);
  }
  server = await startMessagesServer();
  baseURL = server.url;
  seen = server.seen;
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

const apiError = (type: string, code?: string) => ({
  type: 'error',
  error: { type, message: 'a secret', ...(code === undefined ? {} : { details: { error_code: code } }) },
});

async function ask(
  reply: Answer,
  {
    options = { apiKey: 'k', baseURL },
    request = aRequest,
    signal = new AbortController().signal,
  }: {
    options?: ClaudeOptions;
    request?: ModelRequest;
    signal?: AbortSignal;
  } = {},
): Promise<ModelOutcome> {
  server.answer = reply;
  return await createClaude(options).ask(request, signal);
}

describe('a request', () => {
  it('has its parts in a fixed order, the messages last', async () => {
    await ask(json(200, aMessage));
    expect(seen[0]?.url).toBe('/v1/messages');
    expect(seen[0]?.body).toBe(
      JSON.stringify({
        model: 'claude-haiku-5-5',
        max_tokens: 64_000,
        cache_control: { type: 'ephemeral' },
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        tools: aRequest.tools,
        output_config: { effort: 'low' },
        metadata: { user_id: 'job-key' },
        messages: aRequest.messages,
      }),
    );
  });

  it('is the same bytes when it is sent again', async () => {
    await ask(json(529, apiError('overloaded_error')));
    await ask(json(200, aMessage));
    expect(seen[1]?.body).toBe(seen[0]?.body);
  });

  it('leaves out tools and effort where there are none', async () => {
    await ask(json(200, aMessage), { request: { ...aRequest, tools: [], effort: undefined } });
    expect(Object.keys(JSON.parse(seen[0]?.body ?? ''))).toEqual([
      'model',
      'max_tokens',
      'cache_control',
      'system',
      'metadata',
      'messages',
    ]);
  });

  it('asks, with the beta that it takes, to drop thinking that lost its history, where that is wanted', async () => {
    await ask(json(200, aMessage), { request: { ...aRequest, dropBoundThinking: true } });
    const [one] = seen;
    expect(one?.headers['anthropic-beta']).toBe('thinking-binding-controls-2026-08-01');
    expect(JSON.parse(one?.body ?? '')).toMatchObject({
      thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } },
    });
    await ask(json(200, aMessage));
    expect(seen[1]?.headers).not.toHaveProperty('anthropic-beta');
    expect(seen[1]?.body).not.toContain('thinking');
  });

  it('obeys the variables of the SDK for server, token and headers', async () => {
    vi.stubEnv('ANTHROPIC_BASE_URL', baseURL);
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'from-environment');
    vi.stubEnv('ANTHROPIC_CUSTOM_HEADERS', 'x-api-key: other\nanthropic-version: 2023-06-01');
    const outcome = await ask(json(200, aMessage), { options: { defaultHeaders: { 'x-mine': '1' } } });
    expect(outcome.type).toBe('reply');
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer from-environment',
      'x-api-key': 'other',
      'anthropic-version': '2023-06-01',
      'x-mine': '1',
    });
  });

  it('is signed with the given key, whatever profile or token the machine has', async () => {
    vi.stubEnv('ANTHROPIC_PROFILE', 'no-such-profile');
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'from-environment');
    const outcome = await ask(json(200, aMessage), { options: { apiKey: 'k', authToken: 't', baseURL } });
    expect(outcome.type).toBe('reply');
    expect(seen[0]?.headers.authorization).toBe('Bearer k');
  });
});

describe('an answer', () => {
  it('that is a message is the reply, with the id of its request', async () => {
    expect(await ask(json(200, aMessage, { 'request-id': 'req_7' }))).toEqual({
      type: 'reply',
      requestId: 'req_7',
      reply: {
        content: aMessage.content,
        stopReason: 'end_turn',
        stopSequence: null,
        refusalCategory: null,
        usage: {
          input: 10,
          output: 5,
          cacheWrite5m: 0,
          cacheWrite1h: 0,
          cacheRead: 0,
          webSearches: 0,
          batchTier: false,
          usOnly: false,
        },
      },
    });
  });

  it('that is a message but not a whole one is unusable', async () => {
    expect(await ask(json(200, { ...aMessage, stop_reason: null }))).toMatchObject({ type: 'unusable' });
  });

  const html: Answer = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
  const cut =
    (status: number): Answer =>
    (response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"type":', () => response.destroy());
    };
  it.each<[string, Answer]>([
    ['a page of HTML', html],
    ['broken JSON', json(200, '{"type":"mess')],
    ['a JSON string', json(200, '"busy"')],
    ['an object of another API', json(200, { choices: [] })],
    ['cut off in its body', cut(200)],
    ['an error cut off in its body, which proves nothing', cut(529)],
    ['never begun', (response) => response.destroy()],
  ])('that is %s is waited for, perhaps billed', async (_, reply) => {
    const outcome = await ask(reply);
    expect(outcome).toMatchObject({ type: 'wait', billed: 'unknown', retryAfterMs: undefined });
    expect(JSON.stringify(outcome)).not.toContain('secret');
    expect(seen).toHaveLength(1);
  });

  it('of nobody, as nothing listens, is waited for', async () => {
    await server.close();
    expect(await ask(html)).toMatchObject({ type: 'wait', problem: 'connection failed' });
  });
});

describe('an abort', () => {
  const timedOut = { type: 'wait', billed: 'unknown', retryAfterMs: undefined, problem: 'timed out' };

  it('before the request sends nothing', async () => {
    expect(await ask(json(200, aMessage), { signal: AbortSignal.abort() })).toEqual(timedOut);
    expect(seen).toHaveLength(0);
  });

  it.each<[string, Answer]>([
    ['before the headers', () => undefined],
    ['in a stalled body', (response) => response.writeHead(200).write('{"type":')],
    ['in the stalled body of an error', (response) => response.writeHead(529).write('{"type":')],
  ])('%s ends the request', async (_, stall) => {
    const controller = new AbortController();
    const outcome = await ask(
      (response, one) => {
        stall(response, one);
        setTimeout(() => controller.abort(), 20);
      },
      { signal: controller.signal },
    );
    expect(outcome).toEqual(timedOut);
  });
});

describe('an error answer', () => {
  it.each<[number, string]>([
    [408, 'timeout_error'],
    [409, 'conflict_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [502, 'api_error'],
    [504, 'timeout_error'],
    [529, 'overloaded_error'],
  ])('%i is asked again, was not billed and is sent once only', async (status, type) => {
    expect(await ask(json(status, apiError(type)))).toEqual({
      type: 'wait',
      billed: 'no',
      retryAfterMs: undefined,
      problem: `${status} ${type}`,
    });
    expect(seen).toHaveLength(1);
  });

  it.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '20' }, 20_000],
    ['parts of a second', { 'retry-after': '0.5' }, 500],
    ['milliseconds first', { 'retry-after-ms': '1500.2', 'retry-after': '20' }, 1_501],
    ['an empty field', { 'retry-after-ms': '', 'retry-after': '20' }, 20_000],
    [
      'a date, by the clock of the server',
      { 'retry-after': 'Mon, 30 Nov 2026 06:00:20 GMT', date: 'Mon, 30 Nov 2026 06:00:00 GMT' },
      20_000,
    ],
    [
      'a date that is over',
      { 'retry-after': 'Mon, 30 Nov 2026 05:00:00 GMT', date: 'Mon, 30 Nov 2026 06:00:00 GMT' },
      0,
    ],
    ['a negative number', { 'retry-after': '-5' }, undefined],
    ['words', { 'retry-after': 'soon' }, undefined],
  ])('tells when to ask again in %s', async (_, headers, expected) => {
    expect(await ask(json(429, apiError('rate_limit_error'), headers))).toMatchObject({
      type: 'wait',
      billed: 'no',
      retryAfterMs: expected,
    });
  });

  it.each<[number, string, string | undefined, string]>([
    [401, 'authentication_error', undefined, 'configuration'],
    [402, 'billing_error', undefined, 'configuration'],
    [403, 'permission_error', undefined, 'configuration'],
    [404, 'not_found_error', undefined, 'configuration'],
    [400, 'billing_error', undefined, 'configuration'],
    [429, 'rate_limit_error', 'enforced_spend_limit_reached', 'configuration'],
    [429, 'rate_limit_error', 'contract_spend_limit_reached', 'configuration'],
    [400, 'invalid_request_error', undefined, 'rejected_request'],
    [413, 'request_too_large', undefined, 'rejected_request'],
    [422, 'invalid_request_error', undefined, 'rejected_request'],
    [418, 'teapot', undefined, 'rejected_request'],
  ])('%i %s (%s) ends the job as %s', async (status, type, code, reason) => {
    const outcome = await ask(json(status, apiError(type, code)));
    expect(outcome).toMatchObject({ type: 'refused', reason, problem: `${status} ${code ?? type}` });
  });

  it.each([400, 401, 422])('%i that says it should be retried is', async (status) => {
    const headers = { 'x-should-retry': 'true' };
    expect(await ask(json(status, apiError('invalid_request_error'), headers))).toMatchObject({
      type: 'wait',
      billed: 'no',
    });
  });

  it.each<[string, unknown, string]>([
    ['HTML', '<html>a secret</html>', '503'],
    ['a sentence for a type', apiError('a secret sentence'), '503'],
    ['nothing', '', '503'],
  ])('of another server with %s keeps the problem to its status', async (_, body, problem) => {
    expect(await ask(json(503, body))).toMatchObject({ type: 'wait', billed: 'no', problem });
  });

  it('keeps at most 2,000 clean characters of the provider', async () => {
    const outcome = await ask(json(400, { error: { message: `\u001b${'😀'.repeat(2_000)}` } }));
    const words = outcome.type === 'refused' ? outcome.words : '';
    expect(words.length).toBeGreaterThan(1_900);
    expect(words.length).toBeLessThanOrEqual(2_000);
    expect(words.isWellFormed()).toBe(true);
  });
});

describe('what is wrong before anything is sent', () => {
  it('a missing credential is a matter of configuration, and says what to set', async () => {
    vi.stubEnv('ANTHROPIC_CONFIG_DIR', '/nonexistent');
    vi.stubEnv('HOME', '/nonexistent');
    expect(await ask(json(200, aMessage), { options: { baseURL } })).toMatchObject({
      type: 'refused',
      reason: 'configuration',
      problem: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
    expect(seen).toHaveLength(0);
  });

  it.each<[string, ClaudeOptions]>([
    ['an address that is none', { apiKey: 'k', baseURL: 'not a url' }],
    ['a key that no header can hold', { apiKey: 'k\nk', baseURL: 'http://127.0.0.1:9' }],
  ])('%s is a matter of configuration', async (_, options) => {
    expect(await ask(json(200, aMessage), { options })).toMatchObject({
      type: 'refused',
      reason: 'configuration',
    });
  });

  it('a fetch that throws at once is an outcome, not an exception', async () => {
    const broken: typeof fetch = () => {
      throw new TypeError('no network here');
    };
    expect(
      await ask(json(200, aMessage), { options: { apiKey: 'k', baseURL, fetch: broken } }),
    ).toMatchObject({
      type: 'wait',
      billed: 'unknown',
    });
  });
});

it('writes nothing to the console, not even with logging switched on', async () => {
  const methods = ['log', 'info', 'warn', 'error', 'debug'] as const;
  const spies = methods.map((method) => vi.spyOn(console, method));
  vi.stubEnv('ANTHROPIC_LOG', 'debug');
  vi.stubEnv('ANTHROPIC_API_KEY', 'k');
  vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 't');
  await ask(json(529, apiError('overloaded_error')), { options: { baseURL } });
  for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});
