import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { RequestMessage } from '../../../src/adapters/scripted-model/brain.ts';
import { createScriptedModel, type ScriptedModel } from '../../../src/adapters/scripted-model/model.ts';
import { readScript } from '../../../src/adapters/scripted-model/script.ts';
import { aBody, errorOf, post, replyOf, saysOk } from './ask.ts';

const user = { role: 'user', content: 'hello' };

function fieldScript(name: string) {
  return readScript(readFileSync(new URL(`../../field/scripts/${name}.json`, import.meta.url), 'utf8'));
}

function scripted(turns: readonly object[], repeat = false) {
  const script = readScript(JSON.stringify({ name: 'test', turns, repeat_last: repeat }));
  return createScriptedModel({ script, now: () => 0 });
}

/** Sends what came back, followed by results for its calls, and gives the status. */
function sendBack(model: ScriptedModel, content: readonly { readonly type: string }[]): number {
  const results = content
    .filter((block): block is { type: string; id: string } => block.type === 'tool_use' && 'id' in block)
    .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'r' }));
  const messages = [user, { role: 'assistant', content }, { role: 'user', content: results }];
  return post(model, aBody({ messages })).status;
}

it('gives every conversation the turns in order, then says that the script is exhausted', () => {
  const model = createScriptedModel({ script: fieldScript('rate_429_20s') });
  const statuses = (id: string) =>
    [1, 2, 3, 4].map(() => post(model, aBody({ metadata: { user_id: id } })).status);

  expect(statuses('a')).toEqual([429, 429, 200, 400]);
  expect(statuses('b')).toEqual([429, 429, 200, 400]);
  expect(errorOf(post(model, aBody({ metadata: { user_id: 'a' } }))).type).toBe('script_exhausted');
});

it('tells conversations without a user id apart by their first user message', () => {
  const model = scripted([
    { http: 200, body: 'a' },
    { http: 200, body: 'b' },
  ]);
  const ask = (...texts: string[]) =>
    post(model, aBody({ metadata: {}, messages: texts.map((content) => ({ role: 'user', content })) })).body;

  expect([ask('one'), ask('two'), ask('one', 'more')]).toEqual(['a', 'a', 'b']);
});

it('gives no turn to a request it refuses', () => {
  const model = scripted([{ http: 200, body: 'a' }]);

  expect(post(model, aBody({ temperature: 1 })).status).toBe(400);
  expect(post(model, aBody()).body).toBe('a');
});

it('sends text as it is, with the headers and the delay of the turn', () => {
  const model = scripted([
    { http: 200, body: '<html>', headers: { 'Retry-After': '3' }, delayMs: 7 },
    { http: 200, body: '{"id":' },
  ]);

  const page = post(model, aBody());
  expect(page).toMatchObject({ body: '<html>', delayMs: 7 });
  expect(page.headers).toMatchObject({ 'content-type': 'text/html', 'retry-after': '3' });
  expect(post(model, aBody())).toMatchObject({
    body: '{"id":',
    headers: { 'content-type': 'application/json', 'request-id': 'req_000000000002' },
  });
});

it('counts where a script says count, and bills nothing where it says nothing', () => {
  const content = [{ type: 'text', text: 'ok' }];
  const model = scripted([
    { http: 200, body: { content, usage: 'count' } },
    { http: 200, body: { content } },
    { http: 529, body: { type: 'error' } },
  ]);

  // 35 bytes of messages are 9 tokens; [{"type":"text","text":"ok"}] has 29 bytes, 8 tokens.
  const counted: unknown = JSON.parse(post(model, aBody()).body);
  post(model, aBody());
  post(model, aBody());

  expect(counted).toMatchObject({ usage: { input_tokens: 9, output_tokens: 8, cache_read_input_tokens: 0 } });
  // 9 at 3 and 8 at 15 dollars a million: 147 micro-dollars.
  expect(model.calls().map((call) => call.costMicroUsd)).toEqual([147, null, null]);
  expect(model.calls().map((call) => call.usage?.output ?? null)).toEqual([8, null, null]);
  expect(model.billedMicroUsd()).toBe(147);
});

it('bills what a script says was used', () => {
  const model = createScriptedModel({ script: fieldScript('cache_usage') });

  post(model, aBody());

  // 10 at 3, 100000 at 3.75 and 50 at 15 dollars a million.
  expect(model.billedMicroUsd()).toBe(30 + 375_000 + 750);
});

it('answers by rules with the same bytes for the same request', () => {
  const call = { type: 'tool_use', name: 'search', input: {} };
  const model = createScriptedModel({ brain: () => ({ content: [call] }) });
  const once = post(model, aBody());

  expect(post(model, aBody()).body).toBe(once.body);
  expect(replyOf(once)).toMatchObject({
    stop_reason: 'tool_use',
    content: [{ ...call, id: expect.any(String) }],
  });
});

