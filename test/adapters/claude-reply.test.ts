import { describe, expect, it } from 'vitest';
import { readAnswer, readUsage } from '../../src/adapters/claude-reply.ts';

const aMessage = (fields: object = {}): unknown => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 10, output_tokens: 5 },
  ...fields,
});
const replyOf = (fields: object) => {
  const outcome = readAnswer(aMessage(fields), 'req_1');
  if (outcome.type !== 'reply') throw new Error(`expected a reply, got ${outcome.type}`);
  return outcome.reply;
};

describe('the usage of a reply', () => {
  const none = { cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, webSearches: 0 };
  const standard = { input: 10, output: 5, ...none, batchTier: false, usOnly: false };
  it.each([
    ['two figures only', {}, standard],
    ['null for all that may be null', { cache_creation: null, server_tool_use: null }, standard],
    ['cache reads', { cache_read_input_tokens: 7 }, { ...standard, cacheRead: 7 }],
    ['writes without their lifetime', { cache_creation_input_tokens: 9 }, { ...standard, cacheWrite5m: 9 }],
    [
      'writes of both lifetimes',
      {
        cache_creation_input_tokens: 9,
        cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 6 },
      },
      { ...standard, cacheWrite5m: 3, cacheWrite1h: 6 },
    ],
    [
      'lifetimes without their sum',
      { cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 6 } },
      { ...standard, cacheWrite5m: 3, cacheWrite1h: 6 },
    ],
    ['web searches', { server_tool_use: { web_search_requests: 2 } }, { ...standard, webSearches: 2 }],
    [
      'modifiers',
      { service_tier: 'batch', inference_geo: 'us' },
      { ...standard, batchTier: true, usOnly: true },
    ],
  ])('with %s is read', (_, fields, expected) => {
    expect(readUsage({ input_tokens: 10, output_tokens: 5, ...fields })).toEqual(expected);
  });

  it.each([
    ['missing', undefined],
    ['null', null],
    ['without output', { input_tokens: 1 }],
    ['negative', { input_tokens: -1, output_tokens: 1 }],
    ['no number', { input_tokens: Number.NaN, output_tokens: 1 }],
    ['negative in the cache', { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: -1 }],
  ])('that is %s counts as missing', (_, usage) => {
    expect(readUsage(usage)).toBeUndefined();
  });
});

describe('an answer with status 200', () => {
  it('keeps unknown blocks and fields word for word and in their order', () => {
    const content = [
      { signature: 's', thinking: '', type: 'thinking' },
      { zeta: [1, { b: 1, a: 2 }], type: 'hologram' },
      { input: '{"a":1}', name: 'get_order', caller: { type: 'direct' }, id: 'toolu_1', type: 'tool_use' },
    ];
    expect(JSON.stringify(replyOf({ content, stop_reason: 'tool_use' }).content)).toBe(
      JSON.stringify(content),
    );
  });

  it('is a reply without usage, which the caller charges in full', () => {
    expect(replyOf({ usage: undefined }).usage).toBeUndefined();
  });

  it('names the category of a refusal', () => {
    const fields = {
      content: [],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: 'cyber' },
    };
    expect(replyOf(fields)).toMatchObject({ stopReason: 'refusal', refusalCategory: 'cyber' });
  });

  it.each([null, 'none', { category: null }, { category: 7 }])(
    'is not lost for stop_details %j',
    (details) => {
      expect(replyOf({ stop_details: details }).refusalCategory).toBeNull();
    },
  );

  it.each([
    ['an unknown stop_reason', { stop_reason: 'out_of_ink' }, 'stop_reason'],
    ['no stop_reason', { stop_reason: null }, 'stop_reason'],
    ['content that is no list', { content: 'hello' }, 'content'],
    ['a block without a type', { content: [{ text: 'x' }] }, 'content.0.type'],
    ['a text block without text', { content: [{ type: 'text' }] }, 'content.0'],
    ['a call without an id', { content: [{ type: 'tool_use', name: 'x', input: {} }] }, 'content.0'],
  ])('with %s is unusable, charged and named', (_, fields, where) => {
    const raw = aMessage(fields);
    expect(readAnswer(raw, 'req_1')).toMatchObject({
      type: 'unusable',
      raw,
      problem: `${where} is not as the API has it`,
      usage: { input: 10, output: 5 },
      requestId: 'req_1',
    });
  });

  it.each([
    ['a page of HTML', '<html>busy</html>'],
    ['nothing', null],
    ['a list', [1]],
    ['an error of the API', { type: 'error', error: { type: 'overloaded_error' } }],
    ['an object of another API', { choices: [] }],
  ])('that is %s is a network error', (_, value) => {
    expect(readAnswer(value, null)).toMatchObject({ type: 'wait', billed: 'unknown' });
  });
});
