/** How a quantity is spread over cases. */
export interface Spread {
  readonly total: number;
  readonly mean: number;
  readonly median: number;
  /** The least value that at least 95 % of all do not pass (nearest rank). */
  readonly p95: number;
  readonly max: number;
}

/** All 0 without values. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((one, other) => one - other);
  const count = sorted.length;
  const at = (index: number): number => sorted[index] ?? 0;
  const total = sorted.reduce((sum, value) => sum + value, 0);
  return {
    total,
    mean: count === 0 ? 0 : total / count,
    median: (at(Math.floor((count - 1) / 2)) + at(Math.floor(count / 2))) / 2,
    p95: at(Math.ceil(0.95 * count) - 1),
    max: at(count - 1),
  };
}
