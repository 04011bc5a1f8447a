import { createKeyTable, type KeyTable, keyOf } from './key-table.ts';
import type { Records } from './records.ts';
import { createSeenFilter } from './seen-filter.ts';
import type { Shape } from './shape.ts';
import type { ValuesRecord } from './to-ticket.ts';

/** Which rows are one ticket. Every row is shown first, because answers may stand before what they answer. */
export interface Grouping {
  readonly see: (record: ValuesRecord) => void;
  /** Equal for the rows of one ticket; undefined where a row is a ticket of its own. */
  readonly keyOf: (record: ValuesRecord) => string | undefined;
}

export function groupingOf({ rowsOf }: Shape): Grouping {
  return {
    see: () => undefined,
    keyOf: ({ values }) => (rowsOf === undefined ? undefined : values[rowsOf]?.trim() || undefined),
  };
}

/** Whether several rows may be one ticket. */
export const isGrouped = ({ rowsOf }: Shape): boolean => rowsOf !== undefined;

/** The keys of tickets whose rows do not stand together, and of some whose do, in a file of so many bytes. */
export async function groupsApart(records: Records, size: number, grouping: Grouping): Promise<KeyTable> {
  const apart = createKeyTable(0);
  const seen = createSeenFilter(size);
  let last: string | undefined;
  for await (const page of records.pages()) {
    for (const record of page) {
      if (record.type !== 'values') continue;
      const group = grouping.keyOf(record);
      if (group !== undefined && group !== last) {
        const key = keyOf(group);
        if (seen.add(key)) apart.set(key, []);
      }
      last = group;
    }
  }
  return apart;
}
