import { isObject } from '../core/content.ts';
import { bounds } from './bounds.ts';
import { oneLine, titleOf } from './text.ts';

export interface Bar {
  readonly label: string;
  readonly count: number;
}

/** How often each value of one output field came. */
export interface FieldVolume {
  readonly name: string;
  readonly title: string;
  readonly bars: readonly Bar[];
}

interface Counted {
  /** Undefined once the field has proved to be no matter for a chart. */
  values: Map<string, number> | undefined;
  rows: number;
}

/** Fields that are looked at; an output of more is a data record, not an answer. */
const MAX_FIELDS = 100;

/**
 * Counts the values of output fields, row by row. The rule for a chart: all values are short texts, there are few
 * different ones (at most 30, the rarest of more than 12 are one bar), and they repeat: at most 12 different values of
 * which one came twice, or each came twice on the average.
 */
export function createFieldVolumes(): {
  readonly add: (output: unknown) => void;
  readonly volumes: () => readonly FieldVolume[];
} {
  const fields = new Map<string, Counted>();
  return {
    add: (output) => {
      if (!isObject(output)) return;
      for (const [name, value] of Object.entries(output)) {
        if (value === null || value === undefined) continue;
        const counted = fields.get(name) ?? { values: new Map(), rows: 0 };
        if (!fields.has(name) && fields.size < MAX_FIELDS) fields.set(name, counted);
        countValue(counted, value);
      }
    },
    volumes: () =>
      [...fields]
        .flatMap(([name, { values, rows }]) =>
          values !== undefined && isTelling(values.size, rows)
            ? [{ name, title: titleOf(oneLine(name, bounds.valueCharacters)), bars: barsOf(values) }]
            : [],
        )
        .slice(0, bounds.fields),
  };
}

function countValue(counted: Counted, value: unknown): void {
  const { values } = counted;
  if (values === undefined) return;
  const short = typeof value === 'string' && value !== '' && value.length <= bounds.valueCharacters;
  if (!short || (!values.has(value) && values.size === bounds.values)) {
    counted.values = undefined;
    return;
  }
  values.set(value, (values.get(value) ?? 0) + 1);
  counted.rows += 1;
}

function isTelling(different: number, rows: number): boolean {
  return different <= bounds.bars ? different < rows : different * 2 <= rows;
}

/** Most frequent first; levels that are numbered (P1, P2) in their own order. */
function barsOf(values: ReadonlyMap<string, number>): readonly Bar[] {
  const byName = [...values]
    .map(([label, count]) => ({ label, count }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en', { numeric: true }));
  if (byName.length <= bounds.bars && byName.every(({ label }) => /^[a-z]{0,3}\d{1,3}$/i.test(label)))
    return byName;
  return pooled(byName.sort((a, b) => b.count - a.count));
}

/** The bars that a chart has room for: the last stands for all that are left. */
export function pooled(bars: readonly Bar[]): readonly Bar[] {
  if (bars.length <= bounds.bars) return bars;
  const rest = bars.slice(bounds.bars - 1);
  const count = rest.reduce((sum, bar) => sum + bar.count, 0);
  return [...bars.slice(0, bounds.bars - 1), { label: `${rest.length} others`, count }];
}
