import { type IndexName, tableShape } from '../../src/core/table.ts';
import type { IndexKey, Item, Key, StepQueue, Table } from '../../src/ports.ts';
import { indexWrites, itemBytes, readUnits, writeUnits } from './sizes.ts';

/** What was asked of table and queue, in the units that are billed. */
export interface Count {
  /** Of 4 KB; an eventually consistent one is half a unit. */
  readonly readUnits: number;
  /** Of 1 KB, to the table itself. */
  readonly writeUnits: number;
  /** To the indexes: an entry is under 1 KB. */
  readonly indexUnits: number;
  /** Requests to SQS: sends, and what the event source does. */
  readonly queueRequests: number;
  readonly logBytes: number;
}

/** Counts for whoever is at work. */
export interface Meter {
  readonly add: (more: Partial<Count>) => void;
  /** From now on counts for `who`. */
  readonly turnTo: (who: string) => void;
  readonly of: (who: string) => Count;
}

export const nothing: Count = { readUnits: 0, writeUnits: 0, indexUnits: 0, queueRequests: 0, logBytes: 0 };

export function createMeter(): Meter {
  const counts = new Map<string, Count>();
  let who = 'nobody';
  const of = (name: string): Count => counts.get(name) ?? nothing;
  return {
    of,
    turnTo: (next) => {
      who = next;
    },
    add: (more) => void counts.set(who, sum(of(who), { ...nothing, ...more })),
  };
}

export function sum(a: Count, b: Count, times = 1): Count {
  return {
    readUnits: a.readUnits + times * b.readUnits,
    writeUnits: a.writeUnits + times * b.writeUnits,
    indexUnits: a.indexUnits + times * b.indexUnits,
    queueRequests: a.queueRequests + times * b.queueRequests,
    logBytes: a.logBytes + times * b.logBytes,
  };
}

const bytesOf = (items: readonly Item[]): number => items.reduce((all, item) => all + itemBytes(item), 0);

/** The same table, metered by DynamoDB's published rules. What a write found is read first, which is not counted. */
export function meteredTable(table: Table, meter: Meter): Table {
  const wrote = (before: Item | undefined, after: Item | undefined, landed: boolean): void =>
    meter.add({
      writeUnits: writeUnits(before, landed ? after : before),
      indexUnits: landed ? indexWrites(before, after) : 0,
    });
  const change = async (
    key: Key,
    after: (before: Item | undefined) => Item | undefined,
    write: () => Promise<'put' | 'refused'>,
  ): Promise<'put' | 'refused'> => {
    const before = await table.get(key);
    const result = await write();
    wrote(before, after(before), result === 'put');
    return result;
  };
  return {
    ...reads(table, meter),
    put: (item, condition) =>
      change(
        item,
        () => item,
        () => table.put(item, condition),
      ),
    update: (key, values, condition) =>
      change(
        key,
        (before) => ({ ...before, ...values }),
        () => table.update(key, values, condition),
      ),
    putMany: async (items) => {
      for (const item of items) wrote(await table.get(item), item, true);
      await table.putMany(items);
    },
    removeMany: async (keys) => {
      for (const key of keys) wrote(await table.get(key), undefined, true);
      await table.removeMany(keys);
    },
  };
}

function reads(table: Table, meter: Meter): Pick<Table, 'get' | 'getMany' | 'query' | 'listIndex'> {
  return {
    get: async (key) => {
      const item = await table.get(key);
      meter.add({ readUnits: readUnits(item === undefined ? 0 : itemBytes(item)) });
      return item;
    },
    getMany: async (keys) => {
      const items = await table.getMany(keys);
      // Each item is rounded up by itself, and one that is missing costs a unit too.
      const found = items.reduce((all, item) => all + readUnits(itemBytes(item)), 0);
      meter.add({ readUnits: found + keys.length - items.length });
      return items;
    },
    query: async (pk, from, to, consistent) => {
      const items = await table.query(pk, from, to, consistent);
      meter.add({ readUnits: readUnits(bytesOf(items)) * (consistent ? 1 : 0.5) });
      return items;
    },
    listIndex: async (index, partition, range) => {
      const keys = await table.listIndex(index, partition, range);
      const bytes = keys.reduce((all, key) => all + entryBytes(index, partition, key), 0);
      meter.add({ readUnits: readUnits(bytes) * 0.5 });
      return keys;
    },
  };
}

function entryBytes(index: IndexName, of: string, { pk, sk, at }: IndexKey): number {
  const { partition, sort } = tableShape.indexes[index];
  return itemBytes({ pk, sk, [partition.name]: of, [sort.name]: at });
}

/** The same queue: every request of up to 64 KB is one. */
export function meteredQueue<Queue extends StepQueue>(queue: Queue, meter: Meter): Queue {
  const counted =
    <Args extends readonly unknown[]>(request: (...args: Args) => Promise<void>) =>
    (...args: Args): Promise<void> => {
      meter.add({ queueRequests: 1 });
      return request(...args);
    };
  return {
    ...queue,
    send: counted(queue.send),
    sendBody: counted(queue.sendBody),
    hide: counted(queue.hide),
  };
}
