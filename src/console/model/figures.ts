const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export const count = (value: number): string => whole.format(value);

/** A number with its noun: `1 step`, `2 steps`. */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Dollars, exact enough to tell small things apart: to the micro-dollar below a cent. */
export function usd(value: number): string {
  const size = Math.abs(value);
  const decimals = size === 0 || size >= 100 ? 2 : size < 0.01 ? 6 : 4;
  const text = size.toLocaleString('en', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return `${value < 0 ? '−' : ''}$${text}`;
}

/** Dollars to the micro-dollar, for columns that are added up. */
export const exactUsd = (value: number): string => `$${value.toFixed(6)}`;

/** Dollars for an axis: no more digits than it takes. */
export const usdShort = (value: number): string => usd(value).replace(/(\.\d\d\d*?)0+$/, '$1');

interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheReadTokens: number;
}

/** All that a request sent, whether it came from the cache, went into it or neither: each is paid for. */
export function tokensText({ inputTokens, outputTokens, cacheWriteTokens, cacheReadTokens }: Tokens): string {
  const sent = count(inputTokens + cacheWriteTokens + cacheReadTokens);
  const parts = [
    ...(cacheWriteTokens > 0 ? [`${count(cacheWriteTokens)} written to the cache`] : []),
    ...(cacheReadTokens > 0 ? [`${count(cacheReadTokens)} read from the cache`] : []),
  ];
  const cache = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
  return `${sent} tokens in${cache}, ${count(outputTokens)} out`;
}

/** A share as people say it: never 0 % of something, never 100 % of less than all. */
export function percent(part: number, all: number): string {
  if (all <= 0) return '0 %';
  const exact = (part / all) * 100;
  if (exact > 0 && exact < 1) return '<1 %';
  if (exact < 100 && exact > 99) return '99 %';
  return `${Math.round(exact)} %`;
}

/** Milliseconds, in the largest units that matter. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${count(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  return span(ms);
}

/** The same for waits and ages: seconds at the finest. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return two(minutes, 'min', seconds % 60, 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return two(hours, 'h', minutes % 60, 'min');
  return two(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

const two = (large: number, unit: string, small: number, smaller: string): string =>
  small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smaller}`;

/** How long ago, coarsely: it stands in long lists. */
export function ago(iso: string, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(iso)) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** ISO 8601 for people, to the second. */
export const dateTime = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
export const timeOfDay = (iso: string): string => iso.slice(11, 23);
export const clockTime = (ms: number): string => `${new Date(ms).toISOString().slice(11, 19)} UTC`;
