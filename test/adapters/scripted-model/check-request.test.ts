import { expect, it } from 'vitest';
import { createScriptedModel } from '../../../src/adapters/scripted-model/model.ts';
import { aBody, errorOf, headers, post, saysOk } from './ask.ts';

const ask = { role: 'user', content: 'hello' };
const call = (id: string, fields = {}) => ({ type: 'tool_use', id, name: 'search', input: {}, ...fields });
const calls = (...ids: string[]) => ({ role: 'assistant', content: ids.map((id) => call(id)) });
const result = (id: string, fields = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'r',
  ...fields,
});
const results = (...ids: string[]) => ({ role: 'user', content: ids.map((id) => result(id)) });
const text = { type: 'text', text: 'x' };
const tool = (fields = {}) => ({ name: 'search', input_schema: { type: 'object' }, ...fields });
const of = (...content: unknown[]) => ({ role: 'user', content });
const by = (...content: unknown[]) => ({ role: 'assistant', content });
const marked = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } };
const hour = { type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } };
const image = (bytes: number) => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(bytes) },
});
const MIB = 1024 * 1024;
const strict = (schema: object) => [tool({ strict: true, input_schema: { type: 'object', ...schema } })];

const messages: readonly (readonly [string, string, readonly unknown[]])[] = [
  [
    'a call without its result',
    'messages.1: `tool_use` ids were found without',
    [ask, calls('t1'), of(text)],
  ],
  ['a call at the very end', 'messages.1: `tool_use` ids were found without', [ask, calls('t1')]],
  ['one result missing', 'messages.1: `tool_use` ids were found', [ask, calls('t1', 't2'), results('t1')]],
  [
    'results over two messages',
    'messages.1: `tool_use` ids were',
    [ask, calls('a', 'b'), results('a'), results('b')],
  ],
  ['a doubled result', 'messages.2.content.1: each tool_use', [ask, calls('t1'), results('t1', 't1')]],
  [
    'a result doubled in a merged message',
    'messages.3.content.0: each',
    [ask, calls('a'), results('a'), results('a')],
  ],
  [
    'a result after text',
    'messages.2.content.1: `tool_result` blocks must',
    [ask, calls('a'), of(text, result('a'))],
  ],
  ['a result without its call', 'messages.0.content.0: unexpected', [results('t1')]],
  [
    'a result two turns late',
    'messages.4.content.0: unexpected',
    [ask, calls('a'), results('a'), by(text), results('a')],
  ],
  ['a repeated call id', 'messages.1.content.1: `tool_use` ids must', [ask, calls('a', 'a'), results('a')]],
  [
    'a call id repeated later',
    'messages.3.content.0: `tool_use` ids must',
    [ask, calls('a'), results('a'), calls('a'), results('a')],
  ],
  ['a call id of odd letters', 'messages.1.content.0.id', [ask, calls('a.b'), results('a.b')]],
  ['an empty text', 'messages.0.content.0.text', [of({ type: 'text', text: '' })]],
  ['a blank text', 'messages.0.content.1.text', [of(text, { type: 'text', text: ' \n' })]],
  ['a blank string', 'messages.0.content', [{ role: 'user', content: ' ' }]],
  [
    'a blank text in a result',
    'messages.2.content.0.content.0.text',
    [ask, calls('a'), of(result('a', { content: [{ type: 'text', text: ' ' }] }))],
  ],
  [
    'an empty error',
    'messages.2.content.0.content',
    [ask, calls('a'), of(result('a', { content: '', is_error: true }))],
  ],
  ['an empty list', 'messages.1: all messages must have non-empty', [ask, by(), ask]],
  ['text as input', 'messages.1.content.0.input', [ask, by(call('a', { input: '{}' })), results('a')]],
  ['a list as input', 'messages.1.content.0.input', [ask, by(call('a', { input: [] })), results('a')]],
  ['an image above 5 MiB', 'messages.0.content.0.source.base64', [of(image(5 * MIB + 1))]],
  ['a first message of the assistant', 'messages.0.role', [by(text), ask]],
  ['a prefill', 'messages.1: This model does not support assistant', [ask, by(text)]],
  ['an unknown block', 'messages.0.content.0.type', [of({ type: 'constructor' })]],
  ['a call by the user', 'messages.0.content.0: `tool_use` blocks', [of(call('a'))]],
  [
    'a document by the assistant',
    'messages.1.content.0: `document`',
    [ask, by({ type: 'document', source: {} }), ask],
  ],
  ['citations of the user', 'messages.0.content.0.citations', [of({ ...text, citations: [{}] })]],
  ['an unknown field of a block', 'messages.0.content.0.colour', [of({ ...text, colour: 1 })]],
  ['an unknown field of a message', 'messages.0.name', [{ ...ask, name: 'x' }]],
  ['an unknown role', 'messages.0.role', [{ role: 'tool', content: 'x' }]],
  [
    'thinking without a signature',
    'messages.1.content.0.signature',
    [ask, by({ type: 'thinking', thinking: 'x' }, text), ask],
  ],
  ['five breakpoints', 'cache_control: A maximum of 4', [of(marked, marked, marked, marked, marked)]],
  ['a long ttl after a short one', 'messages.0.content.1: a ttl', [of(marked, hour)]],
  ['a role the model does not know', 'messages.1.role', [ask, { role: 'system', content: 'x' }]],
  ['no messages', 'messages: at least one', []],
];

