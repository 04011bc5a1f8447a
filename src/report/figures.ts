const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export const count = (value: number): string => whole.format(value);

/** A number with its noun: `1 ticket`, `2 tickets`. */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Dollars in a column: as many decimals as show the dearest of them, so that the figures stand in line. */
export function dollarsLike(mostUsd: number): (usd: number) => string {
  const decimals = mostUsd < 0.01 ? 6 : 4;
  return (usd) => `$${usd.toFixed(decimals)}`;
}

/** Milliseconds as seconds in a column. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })} s`;
}

/** Milliseconds in running text. */
export function duration(ms: number): string {
  return ms < 1000 ? `${count(ms)} ms` : seconds(ms);
}

/** ISO 8601 for people, to the second. */
export function dateTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

export const timeOfDay = (iso: string): string => iso.slice(11, 23);
