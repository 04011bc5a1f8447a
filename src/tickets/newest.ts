import { createKeyTable, keyOf } from './key-table.ts';
import { ownCopy } from './source.ts';
import { timeOf } from './update-time.ts';

/** The newest row of each id, where rows carry an update time: some 70 bytes an id. */
export interface NewestRows {
  readonly note: (id: string, line: number, updated: string) => void;
  /** The line of the row that counts in place of one with this update time; undefined where that one counts itself. */
  readonly insteadOf: (id: string, updated: string) => number | undefined;
}

/** Whether times like 08/01/2025 begin with the day is told by the file as a whole, where any of its times shows it. */
export function createNewestRows(dayFirst: boolean): NewestRows {
  // The line, the two halves of the time, and the two of its text's key.
  const table = createKeyTable(5);
  /** Times that cannot be read are compared as they are written; few files have any. */
  const unread = new Map<string, string>();
  const isLater = (id: string, updated: string, time: number, before: number): boolean => {
    if (Number.isNaN(before)) return !Number.isNaN(time) || updated > (unread.get(id) ?? '');
    return time > before;
  };
  return {
    note: (id, line, updated) => {
      const key = keyOf(id);
      const before = table.get(key);
      const time = timeOf(updated, dayFirst);
      if (before !== undefined && !isLater(id, updated, time, fromHalves(before[1], before[2]))) return;
      const text = keyOf(updated);
      table.set(key, [line, ...halvesOf(time), text.high, text.low]);
      if (Number.isNaN(time)) unread.set(ownCopy(id), ownCopy(updated));
      else if (unread.size > 0) unread.delete(id);
    },
    insteadOf: (id, updated) => {
      const [line, , , high, low] = table.get(keyOf(id)) ?? [];
      if (line === undefined) return undefined;
      const text = keyOf(updated);
      return text.high === high && text.low === low ? undefined : line;
    },
  };
}

const whole = new Float64Array(1);
const halves = new Uint32Array(whole.buffer);

function halvesOf(number: number): readonly [number, number] {
  whole[0] = number;
  return [halves[0] ?? 0, halves[1] ?? 0];
}

function fromHalves(first = 0, second = 0): number {
  halves.set([first, second]);
  return whole[0] ?? Number.NaN;
}
