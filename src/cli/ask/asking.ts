import { fetchFor } from '../../adapters/signed-fetch.ts';
import { systemClock } from '../../adapters/system.ts';
import { type Client, createClient } from '../../client.ts';
import type { Clock } from '../../ports.ts';
import { exitCode } from '../exit-codes.ts';
import { patient } from '../patient-fetch.ts';
import { type Subject, told } from '../refusals.ts';
import type { Terminal } from '../terminal.ts';

/** The options of every command that asks a deployment. */
export interface AskOptions {
  readonly endpoint: string;
  readonly json: boolean;
}

/** What such a command works with. */
export interface Asking {
  readonly client: Client;
  readonly endpoint: string;
  readonly json: boolean;
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface AskParts {
  readonly send?: typeof fetch;
  readonly clock?: Clock;
  readonly interrupt?: AbortController;
}

/** Longer than a cold start of the API takes, and than five thousand rows need. */
const ANSWER_MS = 60_000;

/**
 * Runs a command that asks a deployment, and returns its exit code. What the deployment refuses becomes a
 * `TerminalError` that says what, which value and what to do; Ctrl-C ends whatever is waited for.
 */
export async function ask(
  { endpoint, json }: AskOptions,
  terminal: Terminal,
  work: (asking: Asking) => Promise<number>,
  { subject, parts = {} }: { readonly subject?: Subject; readonly parts?: AskParts } = {},
): Promise<number> {
  const { send = fetchFor(endpoint), clock = systemClock, interrupt = new AbortController() } = parts;
  const { signal } = interrupt;
  const bounded: typeof fetch = (input, init) =>
    send(input, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]) });
  const client = createClient({ endpoint, fetch: patient(bounded, clock, signal) });
  const onSignal = (): void => interrupt.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    const code = await work({ client, endpoint, json, terminal, clock, signal });
    return signal.aborted ? exitCode.interrupted : code;
  } catch (error) {
    if (signal.aborted) return exitCode.interrupted;
    throw told(error, endpoint, subject);
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}
