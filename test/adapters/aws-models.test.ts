import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBedrock } from '../../src/adapters/bedrock.ts';
import { createClaudePlatform } from '../../src/adapters/claude-platform.ts';
import type { Model } from '../../src/ports.ts';
import { aRequest, json, type MessagesServer, startMessagesServer } from '../support/messages-server.ts';

let server: MessagesServer;
beforeEach(async () => {
  for (const name of Object.keys(process.env)) {
    if (/^(ANTHROPIC_|AWS_BEARER)/.test(name)) vi.stubEnv(name, undefined);
  }
  server = await startMessagesServer();
});
afterEach(() => {
  vi.unstubAllEnvs();
  server.close();
});

const credentials = async () => ({
  accessKeyId: 'AKIDROLE',
  secretAccessKey: 'hidden',
  sessionToken: 'session',
});
type Make = (access?: Partial<Parameters<typeof createBedrock>[0]>) => Model;
const platform: Make = (access = {}) =>
  createClaudePlatform({
    ...{ workspaceId: 'wrkspc_1', awsRegion: 'eu-central-1', baseURL: server.url, credentials },
    ...access,
  });
const bedrock: Make = (access = {}) =>
  createBedrock({ awsRegion: 'eu-central-1', baseURL: `${server.url}/anthropic`, credentials, ...access });
const ask = (model: Model, signal = new AbortController().signal) => model.ask(aRequest, signal);

describe.each([
  ['Claude Platform on AWS', platform, '/v1/messages', 'aws-external-anthropic', 'claude-haiku-5-5'],
  ['Bedrock', bedrock, '/anthropic/v1/messages', 'bedrock-mantle', 'anthropic.claude-haiku-5-5'],
] as const)('%s', (_, make, path, service, model) => {
  it('is asked for its model by a request that the role has signed', async () => {
    expect(await ask(make())).toMatchObject({ type: 'reply', reply: { stopReason: 'end_turn' } });
    const [seen] = server.seen;
    expect(seen?.url).toBe(path);
    expect(JSON.parse(seen?.body ?? '')).toMatchObject({ model, max_tokens: 1_000 });
    expect(Object.keys(JSON.parse(seen?.body ?? '')).at(-1)).toBe('messages');
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
    expect(seen?.headers['x-amz-date']).toMatch(new RegExp(`^${day}T\\d{6}Z$`));
    expect(seen?.headers['x-amz-security-token']).toBe('session');
    expect(seen?.headers['anthropic-version']).toBe('2026-10-21');
    const { authorization = '' } = seen?.headers ?? {};
    expect(authorization).toContain(
      `AWS4-HMAC-SHA256 Credential=AKIDROLE/${day}/eu-central-1/${service}/aws4_request, SignedHeaders=`,
    );
    for (const header of ['host', 'x-amz-date', 'x-amz-security-token', 'anthropic-version'])
      expect(authorization).toMatch(new RegExp(`SignedHeaders=[^,]*\\b${header}\\b`));
    expect(authorization).toMatch(/, Signature=[0-9a-f]{64}$/);
  });

  it('is never sent a key of the vendor that stands in the environment', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-hidden');
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token-hidden');
    await ask(make());
    expect(JSON.stringify(server.seen)).not.toMatch(/sk-ant-hidden|token-hidden/);
  });

  it.each([
    [529, { type: 'wait', billed: 'no', retryAfterMs: 7_000, problem: '529 overloaded_error' }],
    [403, { type: 'refused', reason: 'configuration' }],
    [401, { type: 'refused', reason: 'configuration' }],
    [400, { type: 'refused', reason: 'rejected_request' }],
  ])(
    'answers %i with what the vendor itself would have meant, and is asked once',
    async (status, outcome) => {
      const type = status === 529 ? 'overloaded_error' : 'some_error';
      server.answer = json(status, { type: 'error', error: { type, message: 'x' } }, { 'retry-after': '7' });
      expect(await ask(make())).toMatchObject(outcome);
      expect(server.seen).toHaveLength(1);
    },
  );

  it('proves nothing with an error that breaks off', async () => {
    server.answer = (response) => {
      response.writeHead(529, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"type":', () => response.destroy());
    };
    expect(await ask(make())).toMatchObject({ type: 'wait', billed: 'unknown' });
    expect(server.seen).toHaveLength(1);
  });

  it('is waited for, and nothing was billed, when the credentials cannot be fetched', async () => {
    const failing = async () => {
      throw new Error('hidden');
    };
    const outcome = await ask(make({ credentials: failing }));
    expect(outcome).toEqual({
      ...{ type: 'wait', billed: 'no', retryAfterMs: undefined },
      problem: 'the credentials could not be fetched',
    });
    expect(server.seen).toEqual([]);
  });

  it('is given up when the time is over', async () => {
    server.answer = () => undefined;
    const controller = new AbortController();
    const asked = ask(make(), controller.signal);
    await vi.waitFor(() => expect(server.seen).toHaveLength(1));
    controller.abort();
    expect(await asked).toMatchObject({ type: 'wait', billed: 'unknown', problem: 'timed out' });
  });
});

it('Claude Platform on AWS is told the workspace', async () => {
  await ask(platform());
  expect(server.seen[0]?.headers['anthropic-workspace-id']).toBe('wrkspc_1');
});

it('Bedrock is asked for another id where one is set', async () => {
  const modelIds = { 'claude-haiku-5-5': 'eu.anthropic.claude-haiku-5-5-v1' };
  const model = createBedrock({ awsRegion: 'eu-central-1', baseURL: server.url, credentials, modelIds });
  await ask(model);
  await model.ask({ ...aRequest, model: 'toString' }, new AbortController().signal);
  expect(server.seen.map(({ body }) => JSON.parse(body).model)).toEqual([
    'eu.anthropic.claude-haiku-5-5-v1',
    'anthropic.toString',
  ]);
});

it('the region that is not said makes a job end as one that is not configured', async () => {
  vi.stubEnv('AWS_REGION', undefined);
  vi.stubEnv('AWS_DEFAULT_REGION', undefined);
  const outcome = await ask(createBedrock({ credentials }));
  expect(outcome).toMatchObject({ type: 'refused', reason: 'configuration' });
  expect(outcome).toHaveProperty('problem', expect.stringContaining('AWS_REGION'));
});
