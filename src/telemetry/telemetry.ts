import type { ProviderName } from '../adapters/otel/attributes.ts';
import type { Log } from '../app/world.ts';
import type { Telemetry } from '../ports.ts';

export interface TelemetryOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** Who serves the model. @default by `MODEL_PROVIDER` */
  readonly provider?: ProviderName;
}

/** Telemetry as the environment asks for it; undefined where it does not. A bundle holds one such function, as `#telemetry`. */
export type TelemetryFrom = (options: TelemetryOptions) => Telemetry | undefined;
