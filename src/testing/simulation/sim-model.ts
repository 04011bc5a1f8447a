import type { ContentBlock } from '../../core/content.ts';
import type { TokenUsage } from '../../core/prices.ts';
import type { Model, ModelOutcome, ModelRequest } from '../../ports.ts';
import type { Random } from '../random.ts';
import type { Fault } from './faults.ts';
import { type Process, perform, type Sim } from './sim.ts';

/** What a brain is asked: a request as the model would see it, and draws of its own. */
export interface Asked {
  readonly request: ModelRequest;
  readonly jobId: string;
  readonly random: Random;
  /** Counts the requests of a run, from 1: for inputs that no other reply has. */
  readonly serial: number;
}

/** A reply; `stopReason` is worked out from the content where it is left out. */
export interface Reply {
  readonly content: readonly ContentBlock[];
  readonly stopReason?: string;
  /** The provider will never answer this request: a complete 400. */
  readonly refused?: boolean;
}

/** Stands in for the model's mind; the simulation counts tokens, bills, and breaks replies. Must not throw. */
export type Brain = (asked: Asked) => Reply;

/** Dollars per million tokens, as the provider bills them; what the code under test believes is another matter. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
}

/** How this run's server counts tokens and bills them. */
export interface Tariff {
  readonly ratesOf: (model: string) => Rates;
  /** Tokens a byte, over 0, at most 1. */
  readonly density: number;
  /** Hidden prompt tokens, at most 900. */
  readonly overhead: number;
  /** `dearest`: every prompt token is written to the cache and every output token is used. */
  readonly mood: 'dearest' | 'mixed';
}

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).length;

/** What the provider counts of a block, whoever wrote it: its text or its input or its result. */
function blockTokens(block: ContentBlock, density: number): number {
  const { text, content, input } = block as { text?: unknown; content?: unknown; input?: unknown };
  const counted = text ?? content ?? input ?? '';
  return Math.ceil(bytesOf(typeof counted === 'string' ? counted : JSON.stringify(counted)) * density) + 10;
}

function contentTokens(content: readonly ContentBlock[], density: number): number {
  return content.reduce((sum, block) => sum + blockTokens(block, density), 0);
}

/** Bytes of the system prompt and the tools, which every request of an agent shares. */
const fixedBytes = new WeakMap<readonly unknown[], number>();

function bytesOfFixed({ system, tools }: ModelRequest): number {
  const known = fixedBytes.get(tools);
  if (known !== undefined) return known;
  const bytes = bytesOf(JSON.stringify({ system, tools }));
  fixedBytes.set(tools, bytes);
  return bytes;
}

function promptTokens(request: ModelRequest, { density, overhead }: Tariff): number {
  const { messages } = request;
  let total = overhead + Math.ceil(bytesOfFixed(request) * density);
  for (const { content } of messages) total += 4 + contentTokens(content, density);
  return total;
}

/** Micro-dollars, rounded up, by the provider's own list. */
function bill(rates: Rates, usage: TokenUsage): number {
  const dollars =
    usage.input * rates.input +
    usage.output * rates.output +
    usage.cacheWrite5m * rates.cacheWrite +
    usage.cacheRead * rates.cacheRead;
  return Math.ceil(Math.round(dollars * 1_000) / 1_000);
}

function usageOf(prompt: number, output: number, tariff: Tariff, random: Random): TokenUsage {
  const cacheRead = tariff.mood === 'dearest' ? 0 : random.whole(0, prompt);
  const cacheWrite5m = tariff.mood === 'dearest' ? prompt : random.whole(0, prompt - cacheRead);
  const input = prompt - cacheRead - cacheWrite5m;
  return {
    ...{ input, output, cacheWrite5m, cacheRead },
    ...{ cacheWrite1h: 0, webSearches: 0, batchTier: false, usOnly: false },
  };
}

function stopReasonOf(content: readonly ContentBlock[]): string {
  return content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
}

const wait = (billed: 'no' | 'unknown', problem: string, retryAfterMs?: number): ModelOutcome => ({
  type: 'wait',
  billed,
  retryAfterMs,
  problem,
});

/** The model as one process sees it. The server bills whatever it answers, whether or not the answer arrives. */
export function modelOf(sim: Sim, process: Process, brain: Brain, tariff: Tariff): Model {
  return {
    ask: async (request, signal) => {
      process.request = 'under way';
      const jobId = request.conversation.slice(0, request.conversation.lastIndexOf('.'));
      const answer = perform(sim, process, 'ask model', 'model', (fault) => {
        const serial = sim.referee.asked(process, jobId, request);
        return serve(sim, { request, jobId, serial, random: sim.random }, brain, tariff, fault);
      });
      // A caller that gives up closes its connection; what was on its way may be billed all the same.
      const given = new Promise<ModelOutcome>((resolve) => {
        signal.addEventListener('abort', () => process.alive && resolve(wait('unknown', 'timed out')), {
          once: true,
        });
      });
      const outcome = await Promise.race([answer, given]);
      if (outcome.type === 'refused' || (outcome.type === 'wait' && outcome.billed === 'no'))
        process.request = 'not billed';
      if (outcome.type === 'wait' && outcome.retryAfterMs !== undefined)
        process.retryAtMs = sim.scheduler.now() + process.skewMs + outcome.retryAfterMs;
      return outcome;
    },
  };
}

function serve(sim: Sim, asked: Asked, brain: Brain, tariff: Tariff, fault: Fault | undefined): ModelOutcome {
  const { random, request, serial, jobId } = asked;
  const requestId = `req_${serial}`;
  if (fault === '429' || fault === '529') {
    const retryAfterMs = random.chance(0.3) ? undefined : random.pick([500, 20_000, 1_000_000]);
    return wait('no', `${fault} from the model`, retryAfterMs);
  }
  const prompt = promptTokens(request, tariff);
  const unknown = fault === '500' || fault === 'timed out' || fault === 'HTML';
  if (unknown && random.chance(0.5)) return unusable(fault, requestId);
  const reply = brain(asked);
  if (reply.refused === true && !unknown) {
    return { type: 'refused', reason: 'rejected_request', problem: '400 invalid_request_error', words: 'no' };
  }
  const said = contentTokens(reply.content, tariff.density);
  const cut = fault === 'cut' || said > request.maxTokens;
  const most = cut || tariff.mood === 'dearest' ? request.maxTokens : Math.min(request.maxTokens, said + 200);
  const drawn = usageOf(prompt, cut ? most : random.whole(said, most), tariff, random);
  const usage = tariff.mood === 'dearest' ? { ...drawn, output: most } : drawn;
  const cost = bill(tariff.ratesOf(request.model), usage);
  sim.referee.billed(jobId, serial, cost, fault === 'no usage' || unknown);
  if (unknown) return unusable(fault, requestId);
  return {
    type: 'reply',
    requestId,
    reply: {
      content: reply.content,
      stopReason: cut ? 'max_tokens' : (reply.stopReason ?? stopReasonOf(reply.content)),
      stopSequence: null,
      refusalCategory: null,
      usage: fault === 'no usage' ? undefined : usage,
    },
  };
}

function unusable(fault: Fault, requestId: string): ModelOutcome {
  return fault === 'HTML'
    ? { type: 'unusable', raw: '<html>', problem: 'not JSON', usage: undefined, requestId }
    : wait('unknown', `${fault} from the model`);
}
