import type * as z from 'zod';
import { agentList } from '../api/schemas/agent.ts';
import { ApiError, type Client, createClient } from '../client.ts';
import { TerminalError } from '../core/errors.ts';
import type { Clock } from '../ports.ts';
import { notedAnswers } from './noted-answers.ts';
import { patient } from './patient-fetch.ts';
import { readWell, whyNot } from './refusals.ts';

export type DeployedAgent = z.output<typeof agentList>['items'][number];

/** A deployment as an evaluation asks it. */
export interface Deployment {
  readonly client: Client;
  readonly agents: readonly DeployedAgent[];
  /** What writes the answers in place of a model; undefined where a model does. */
  readonly scripted: string | undefined;
}

/** Longer than a cold start of the API takes, and than five thousand rows need. */
const ANSWER_MS = 60_000;

/**
 * Asks a deployment for its agents, and so whether it is there: at once, because whoever mistyped an address should not
 * wait. Later questions are asked again where the network or the API fails for a moment. Throws `TerminalError`
 * `unreachable`.
 */
export async function openDeployment(
  endpoint: string,
  send: typeof fetch,
  clock: Clock,
): Promise<Deployment> {
  const noted = notedAnswers(send);
  const bounded: typeof fetch = (input, init) =>
    noted.send(input, { ...init, signal: AbortSignal.timeout(ANSWER_MS) });
  const client = createClient({ endpoint, fetch: patient(bounded, clock) });
  const answer = await readWell(agentList, client.agents);
  if (answer.type === 'failed') throw refusal(answer.error, endpoint);
  return { client, agents: answer.value.items, scripted: noted.scripted() };
}

/** Why a deployment did not do what it was asked for, as one sentence. */
export function refusal(error: unknown, endpoint: string): TerminalError {
  if (error instanceof TerminalError && error.code !== 'no_credentials') return error;
  if (error instanceof ApiError && [400, 409, 413, 422].includes(error.status)) {
    const named = (error.problem.errors ?? []).map(({ name, message }) => `${name}: ${message}`);
    return new TerminalError('refused', [`${endpoint} refused: ${error.message}`, ...named].join('; '), {
      cause: error,
    });
  }
  const { detail, todo } = whyNot(error, endpoint);
  return new TerminalError('unreachable', `${detail}; ${todo}`, { cause: error });
}