const fields: readonly (readonly [string, string, object])[] = [
  ['an unknown field', 'betas: Extra inputs', { betas: [] }],
  ['a temperature', 'temperature', { temperature: 1 }],
  ['a top_p', 'top_p', { top_p: 1 }],
  ['a top_k', 'top_k', { top_k: 1 }],
  ['no max_tokens', 'max_tokens: Field required', { max_tokens: undefined }],
  ['max_tokens of 0', 'max_tokens', { max_tokens: 0 }],
  ['max_tokens of a half', 'max_tokens', { max_tokens: 0.5 }],
  ['max_tokens above the model', 'max_tokens: 128001 > 128000', { max_tokens: 128_001 }],
  ['a stream', 'stream', { stream: true }],
  ['a long user id', 'metadata.user_id', { metadata: { user_id: 'u'.repeat(257) } }],
  ['a numeric user id', 'metadata.user_id', { metadata: { user_id: 7 } }],
  ['more metadata', 'metadata.tenant', { metadata: { tenant: 't' } }],
  ['an unknown effort', 'output_config.effort', { output_config: { effort: 'heroic' } }],
  [
    'effort on Haiku 4.5',
    'output_config.effort',
    { model: 'claude-haiku-4-5', output_config: { effort: 'low' } },
  ],
  ['enabled thinking on Opus 5', 'thinking.type', { model: 'claude-opus-5', thinking: { type: 'enabled' } }],
  [
    'disabled thinking on Opus 5.5',
    'thinking.type',
    { model: 'claude-opus-5-5', thinking: { type: 'disabled' } },
  ],
  [
    'great effort without thinking on Haiku 5.5',
    'thinking.type',
    { model: 'claude-haiku-5-5', thinking: { type: 'disabled' }, output_config: { effort: 'max' } },
  ],
  [
    'a forced tool on Sonnet 5.5',
    'tool_choice.type',
    { model: 'claude-sonnet-5-5', tools: [tool()], tool_choice: { type: 'any' } },
  ],
  ['a choice without tools', 'tool_choice', { tool_choice: { type: 'auto' } }],
  ['a choice of no tool', 'tool_choice.name', { tools: [tool()], tool_choice: { type: 'tool', name: 'x' } }],
  ['a tool name with a dot', 'tools.0.name', { tools: [tool({ name: 'a.b' })] }],
  ['a tool name of 129 letters', 'tools.0.name', { tools: [tool({ name: 'a'.repeat(129) })] }],
  ['two tools of one name', 'tools.1.name', { tools: [tool(), tool()] }],
  [
    'a schema that is no object',
    'tools.0.input_schema.type',
    { tools: [tool({ input_schema: { type: 'string' } })] },
  ],
  [
    'a root anyOf',
    'tools.0.input_schema: anyOf',
    { tools: [tool({ input_schema: { type: 'object', anyOf: [] } })] },
  ],
  ['no schema', 'tools.0.input_schema', { tools: [{ name: 'a' }] }],
  ['an open strict tool', 'tools.0.input_schema', { tools: strict({}) }],
  [
    'a bounded strict tool',
    'tools.0.input_schema.properties.a',
    { tools: strict({ additionalProperties: false, properties: { a: { type: 'number', minimum: 1 } } }) },
  ],
  ['an unknown field of a tool', 'tools.0.colour', { tools: [tool({ colour: 1 })] }],
  ['blank system text', 'system.0.text', { system: [{ type: 'text', text: ' ' }] }],
  ['an image in system', 'system.0.type', { system: [{ type: 'image' }] }],
  ['an odd breakpoint', 'cache_control.type', { cache_control: { type: 'eternal' } }],
  ['an odd ttl', 'cache_control.ttl', { cache_control: { type: 'ephemeral', ttl: '2h' } }],
  [
    'four breakpoints and the automatic one',
    'cache_control: A maximum of 4',
    { cache_control: { type: 'ephemeral' }, messages: [of(marked, marked, marked, marked, text)] },
  ],
  [
    'another ttl on the last block',
    'cache_control.ttl: the last cacheable block',
    { cache_control: { type: 'ephemeral' }, messages: [of(hour)] },
  ],
];

