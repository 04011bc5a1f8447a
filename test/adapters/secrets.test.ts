import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, it } from 'vitest';
import { createSecret } from '../../src/adapters/secrets.ts';

const arn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:treadle-webhook-AbCdEf';

function aSecret() {
  const client = new SecretsManagerClient({ region: 'eu-central-1' });
  const clock = { nowMs: 1_000 };
  const secret = createSecret({ arn, client, now: () => clock.nowMs });
  const aws = mockClient(client);
  return { aws, secret, clock, asked: () => aws.commandCalls(GetSecretValueCommand).length };
}

const failing = (name: string) =>
  Object.assign(new Error('hunter2'), { name, $metadata: { requestId: 'r-1' } });
const caught = (work: Promise<string>) => work.catch((error: unknown) => error);

it('asks for nothing before it is read, and then by the ARN', async () => {
  const { aws, secret, asked } = aSecret();
  aws.on(GetSecretValueCommand).resolves({ SecretString: 'hunter2' });
  expect(asked()).toBe(0);
  expect(await secret.read()).toBe('hunter2');
  expect(aws.commandCalls(GetSecretValueCommand)[0]?.args[0].input).toEqual({ SecretId: arn });
});

it('keeps the value for five minutes', async () => {
  const { aws, secret, clock, asked } = aSecret();
  aws.on(GetSecretValueCommand).resolvesOnce({ SecretString: 'old' }).resolves({ SecretString: 'new' });
  await secret.read();
  clock.nowMs += 299_999;
  expect([await secret.read(), asked()]).toEqual(['old', 1]);
  clock.nowMs += 1;
  expect([await secret.read(), asked()]).toEqual(['new', 2]);
});

it('makes one request for all who read at the same time', async () => {
  const { aws, secret, asked } = aSecret();
  aws.on(GetSecretValueCommand).resolves({ SecretString: 'hunter2' });
  expect(await Promise.all([secret.read(), secret.read(), secret.read()])).toEqual([
    'hunter2',
    'hunter2',
    'hunter2',
  ]);
  expect(asked()).toBe(1);
});

it('asks again after it was told to forget', async () => {
  const { aws, secret } = aSecret();
  aws.on(GetSecretValueCommand).resolvesOnce({ SecretString: 'old' }).resolves({ SecretString: 'new' });
  expect(await secret.read()).toBe('old');
  secret.forget();
  expect(await secret.read()).toBe('new');
});

it('does not keep a value that was on its way when it was told to forget', async () => {
  const { aws, secret } = aSecret();
  aws.on(GetSecretValueCommand).resolvesOnce({ SecretString: 'old' }).resolves({ SecretString: 'new' });
  const early = secret.read();
  secret.forget();
  expect(await early).toBe('old');
  expect(await secret.read()).toBe('new');
});

it('keeps the newer value when an older request fails after it', async () => {
  const { aws, secret, asked } = aSecret();
  let fail: (error: Error) => void = () => undefined;
  const late = new Promise<never>((_, reject) => {
    fail = reject;
  });
  aws
    .on(GetSecretValueCommand)
    .callsFakeOnce(() => late)
    .resolves({ SecretString: 'new' });
  const early = caught(secret.read());
  secret.forget();
  expect(await secret.read()).toBe('new');
  fail(failing('TimeoutError'));
  expect(await early).toMatchObject({ name: 'RetryableError' });
  expect([await secret.read(), asked()]).toEqual(['new', 2]);
});

it('does not keep a failure, and shares it with those who were waiting', async () => {
  const { aws, secret, asked } = aSecret();
  aws
    .on(GetSecretValueCommand)
    .rejectsOnce(failing('ThrottlingException'))
    .resolves({ SecretString: 'hunter2' });
  const [one, two] = await Promise.all([caught(secret.read()), caught(secret.read())]);
  expect([one, two]).toMatchObject([{ name: 'RetryableError' }, { name: 'RetryableError' }]);
  expect(asked()).toBe(1);
  expect(await secret.read()).toBe('hunter2');
});

it.each([
  ['hunter2', 'hunter2'],
  [' hunter2\n', 'hunter2'],
  ['{not json}', '{not json}'],
  ['"quoted"', '"quoted"'],
  ['{"value":"hunter2","note":"x"}', 'hunter2'],
  ['{"ANTHROPIC_API_KEY":"hunter2"}', 'hunter2'],
  [' {"value": "hunter2 "}', 'hunter2'],
])('reads %j as %j', async (text, value) => {
  const { aws, secret } = aSecret();
  aws.on(GetSecretValueCommand).resolves({ SecretString: text });
  expect(await secret.read()).toBe(value);
});

it.each([
  undefined,
  '',
  ' \n',
  '{}',
  '{"a":"hunter2","b":"hunter2"}',
  '{"value":7,"a":"hunter2"}',
  '{"a":{"b":"hunter2"}}',
])('refuses %j, naming the secret and not what it holds', async (text) => {
  const { aws, secret } = aSecret();
  aws.on(GetSecretValueCommand).resolves(text === undefined ? {} : { SecretString: text });
  const error = await caught(secret.read());
  expect(error).toMatchObject({ name: 'TerminalError', code: 'unusable_secret' });
  expect(String(error)).toContain('secret treadle-webhook-AbCdEf must hold');
  expect(String(error)).not.toMatch(/hunter2|123456789012/);
});

it.each([
  ['ThrottlingException', 'RetryableError'],
  ['InternalServiceError', 'RetryableError'],
  ['TimeoutError', 'RetryableError'],
  ['AccessDeniedException', 'TerminalError'],
  ['ResourceNotFoundException', 'TerminalError'],
  ['DecryptionFailure', 'TerminalError'],
])('fails after %s with a %s in words of its own', async (name, kind) => {
  const { aws, secret } = aSecret();
  aws.on(GetSecretValueCommand).rejects(failing(name));
  expect(await caught(secret.read())).toMatchObject({
    name: kind,
    message: `reading secret treadle-webhook-AbCdEf: ${name} (request r-1)`,
  });
});
