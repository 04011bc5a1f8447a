import { type Agent, ANSWER_TOOL } from './agent.ts';
import type { ContentBlock, Message, ToolCall } from './content.ts';
import type { Job } from './job.ts';
import { available } from './ledger.ts';
import { affordableOutput, type ModelPrice, worstCost } from './prices.ts';
import { utf8Bytes } from './safe-json.ts';

/** The fewest output tokens a request is made with. */
export const MIN_OUTPUT_TOKENS = 256;
/** The hidden prompt that the API adds for tools, with room to spare (290 to 804 tokens, vendor's tool use page). */
const HIDDEN_PROMPT_TOKENS = 1_000;
/** What the API adds around one message, and around one block of ours. */
export const MESSAGE_TOKENS = 32;
const BLOCK_TOKENS = 64;
/** Longest text the loop itself puts into one result or note, in bytes. */
const OWN_TEXT_BYTES = 2_000;

/** Upper bound on the tokens of a first request: a token covers at least one byte. */
export function firstBound(system: string, tools: readonly unknown[], messages: readonly Message[]): number {
  return utf8Bytes(JSON.stringify({ system, tools, messages })) + HIDDEN_PROMPT_TOKENS;
}

/** Upper bound on the tokens that a user message of ours adds to the prompt. */
export function addedBound(content: readonly ContentBlock[]): number {
  let total = MESSAGE_TOKENS;
  for (const block of content)
    total += BLOCK_TOKENS + utf8Bytes(String(block['content'] ?? block['text'] ?? ''));
  return total;
}

/** Upper bound on the tokens that the results of these calls will add, before they are run. */
export function resultsBound(agent: Agent, calls: readonly ToolCall[]): number {
  let total = calls.length === 0 ? 0 : MESSAGE_TOKENS;
  for (const call of calls) total += BLOCK_TOKENS + resultRoom(agent, call.name);
  return total;
}

/** The most bytes that the result of a call takes: the tool's, or the loop's own words about it. */
export function resultRoom(agent: Agent, name: string): number {
  const limit = name === ANSWER_TOOL ? 0 : (agent.tools.get(name)?.maxResultBytes ?? 0);
  return Math.max(limit, OWN_TEXT_BYTES);
}

/** The output to ask for: the agent's, or twice that after a cut reply, as far as the model allows. */
export function wantedOutput(agent: Agent, job: Job, price: ModelPrice): number {
  const wanted = job.lastReply === 'cut' ? agent.maxOutputTokens * 2 : agent.maxOutputTokens;
  return Math.max(MIN_OUTPUT_TOKENS, Math.min(wanted, price.maxOutputTokens));
}

/** A request that the ceiling covers, and the worst cost to hold for it. */
export interface Hold {
  readonly amount: number;
  readonly bound: number;
  readonly maxTokens: number;
  readonly shrunk: boolean;
}

/** The hold for a prompt of at most `bound` tokens; the output is shrunk to fit, never under 256; undefined if it cannot. */
export function holdFor(job: Job, price: ModelPrice, bound: number, wanted: number): Hold | undefined {
  const left = available(job.ledger);
  const full = worstCost(price, bound, wanted);
  if (full <= left) return { amount: full, bound, maxTokens: wanted, shrunk: false };
  const maxTokens = Math.min(wanted, affordableOutput(price, bound, left));
  if (maxTokens < MIN_OUTPUT_TOKENS) return undefined;
  return { amount: worstCost(price, bound, maxTokens), bound, maxTokens, shrunk: true };
}

/** What the smallest request with this prompt costs at most, in micro-dollars. */
export function leastCost(price: ModelPrice, bound: number): number {
  return worstCost(price, bound, MIN_OUTPUT_TOKENS);
}

/** What a claim holds: the whole worst cost, nothing yet, or nothing at all because not even the least fits. */
export type Quote =
  | { readonly type: 'hold'; readonly hold: Hold }
  | { readonly type: 'later' }
  | { readonly type: 'too_dear'; readonly needed: number };

/**
 * Prices the next call before any of its tools run. With calls to run and money for their results at full length it
 * holds at once; with less it holds after them, when their length is known.
 */
export function quote(job: Job, price: ModelPrice, known: number, results: number, wanted: number): Quote {
  const whole = holdFor(job, price, known + results, wanted);
  if (whole !== undefined && (results === 0 || !whole.shrunk)) return { type: 'hold', hold: whole };
  const needed = leastCost(price, known);
  if (needed > available(job.ledger)) return { type: 'too_dear', needed };
  return { type: 'later' };
}