it('shows the rules merged messages with content as lists', () => {
  const seen: (readonly RequestMessage[])[] = [];
  const model = createScriptedModel({
    brain: ({ messages }) => {
      seen.push(messages);
      return undefined;
    },
  });

  const answer = post(model, aBody({ messages: [user, user] }));

  const text = { type: 'text', text: 'hello' };
  expect(seen).toEqual([[{ role: 'user', content: [text, text] }]]);
  expect(errorOf(answer)).toEqual({ type: 'invalid_request_error', message: 'no rules for this agent' });
});

it('wants the thinking of the last turn back as it was sent', () => {
  const model = createScriptedModel({ script: fieldScript('thinking_roundtrip') });
  const { content } = replyOf(post(model, aBody()));
  const [first, second, third, fourth] = content;
  const moved = [first, third, second, fourth].filter((block) => block !== undefined);
  const changed = content.map((block) => (block.type === 'thinking' ? { ...block, thinking: 'x' } : block));

  expect(sendBack(model, changed)).toBe(400);
  expect(sendBack(model, moved)).toBe(400);
  expect(sendBack(model, content.slice(1))).toBe(400);
  expect(
    sendBack(
      model,
      content.filter((block) => block.type !== 'thinking'),
    ),
  ).toBe(400);
  expect(model.calls().at(-1)?.problem).toMatch(/^messages\.1\.content\.0: `thinking`/);
  expect(sendBack(model, content)).toBe(200);
});

it('takes thinking that it cannot know after a restart', () => {
  const { content } = replyOf(
    post(createScriptedModel({ script: fieldScript('thinking_roundtrip') }), aBody()),
  );

  expect(sendBack(createScriptedModel({ script: fieldScript('thinking_roundtrip') }), content)).toBe(200);
});

it('goes on from a paused turn, and refuses any other last message of the assistant', () => {
  const body = { content: [{ type: 'text', text: 'wait' }], stop_reason: 'pause_turn' };
  const model = scripted([{ http: 200, body }], true);
  const ask = (text: string) =>
    post(model, aBody({ messages: [user, { role: 'assistant', content: [{ type: 'text', text }] }] })).status;

  expect(ask('wait')).toBe(400);
  post(model, aBody());
  expect([ask('wait'), ask('waiting')]).toEqual([200, 400]);
});

it('reports whether a request extends the one before it, and refuses nothing for that', () => {
  const model = createScriptedModel({ brain: saysOk, now: () => 0 });
  const answer = { role: 'assistant', content: 'ok' };
  const longer = aBody({ messages: [user, answer, user], max_tokens: 5000 });

  const statuses = [aBody(), longer, aBody({ messages: [user] })].map((body) => post(model, body).status);

  expect(statuses).toEqual([200, 200, 200]);
  expect(model.calls().map((call) => call.prefixIntact)).toEqual([null, true, false]);
  expect(model.calls()[2]?.prefixDifference).toBe('messages.1: no longer there');
});

it('lists its calls without a word of the conversation', () => {
  const model = createScriptedModel({ brain: saysOk, now: () => 0 });
  post(model, aBody({ metadata: {}, messages: [{ role: 'user', content: 'a secret word' }] }));
  post(model, aBody({ metadata: {}, messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }));

  const listed = model.respond({ method: 'GET', path: '/_calls', headers: {}, body: '' }).body;

  expect(listed).not.toContain('secret');
  expect(JSON.parse(listed)).toMatchObject({
    billedMicroUsd: model.billedMicroUsd(),
    calls: [
      {
        n: 1,
        model: 'scripted-1',
        status: 200,
        maxTokens: 1000,
        prefixIntact: null,
        at: '1970-01-01T00:00:00.000Z',
      },
      {
        n: 2,
        status: 400,
        costMicroUsd: null,
        problem: expect.stringContaining('messages.0.content.0.text'),
      },
    ],
  });
});

it('counts tokens for nothing, without max_tokens', () => {
  const model = createScriptedModel({ brain: saysOk });
  const path = '/v1/messages/count_tokens';
  const { model: name, messages } = aBody();

  expect(post(model, { model: name, messages }, path)).toMatchObject({
    status: 200,
    body: '{"input_tokens":9}',
  });
  expect(post(model, { model: name, messages: [] }, path).status).toBe(400);
  expect(model.calls()).toEqual([]);
});

it('knows no other address', () => {
  expect(post(createScriptedModel({}), aBody(), '/v1/complete')).toMatchObject({ status: 404 });
});

it('keeps raw bodies only when asked to', () => {
  const [keeps, forgets] = [true, false].map((recordBodies) =>
    createScriptedModel({ brain: saysOk, recordBodies }),
  );
  for (const model of [keeps, forgets]) if (model !== undefined) post(model, aBody());

  expect(keeps?.bodies()).toEqual([JSON.stringify(aBody())]);
  expect(forgets?.bodies()).toEqual([]);
});
