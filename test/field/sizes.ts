import { utf8Bytes } from '../../src/core/safe-json.ts';
import type { Item, Table } from '../../src/ports.ts';

/** What DynamoDB takes as one item, in UTF-8 bytes; the stand-in counts characters instead. */
export const MAX_ITEM_BYTES = 409_600;

/** Refuses what DynamoDB refuses for its size, and remembers the largest item. */
export function itemSizes(): { readonly wrap: (table: Table) => Table; readonly largest: () => number } {
  let largest = 0;
  const measure = (item: Item): void => {
    const bytes = utf8Bytes(JSON.stringify(item));
    largest = Math.max(largest, bytes);
    if (bytes > MAX_ITEM_BYTES) throw new Error(`ValidationException: an item of ${bytes} bytes`);
  };
  return {
    largest: () => largest,
    wrap: (table) => ({
      ...table,
      put: async (item, condition) => {
        measure(item);
        return table.put(item, condition);
      },
      putMany: async (items) => {
        items.forEach(measure);
        return table.putMany(items);
      },
      update: async (key, values, condition) => {
        measure({ ...(await table.get(key)), ...values });
        return table.update(key, values, condition);
      },
    }),
  };
}
