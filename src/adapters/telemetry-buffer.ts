import type { Fact } from '../core/facts.ts';
import type { Clock, Telemetry } from '../ports.ts';

/** Hands facts to a collector. May reject, and may take as long as it likes. */
export interface Sender {
  readonly send: (facts: readonly Fact[]) => Promise<void>;
}

export interface BufferOptions {
  /** Loads what sends, at the first flush that has something to send. */
  readonly sender: () => Promise<Sender>;
  readonly clock: Clock;
  /** Told once for each pause, in a word or two without anything the collector said. */
  readonly failed: (problem: string) => void;
}

/** Facts that wait for a flush; of more the oldest are dropped. */
export const MAX_FACTS = 1_000;
/** After a failure nothing is sent for so long: a collector that hangs costs two seconds a pause, not an invocation. */
export const PAUSE_MS = 30_000;

/**
 * Telemetry that keeps facts until a flush and then sends them once. What could not be sent is not sent again: a
 * collector that took it and was slow to say so would count it twice.
 */
export function createTelemetryBuffer({ sender, clock, failed }: BufferOptions): Telemetry {
  const waiting: Fact[] = [];
  let sending: Promise<void> | undefined;
  let pausedUntilMs = 0;

  const isPaused = (): boolean => clock.now() < pausedUntilMs;
  const pause = (problem: string): void => {
    if (!isPaused()) failed(problem);
    pausedUntilMs = clock.now() + PAUSE_MS;
  };
  const sendAll = async (facts: readonly Fact[]): Promise<void> => {
    try {
      await (await sender()).send(facts);
    } catch (error) {
      pause(wordFor(error));
    }
  };
  /** One request at a time: whoever comes meanwhile sends what is left afterwards. */
  const drain = async (): Promise<void> => {
    await sending;
    if (waiting.length === 0 || isPaused()) return;
    sending = sendAll(waiting.splice(0));
    await sending;
    sending = undefined;
  };

  return {
    told: (fact) => {
      waiting.push(fact);
      if (waiting.length > MAX_FACTS) waiting.shift();
    },
    flush: async (withinMs) => {
      if ((waiting.length === 0 && sending === undefined) || isPaused()) return;
      const over = new AbortController();
      const late = clock.sleep(withinMs, over.signal).then(() => 'late' as const);
      const ended = await Promise.race([drain(), late]);
      over.abort('over');
      if (ended === 'late') pause('timed out');
    },
  };
}

/** An HTTP status or a code of the system: never what the collector answered. */
function wordFor(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'number' || typeof code === 'string' ? `${error.name} ${code}` : error.name;
}
