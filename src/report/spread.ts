/** How often each number came, with at most some thousand different ones kept. */
export type Spread = readonly { readonly value: number; readonly rows: number }[];

/** Numbers are kept to three digits, so that however many rows there are, their spread stays small. */
const DIGITS = 3;

export function createSpread(): { readonly add: (value: number) => void; readonly spread: () => Spread } {
  const rows = new Map<number, number>();
  return {
    add: (value) => {
      const rounded = Number(value.toPrecision(DIGITS));
      rows.set(rounded, (rows.get(rounded) ?? 0) + 1);
    },
    spread: () => [...rows].map(([value, many]) => ({ value, rows: many })).sort((a, b) => a.value - b.value),
  };
}
