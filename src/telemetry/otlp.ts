import type { ProviderName } from '../adapters/otel/attributes.ts';
import { systemClock } from '../adapters/system.ts';
import { createTelemetryBuffer } from '../adapters/telemetry-buffer.ts';
import { once } from '../once.ts';
import { secretLater } from '../secret-later.ts';
import { type ModelProvider, readSettings, telemetrySettings } from '../settings.ts';
import type { TelemetryFrom } from './telemetry.ts';

const providerNames: Readonly<Record<ModelProvider, ProviderName>> = {
  anthropic: 'anthropic',
  'claude-platform': 'anthropic',
  bedrock: 'aws.bedrock',
};

/** By the standard variables. The SDK of OpenTelemetry is loaded when there is something to send. */
export const telemetryFrom: TelemetryFrom = ({ environment, log, provider }) => {
  const settings = readSettings(telemetrySettings, environment);
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TREADLE_OTLP_HEADERS_SECRET_ARN: arn } = settings;
  if (endpoint === undefined || settings.OTEL_SDK_DISABLED === 'true') return undefined;
  const { AWS_LAMBDA_FUNCTION_NAME: name, OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: sums } =
    settings;
  const sender = once(async () =>
    (await import('../adapters/otel/sender.ts')).createOtlpSender({
      endpoint,
      headers: arn === undefined ? undefined : secretLater(arn),
      provider: provider ?? providerNames[settings.MODEL_PROVIDER],
      temporality: sums?.toLowerCase() === 'cumulative' ? 'cumulative' : 'delta',
      resource: name === undefined ? {} : { 'cloud.provider': 'aws', 'faas.name': name },
    }),
  );
  const failed = (problem: string): void => log('warn', 'telemetry was not sent', { problem });
  return createTelemetryBuffer({ sender, clock: systemClock, failed });
};
