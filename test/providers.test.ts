import { afterEach, expect, it, vi } from 'vitest';
import { defaultProvider } from '../src/adapters/function-credentials.ts';
import { builtInPrices, regionalPrices } from '../src/core/prices.ts';
import { provider as anthropic } from '../src/providers/anthropic.ts';
import { provider as bedrock } from '../src/providers/bedrock.ts';
import { provider as platform } from '../src/providers/claude-platform.ts';
import { modelFrom } from '../src/providers/provider.ts';
import { pricesFrom } from '../src/read-prices.ts';
import { apiSettings, modelProviders, readSettings, workerSettings } from '../src/settings.ts';

afterEach(() => vi.unstubAllEnvs());

const needed = { TABLE_NAME: 'table', QUEUE_URL: 'http://127.0.0.1:1/queue' };
const settings = (environment: Record<string, string>) =>
  readSettings(workerSettings, { ...needed, ...environment });

it('there is one provider for each name that a setting may have', () => {
  expect([anthropic, platform, bedrock].map(({ name }) => name)).toEqual([...modelProviders]);
});

it('makes a model without asking anybody or reading a secret', () => {
  const MODEL_SECRET_ARN = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:key-AbCdEf';
  expect(modelFrom(anthropic, settings({ MODEL_SECRET_ARN }))).toHaveProperty('ask');
  const ANTHROPIC_AWS_WORKSPACE_ID = 'wrkspc_1';
  const onPlatform = settings({ MODEL_PROVIDER: 'claude-platform', ANTHROPIC_AWS_WORKSPACE_ID });
  expect(modelFrom(platform, onPlatform)).toHaveProperty('ask');
  expect(modelFrom(bedrock, settings({ MODEL_PROVIDER: 'bedrock' }))).toHaveProperty('ask');
});

it('a function that was bundled for another provider than its setting names says so at its start', () => {
  expect(() => modelFrom(anthropic, settings({ MODEL_PROVIDER: 'bedrock' }))).toThrow(
    'MODEL_PROVIDER is bedrock, and the function was bundled for anthropic',
  );
});

it('Claude Platform on AWS without a workspace is refused by the name of the setting', () => {
  expect(() => modelFrom(platform, settings({ MODEL_PROVIDER: 'claude-platform' }))).toThrow(
    'ANTHROPIC_AWS_WORKSPACE_ID',
  );
});

it.each([
  ['MODEL_PROVIDER', 'vertex'],
  ['BEDROCK_MODEL_IDS', '{"a":1}'],
  ['BEDROCK_MODEL_IDS', 'none'],
  ['MODEL_SECRET_ARN', ''],
])('%s "%s" is refused by its name', (name, value) => {
  expect(() => settings({ [name]: value })).toThrow(name);
});

it('the API knows what a model costs and nothing of how it is reached', () => {
  const names = Object.keys(apiSettings.shape);
  expect(names).toEqual(expect.arrayContaining(['TREADLE_PRICES', 'MODEL_PROVIDER']));
  expect(names.filter((name) => /SECRET_ARN|ANTHROPIC|BEDROCK/.test(name))).toEqual(['WEBHOOK_SECRET_ARN']);
});

it('Bedrock costs a tenth more at its regional endpoints, rounded up, above a threshold too', () => {
  const dearer = regionalPrices(builtInPrices)['claude-haiku-5-5'];
  expect(dearer).toMatchObject({ input: 110_000, output: 550_000, cacheWrite5m: 137_500, cacheRead: 11_000 });
  expect(dearer?.above).toMatchObject({ tokens: 100_000, rates: { input: 550_000, output: 2_750_000 } });
  expect(dearer?.minCacheTokens).toBe(builtInPrices['claude-haiku-5-5']?.minCacheTokens);
  const odd = { ...regionalPrices({ odd: { ...builtInPrices['scripted-1'], input: 1 } as never }) };
  expect(odd['odd']?.input).toBe(2);
});

it('own prices are laid over those of the provider as they are', () => {
  const own = { ...builtInPrices['claude-haiku-5-5'], input: 7 };
  const TREADLE_PRICES = JSON.stringify({ 'claude-haiku-5-5': own });
  const table = pricesFrom({ TREADLE_PRICES, MODEL_PROVIDER: 'bedrock' });
  expect(table['claude-haiku-5-5']?.input).toBe(7);
  expect(table['claude-sonnet-5-5']?.input).toBe(2_200_000);
  expect(pricesFrom({ MODEL_PROVIDER: 'claude-platform' })).toEqual(builtInPrices);
});

it('a function knows the credentials that Lambda hands it, and names the variables that are missing', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKID');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'hidden');
  vi.stubEnv('AWS_SESSION_TOKEN', 'session');
  const provide = defaultProvider();
  const whole = { accessKeyId: 'AKID', secretAccessKey: 'hidden', sessionToken: 'session' };
  expect(await provide()).toEqual(whole);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', '');
  await expect(provide()).rejects.toThrow('AWS_SECRET_ACCESS_KEY');
});
