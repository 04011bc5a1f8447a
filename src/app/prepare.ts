import type { Agent } from '../core/agent.ts';
import type { ContentBlock, ToolCall } from '../core/content.ts';
import { TerminalError } from '../core/errors.ts';
import { type FrozenAgent, readFrozenAgent } from '../core/frozen-agent.ts';
import type { Job } from '../core/job.ts';
import type { ModelPrice } from '../core/prices.ts';
import { addedBound, type Quote, quote, resultsBound, wantedOutput } from '../core/quote.ts';
import { noteFor } from './act.ts';
import { openTranscript, pendingCalls, type Transcript } from './transcript.ts';
import type { World } from './world.ts';

/** Everything a step needs to know before it claims. */
export interface Plan {
  readonly agent: Agent;
  readonly frozen: FrozenAgent;
  readonly price: ModelPrice;
  readonly transcript: Transcript;
  /** The calls of the last reply that have not been run. */
  readonly calls: readonly ToolCall[];
  /** The loop's own words, where the last reply had no calls to answer. */
  readonly note: readonly ContentBlock[];
  /** A valid answer stands beside the calls. */
  readonly answerInHand: boolean;
  /** Upper bound on the prompt without the results of the calls. */
  readonly known: number;
  readonly wanted: number;
  readonly quote: Quote;
}

/** Reads what the next step of a job works on and prices its model call. */
export async function prepare(world: World, job: Job): Promise<Plan> {
  const agent = world.agents.get(job.agent);
  if (agent === undefined)
    throw new TerminalError('unknown_agent', `agent ${job.agent} is not part of this worker`);
  const transcript = await openTranscript(world, job);
  const frozen = await frozenAgent(world, job.agent, transcript.info.agentVersion);
  const price = world.prices[frozen.model];
  if (price === undefined) throw new TerminalError('unknown_model', `model ${frozen.model} has no price`);
  const calls = pendingCalls(job, transcript);
  const note = noteFor(job, agent.output !== undefined, transcript.last);
  const known = job.promptBound + (note.length === 0 ? 0 : addedBound(note));
  const wanted = wantedOutput(agent, job, price);
  return {
    agent,
    frozen,
    price,
    transcript,
    calls,
    note,
    answerInHand: job.pending?.states.includes('V') === true,
    known,
    wanted,
    quote: quote(job, price, known, resultsBound(agent, calls), wanted),
  };
}

/** The agent as it was when the job was submitted. */
export async function frozenAgent(world: World, name: string, version: string): Promise<FrozenAgent> {
  const key = `${name} ${version}`;
  const cached = world.frozen.get(key);
  if (cached !== undefined) return cached;
  const json = await world.store.readAgent(name, version);
  if (json === undefined)
    throw new TerminalError('unknown_agent', `agent ${name} version ${version} is not stored`);
  const frozen = readFrozenAgent(json, `agent ${name}`);
  rememberFrozen(world, key, frozen);
  return frozen;
}

/** Frozen agents that a process remembers: jobs live on through deployments, and each makes versions of its own. */
const MAX_FROZEN = 100;

export function rememberFrozen(world: World, key: string, frozen: FrozenAgent): void {
  if (world.frozen.size >= MAX_FROZEN) world.frozen.clear();
  world.frozen.set(key, frozen);
}
