import type { Log } from '../app/world.ts';
import type { Telemetry } from '../ports.ts';
import { telemetryFrom } from '../telemetry/otlp.ts';
import type { ChosenModel } from './choose-model.ts';

/**
 * Telemetry on this machine, where `OTEL_EXPORTER_OTLP_ENDPOINT` asks for it. Headers come from the environment only:
 * no secret of a real AWS account is read from here. What no model has answered says so.
 */
export function localTelemetry(
  environment: Readonly<Record<string, string | undefined>>,
  { scripted }: Pick<ChosenModel, 'scripted'>,
  log: Log,
): Telemetry | undefined {
  const { TREADLE_OTLP_HEADERS_SECRET_ARN: _, MODEL_PROVIDER: __, ...here } = environment;
  return telemetryFrom({ environment: here, log, provider: scripted ? 'scripted' : 'anthropic' });
}
