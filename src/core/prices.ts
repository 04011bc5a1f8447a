import * as z from 'zod';
import { TerminalError } from './errors.ts';

/** Tokens of one model call, by the four kinds the Messages API bills. Whole, >= 0. */
export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  readonly webSearches: number;
  readonly batchTier: boolean;
  readonly usOnly: boolean;
}

const microUsd = z.number().int().nonnegative().max(1_000_000_000);
const rates = z.object({
  input: microUsd,
  output: microUsd,
  cacheWrite5m: microUsd,
  cacheWrite1h: microUsd,
  cacheRead: microUsd,
});

/** Micro-dollars per million tokens. */
export type Rates = z.infer<typeof rates>;

const modelPrice = rates.extend({
  /** Shortest prefix the API caches, in tokens. */
  minCacheTokens: z.number().int().nonnegative(),
  /** Most output tokens of one reply. */
  maxOutputTokens: z.number().int().positive(),
  /** A prompt of more than this many tokens is billed as a whole by `above.rates`. */
  above: z.object({ tokens: z.number().int().positive(), rates }).optional(),
});

/** What one model costs. */
export type ModelPrice = z.infer<typeof modelPrice>;
export type PriceTable = Readonly<Record<string, ModelPrice>>;

/** The day the built-in table was checked against the vendor's pricing pages. */
export const pricesAsOf = '2026-11-30';

const usd = (dollars: number): number => Math.round(dollars * 1_000_000);

function price(
  input: number,
  output: number,
  cacheWrite5m: number,
  cacheWrite1h: number,
  cacheRead: number,
  minCacheTokens: number,
  maxOutputTokens = 128_000,
): ModelPrice {
  return {
    input: usd(input),
    output: usd(output),
    cacheWrite5m: usd(cacheWrite5m),
    cacheWrite1h: usd(cacheWrite1h),
    cacheRead: usd(cacheRead),
    minCacheTokens,
    maxOutputTokens,
  };
}

/** Dollars per million tokens: input, output, cache write 5 min, 1 h, cache read; shortest cached prefix. Source: Claude Platform pricing pages, September to November 2026. */
export const builtInPrices: PriceTable = {
  'claude-fable-5-2': price(8, 40, 10, 16, 0.2, 512),
  'claude-fable-5-1': price(10, 50, 12.5, 20, 0.25, 512),
  'claude-mythos-5-1': price(10, 50, 12.5, 20, 0.25, 512),
  'claude-fable-5': price(10, 50, 12.5, 20, 1, 512),
  'claude-opus-5-5': price(4, 20, 5, 8, 0.2, 512),
  'claude-opus-5': price(5, 25, 6.25, 10, 0.5, 512),
  'claude-opus-4-8': price(5, 25, 6.25, 10, 0.5, 1024),
  'claude-opus-4-7': price(5, 25, 6.25, 10, 0.5, 2048),
  'claude-opus-4-6': price(5, 25, 6.25, 10, 0.5, 4096),
  'claude-sonnet-5-5': price(2, 10, 2.5, 4, 0.1, 512),
  'claude-sonnet-5': price(2, 10, 2.5, 4, 0.2, 1024),
  'claude-sonnet-4-6': price(3, 15, 3.75, 6, 0.3, 1024),
  'claude-haiku-5-5': {
    ...price(0.1, 0.5, 0.125, 0.2, 0.01, 512),
    above: { tokens: 100_000, rates: price(0.5, 2.5, 0.625, 1, 0.05, 512) },
  },
  'claude-haiku-4-5': price(1, 5, 1.25, 2, 0.1, 4096, 64_000),
  'claude-haiku-4-5-20251001': price(1, 5, 1.25, 2, 0.1, 4096, 64_000),
  'scripted-1': price(3, 15, 3.75, 6, 0.3, 512),
};

