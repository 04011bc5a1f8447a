import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { zipFolder } from '../../../scripts/size/zip.ts';
import { bundleFunctions } from '../../../src/bundle.ts';
import { aMessage, json, type Seen, startMessagesServer } from '../../support/messages-server.ts';
import { newFolder, projectFile } from '../processes.ts';
import { openAccount } from './account.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const ARN = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:treadle-key-AbCdEf';

/** Runs one job of one step by a bundle for a provider, and says what the worker asked for on its way. */
async function askedBy(
  provider: 'anthropic' | 'claude-platform' | 'bedrock',
  variables: (url: string) => Readonly<Record<string, string>>,
): Promise<readonly Seen[]> {
  const agents = projectFile('test/slow/lambda-runtime/walker-agents.ts');
  const bundled = bundleFunctions({ outDir: newFolder(), agents, provider });
  const server = await startMessagesServer();
  server.answer = (response, { headers }) =>
    headers['x-amz-target'] === 'secretsmanager.GetSecretValue'
      ? json(200, { ARN, Name: 'treadle-key', SecretString: '{"apiKey":"sk-of-the-secret"}' })(response)
      : json(200, aMessage)(response);
  const account = await openAccount({
    archiveOf: (name) => zipFolder(bundled.folderOf(name)),
    model: { MODEL_PROVIDER: provider, ...variables(server.url) },
    ...{ recursiveLoop: 'Allow', reconciled: false },
  });
  closing.push(account.close, server.close);
  const made = await account.send({ method: 'POST', path: '/jobs', body: { agent: 'walker', input: 'go' } });
  for (let tries = 0; tries < 100; tries += 1) {
    const { json: job } = await account.send({ path: `/jobs/${made.json['id']}` });
    if (job['status'] === 'succeeded') break;
    if (tries === 99) throw new Error(`${JSON.stringify(job['stop'])} ${account.worker.logs()}`);
    await sleep(100);
  }
  expect(account.worker.logs()).not.toMatch(/sk-of-the-secret|session/);
  return server.seen;
}

it('a worker that is told a secret reads its key there once, by the role of the function', async () => {
  const seen = await askedBy('anthropic', (url) => ({
    ...{ MODEL_SECRET_ARN: ARN, AWS_ENDPOINT_URL_SECRETS_MANAGER: url, ANTHROPIC_BASE_URL: url },
  }));
  expect(seen).toHaveLength(2);
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ SecretId: ARN });
  expect(seen[0]?.headers['x-amz-security-token']).toBe('session');
  expect(seen[1]).toMatchObject({
    url: '/v1/messages',
    headers: { authorization: 'Bearer sk-of-the-secret' },
  });
});

it.each([
  [
    'claude-platform',
    (url: string) => ({ ANTHROPIC_AWS_BASE_URL: url, ANTHROPIC_AWS_WORKSPACE_ID: 'wrkspc_1' }),
    { path: '/v1/messages', service: 'aws-external-anthropic', model: 'scripted-1' },
  ],
  [
    'bedrock',
    (url: string) => ({ ANTHROPIC_BEDROCK_MANTLE_BASE_URL: `${url}/anthropic` }),
    { path: '/anthropic/v1/messages', service: 'bedrock-mantle', model: 'anthropic.scripted-1' },
  ],
] as const)(
  'a worker bundled for %s signs its request by the role of the function',
  async (provider, variables, right) => {
    const [seen, ...others] = await askedBy(provider, variables);
    expect(others).toEqual([]);
    expect(seen?.url).toBe(right.path);
    expect(JSON.parse(seen?.body ?? '')).toHaveProperty('model', right.model);
    expect(seen?.headers['x-amz-security-token']).toBe('session');
    expect(seen?.headers.authorization).toMatch(
      new RegExp(`^AWS4-HMAC-SHA256 Credential=local/\\d{8}/us-east-1/${right.service}/aws4_request, `),
    );
  },
);