const rows = [
  ...messages.map(([name, place, list]) => [name, place, { messages: list }] as const),
  ...fields,
];

it.each(rows)('refuses %s', (_, place, changes) => {
  const model = createScriptedModel({ brain: saysOk });

  const answer = post(model, aBody({ ...changes }));

  expect(answer.status).toBe(400);
  expect(errorOf(answer).type).toBe('invalid_request_error');
  expect(errorOf(answer).message.slice(0, place.length)).toBe(place);
  expect(model.billedMicroUsd()).toBe(0);
});

const good: readonly (readonly [string, object])[] = [
  ['neighbours of one role', { messages: [ask, ask, calls('a'), results('a'), ask, by(text), ask] }],
  ['an image of 5 MiB', { messages: [of(image(5 * MIB))] }],
  ['text after the results', { messages: [ask, calls('a'), of(result('a'), text)] }],
  [
    'a result without content',
    { messages: [ask, calls('a'), of({ type: 'tool_result', tool_use_id: 'a' })] },
  ],
  ['a server call in the air', { messages: [ask, by({ ...call('s'), type: 'server_tool_use' })] }],
  ['max_tokens of the model', { max_tokens: 128_000 }],
  ['a user id of 256 letters', { metadata: { user_id: 'u'.repeat(256) } }],
  ['four breakpoints', { messages: [of(hour, hour, marked, marked, text)] }],
  [
    'a system message on Opus 5',
    { model: 'claude-opus-5', messages: [ask, { role: 'system', content: 'note' }] },
  ],
  [
    'adaptive thinking and effort',
    { model: 'claude-sonnet-5-5', thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
  ],
  ['a forced tool', { tools: [tool()], tool_choice: { type: 'tool', name: 'search' } }],
];

it.each(good)('takes %s', (_, changes) => {
  const answer = post(createScriptedModel({ brain: saysOk }), aBody({ ...changes }));

  expect([answer.status, answer.body.slice(0, 20)]).toEqual([200, expect.stringContaining('msg_')]);
});

it.each([
  ['a high half alone', '"cut \\ud83d end"', false],
  ['a low half alone', '"cut \\uDE00 end"', false],
  ['a high half at the end', '"cut \\ud83d"', false],
  ['two high halves', '"\\ud83d\\ud83d\\ude00"', false],
  ['a raw half', '"cut \ud83d end"', false],
  ['a pair', '"smile \\ud83d\\ude00"', true],
  ['a raw pair', '"smile 😀"', true],
  ['an escaped backslash before u', '"path C:\\\\ud83d"', true],
])('judges %s by the raw text', (_, content, fine) => {
  const body = JSON.stringify(aBody()).replace('"hello"', content);

  expect(post(createScriptedModel({ brain: saysOk }), body).status).toBe(fine ? 200 : 400);
});

it.each([
  ['broken JSON', '{"model":', 400, 'invalid_request_error'],
  ['a list', '[]', 400, 'invalid_request_error'],
  ['a model without a price', JSON.stringify(aBody({ model: 'toString' })), 404, 'not_found_error'],
  ['more than 32 MiB', `"${'x'.repeat(32 * MIB)}"`, 413, 'request_too_large'],
])('refuses %s', (_, body, status, type) => {
  const answer = post(createScriptedModel({ brain: saysOk }), body);

  expect([answer.status, errorOf(answer).type]).toEqual([status, type]);
});

it.each([
  ['no credential', { 'anthropic-version': '2026-10-21' }, 401],
  ['no version', { authorization: 'Bearer x' }, 400],
  ['an unknown version', { ...headers, 'anthropic-version': '1' }, 400],
  ['x-api-key and the old version', { 'x-api-key': 'x', 'anthropic-version': '2023-06-01' }, 200],
])('answers a request with %s', (_, sent, status) => {
  const model = createScriptedModel({ brain: saysOk });
  const request = { method: 'POST', path: '/v1/messages', body: JSON.stringify(aBody()) };

  expect(model.respond({ ...request, headers: { ...sent } }).status).toBe(status);
});
