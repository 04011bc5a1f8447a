import type { Fact, Telemetry } from '../../src/ports.ts';

/** A port that keeps what it is told. */
export function recordingTelemetry(): {
  readonly telemetry: Telemetry;
  readonly facts: Fact[];
  readonly flushes: () => number;
} {
  const facts: Fact[] = [];
  let flushes = 0;
  const telemetry: Telemetry = {
    told: (fact) => void facts.push(fact),
    flush: async () => {
      flushes += 1;
    },
  };
  return { telemetry, facts, flushes: () => flushes };
}
