import Anthropic from '@anthropic-ai/sdk';
import { afterEach, expect, it } from 'vitest';
import { createScriptedModel } from '../../../src/adapters/scripted-model/model.ts';
import { readScript } from '../../../src/adapters/scripted-model/script.ts';
import { scriptedFetch } from '../../../src/adapters/scripted-model/scripted-fetch.ts';
import { type ScriptedServer, startScriptedModel } from '../../../src/adapters/scripted-model/server.ts';
import { aBody, headers, saysOk } from './ask.ts';

const params = {
  model: 'scripted-1',
  max_tokens: 1000,
  metadata: { user_id: 'job' },
  messages: [{ role: 'user' as const, content: 'hello' }],
};
const slowScript = readScript('{"name":"slow","turns":[{"http":200,"body":"{}","delayMs":3600000}]}');
const failing = readScript(
  '{"name":"busy","turns":[{"http":529,"body":{"type":"error"}}],"repeat_last":true}',
);

const open: ScriptedServer[] = [];
async function start(options: Parameters<typeof startScriptedModel>[0]): Promise<ScriptedServer> {
  const server = await startScriptedModel(options);
  open.push(server);
  return server;
}
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const clientOf = (baseURL: string) => new Anthropic({ apiKey: 'x', authToken: null, baseURL, maxRetries: 0 });

it('is a Messages API to the real SDK', async () => {
  const { url, model } = await start({ brain: saysOk });
  const client = clientOf(url);

  const { data, request_id } = await client.messages.create(params).withResponse();
  const counted = await client.messages.countTokens({ model: params.model, messages: params.messages });

  expect(data).toMatchObject({ content: [{ type: 'text', text: 'ok' }], usage: { input_tokens: 9 } });
  expect(request_id).toBe('req_000000000001');
  expect(counted.input_tokens).toBe(9);
  expect(model.calls()).toMatchObject([{ conversation: 'job', status: 200, prefixIntact: null }]);
});

it('raises the errors of the SDK that a script asks for', async () => {
  const { url } = await start({ script: failing });

  await expect(clientOf(url).messages.create(params)).rejects.toMatchObject({ status: 529 });
  await expect(clientOf(url).messages.create({ ...params, max_tokens: 0 })).rejects.toMatchObject({
    status: 400,
    type: 'invalid_request_error',
  });
});

it('lists calls over HTTP', async () => {
  const { url } = await start({ brain: saysOk });
  await fetch(`${url}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(aBody()) });

  const listed: unknown = await (await fetch(`${url}/_calls`)).json();

  expect(listed).toMatchObject({ calls: [{ n: 1, status: 200 }], billedMicroUsd: expect.any(Number) });
});

it('answers 413 to a body above 32 MiB', async () => {
  const { url } = await start({ brain: saysOk });
  const body = Buffer.alloc(32 * 1024 * 1024 + 1, 'x');

  expect((await fetch(`${url}/v1/messages`, { method: 'POST', headers, body })).status).toBe(413);
});

it('bills a client that went away before its answer, and closes while one is waiting', async () => {
  const { url, model } = await start({ script: slowScript });
  const leaving = new AbortController();
  const asked = fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers,
    body: JSON.stringify(aBody()),
    signal: leaving.signal,
  });
  await expect.poll(() => model.calls().length).toBe(1);

  leaving.abort();

  await expect(asked).rejects.toThrow();
  expect(model.calls()[0]?.status).toBe(200);
});

it('answers 500 when the rules throw', async () => {
  const { url } = await start({
    brain: () => {
      throw new Error('a bug');
    },
  });

  await expect(clientOf(url).messages.create(params)).rejects.toMatchObject({
    status: 500,
    type: 'api_error',
  });
});

it('serves the SDK without a socket through its fetch', async () => {
  const model = createScriptedModel({ brain: saysOk, recordBodies: true });
  const client = new Anthropic({ apiKey: 'x', authToken: null, fetch: scriptedFetch(model), maxRetries: 0 });

  const reply = await client.messages.create(params);

  expect(reply.stop_reason).toBe('end_turn');
  expect(model.bodies()).toEqual([JSON.stringify(params)]);
});

it('waits for a delayed answer by the given sleep, and lets an abort end the wait', async () => {
  const slept: number[] = [];
  const model = createScriptedModel({ script: { ...slowScript, repeat_last: true } });
  const instant = scriptedFetch(model, async (ms) => {
    slept.push(ms);
  });
  const ask = { method: 'POST', headers, body: JSON.stringify(aBody()) };
  const leaving = new AbortController();

  expect((await instant('http://model/v1/messages', ask)).status).toBe(200);
  const waiting = scriptedFetch(model)('http://model/v1/messages', { ...ask, signal: leaving.signal });
  await expect.poll(() => model.calls().length).toBe(2);
  leaving.abort();

  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  expect(slept).toEqual([3_600_000]);
});
