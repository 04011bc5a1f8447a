import { afterEach, beforeEach, expect, it } from 'vitest';
import { jobFacts } from '../src/core/facts.ts';
import { ending } from '../src/core/stop-rules.ts';
import { localTelemetry } from '../src/local/local-telemetry.ts';
import type { Fact } from '../src/ports.ts';
import { telemetryFrom as none } from '../src/telemetry/none.ts';
import { telemetryFrom } from '../src/telemetry/otlp.ts';
import { aJob } from './support/a-job.ts';
import { type Collector, startCollector } from './support/otlp-collector.ts';

let collector: Collector;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(() => collector.close());

const fact: Fact = {
  ...{ type: 'ended', model: 'm' },
  job: jobFacts(aJob({ status: ending('completed'), endedAtMs: 1 })),
};
const lines: unknown[] = [];
const log = (...line: readonly unknown[]): void => void lines.push(line);
const here = (more: Readonly<Record<string, string>> = {}) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  ...more,
});

it.each([{}, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, { OTEL_SERVICE_NAME: 'desk' }])(
  'there is none where the environment names no collector: %j',
  (environment) => {
    expect(telemetryFrom({ environment, log })).toBeUndefined();
  },
);

it('there is none where the SDK is disabled, or the bundle was made without it', () => {
  expect(telemetryFrom({ environment: here({ OTEL_SDK_DISABLED: 'true' }), log })).toBeUndefined();
  expect(none({ environment: here(), log })).toBeUndefined();
});

it.each(['localhost:4318', 'collector', 'ftp://o.example'])(
  '%s is no collector, which is said by name',
  (endpoint) => {
    expect(() => telemetryFrom({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, log })).toThrow(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
    );
  },
);

it.each([
  [{}, 'anthropic'],
  [{ MODEL_PROVIDER: 'claude-platform' }, 'anthropic'],
  [{ MODEL_PROVIDER: 'bedrock' }, 'aws.bedrock'],
])('a function tells by whom the model is served, and which function it is: %j', async (more, name) => {
  const telemetry = telemetryFrom({
    environment: here({ ...more, AWS_LAMBDA_FUNCTION_NAME: 'worker-1' }),
    log,
  });
  telemetry?.told(fact);
  await telemetry?.flush(5_000);
  expect(collector.spans).toMatchObject([
    {
      attributes: { 'gen_ai.provider.name': name },
      resource: { 'cloud.provider': 'aws', 'faas.name': 'worker-1' },
    },
  ]);
});

it('on this machine what no model has answered says so, and no secret of an account is read', async () => {
  const secret = { TREADLE_OTLP_HEADERS_SECRET_ARN: 'arn:aws:secretsmanager:eu-central-1:1:secret:x' };
  const telemetry = localTelemetry(here({ ...secret, MODEL_PROVIDER: 'bedrock' }), { scripted: true }, log);
  telemetry?.told(fact);
  await telemetry?.flush(5_000);
  expect(collector.spans).toMatchObject([{ attributes: { 'gen_ai.provider.name': 'scripted' } }]);
  expect(lines).toEqual([]);
});

it('sums are counted from the beginning where the environment asks for that', async () => {
  const preference = { OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'Cumulative' };
  const telemetry = telemetryFrom({ environment: here(preference), log });
  for (let times = 0; times < 2; times += 1) {
    telemetry?.told(fact);
    await telemetry?.flush(5_000);
  }
  expect(collector.points.map(({ value, temporality }) => [value, temporality])).toEqual([
    [1, 2],
    [2, 2],
  ]);
});