/** What the same models cost at the regional endpoints of Bedrock: a tenth more, rounded up. */
export function regionalPrices(table: PriceTable): PriceTable {
  const dearer = (money: number): number => Math.ceil((money * 11) / 10);
  const raised = (of: Rates): Rates => ({
    input: dearer(of.input),
    output: dearer(of.output),
    cacheWrite5m: dearer(of.cacheWrite5m),
    cacheWrite1h: dearer(of.cacheWrite1h),
    cacheRead: dearer(of.cacheRead),
  });
  const entries = Object.entries(table).map(([name, model]) => {
    const above = model.above && { ...model.above, rates: raised(model.above.rates) };
    return [name, { ...model, ...raised(model), ...(above === undefined ? {} : { above }) }];
  });
  return Object.fromEntries(entries);
}

/** Reads a price table given as JSON, laid over another. Money in it is micro-dollars per million tokens. */
export function readPrices(json: string, under: PriceTable = builtInPrices): PriceTable {
  let data: unknown;
  try {
    data = JSON.parse(json);
  } catch (cause) {
    throw new TerminalError('invalid_prices', 'the price table is not JSON', { cause });
  }
  const parsed = z.record(z.string(), modelPrice).safeParse(data);
  if (!parsed.success) {
    throw new TerminalError(
      'invalid_prices',
      `the price table is not valid: ${z.prettifyError(parsed.error)}`,
    );
  }
  return { ...under, ...parsed.data };
}

function ratesFor(model: ModelPrice, promptTokens: number): Rates {
  return model.above !== undefined && promptTokens > model.above.tokens ? model.above.rates : model;
}

/** All tokens of the prompt: uncached, written to the cache and read from it. */
export function promptTokens(usage: TokenUsage): number {
  return usage.input + usage.cacheWrite5m + usage.cacheWrite1h + usage.cacheRead;
}

const WEB_SEARCH_MICRO_USD = 10_000;

/** What a call cost, in micro-dollars, rounded up. The modifiers stack (vendor's pricing page). */
export function costOf(model: ModelPrice, usage: TokenUsage): number {
  const rate = ratesFor(model, promptTokens(usage));
  const tokens =
    usage.input * rate.input +
    usage.cacheWrite5m * rate.cacheWrite5m +
    usage.cacheWrite1h * rate.cacheWrite1h +
    usage.cacheRead * rate.cacheRead +
    usage.output * rate.output;
  const tier = tokens * (usage.batchTier ? 5 : 10) * (usage.usOnly ? 11 : 10);
  return Math.ceil(tier / 100_000_000) + usage.webSearches * WEB_SEARCH_MICRO_USD;
}

/** What the cache saved against sending every prompt token uncached, in micro-dollars; negative while writes outweigh reads. */
export function savedByCache(model: ModelPrice, usage: TokenUsage): number {
  const rate = ratesFor(model, promptTokens(usage));
  const saved =
    usage.cacheRead * (rate.input - rate.cacheRead) -
    usage.cacheWrite5m * (rate.cacheWrite5m - rate.input) -
    usage.cacheWrite1h * (rate.cacheWrite1h - rate.input);
  return Math.trunc(saved / 1_000_000);
}

/** The most a call can cost, in micro-dollars, if its prompt has at most `promptBound` tokens: every one of them written to the 5-minute cache. */
export function worstCost(model: ModelPrice, promptBound: number, maxOutput: number): number {
  const rate = ratesFor(model, promptBound);
  const dearest = Math.max(rate.input, rate.cacheWrite5m, rate.cacheRead);
  return Math.ceil((promptBound * dearest + maxOutput * rate.output) / 1_000_000);
}

/** The most output tokens that `availableMicroUsd` pays for beside a prompt of `promptBound` tokens; below 0 when not even the prompt fits. */
export function affordableOutput(model: ModelPrice, promptBound: number, availableMicroUsd: number): number {
  const rate = ratesFor(model, promptBound);
  const dearest = Math.max(rate.input, rate.cacheWrite5m, rate.cacheRead);
  const left = availableMicroUsd * 1_000_000 - promptBound * dearest;
  return left < 0 ? -1 : Math.floor(left / Math.max(1, rate.output));
}
