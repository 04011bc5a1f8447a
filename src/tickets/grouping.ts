import { createKeyTable, type KeyTable, keyOf } from './key-table.ts';
import type { Records } from './records.ts';
import { createSeenFilter } from './seen-filter.ts';
import type { Grouping, Shape } from './shape.ts';

/** Whether several rows may be one ticket. */
export const isGrouped = ({ rowsOf, answers }: Shape): boolean =>
  rowsOf !== undefined || answers !== undefined;

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
