export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const BINS = 12;

/** Values in at most twelve bins of a round width, from 0 or the least; nothing for nothing. */
export function binsOf(values: readonly number[]): readonly Bin[] {
  if (values.length === 0) return [];
  const least = values.reduce((a, b) => Math.min(a, b));
  const most = values.reduce((a, b) => Math.max(a, b));
  if (least === most) return [{ from: least, to: most, count: values.length }];
  const width = roundUp((most - least) / (BINS - 1));
  const begin = Math.floor(least / width + 1e-9);
  const bins = new Map<number, number>();
  for (const value of values) {
    const at = Math.floor(value / width + 1e-9);
    bins.set(at, (bins.get(at) ?? 0) + 1);
  }
  const end = Math.floor(most / width + 1e-9);
  return Array.from({ length: end - begin + 1 }, (_, place) => {
    const at = begin + place;
    return { from: at * width, to: (at + 1) * width, count: bins.get(at) ?? 0 };
  });
}

/** The next of 1, 2, 2.5, 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 2.5, 5, 10].find((one) => one * power >= value * (1 - 1e-9)) ?? 10;
  return step * power;
}
