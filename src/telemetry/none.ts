import type { TelemetryFrom } from './telemetry.ts';

/** For bundles of deployments without telemetry: nothing of it is carried along. */
export const telemetryFrom: TelemetryFrom = () => undefined;
