import { tableShape } from '../core/table.ts';
import type { Condition, Item, Key, Table } from '../ports.ts';

/** The table in memory, with the same conditions as the real one. Items are copied in and out. */
export function createMemoryTable(): Table & { readonly all: () => readonly Item[] } {
  const partitions = new Map<string, Map<string, Item>>();
  const stored = (key: Key): Item | undefined => partitions.get(key.pk)?.get(key.sk);
  const write = (item: Item & Key): void => {
    const partition = partitions.get(item.pk) ?? new Map<string, Item>();
    partitions.set(item.pk, partition);
    // What JSON drops, a table cannot hold either: undefined attributes vanish here as they do there.
    partition.set(item.sk, JSON.parse(JSON.stringify(item)) as Item);
  };
  const copy = (item: Item): Item => structuredClone(item);
  const all = (): readonly Item[] => [...partitions.values()].flatMap((partition) => [...partition.values()]);
  return {
    all,
    get: async (key) => {
      const item = stored(key);
      return item && copy(item);
    },
    getMany: async (keys) =>
      keys.flatMap((key) => {
        const item = stored(key);
        return item === undefined ? [] : [copy(item)];
      }),
    put: async (item, condition) => {
      if (!holds(stored(item), condition)) return 'refused';
      write(item);
      return 'put';
    },
    putMany: async (items) => {
      for (const item of items) write(item);
    },
    update: async (key, values, condition) => {
      const item = stored(key);
      if (item === undefined || !holds(item, condition)) return 'refused';
      write({ ...item, ...values, ...key });
      return 'put';
    },
    query: async (pk, from, to) => {
      const partition = [...(partitions.get(pk) ?? [])];
      return partition
        .filter(([sk]) => sk >= from && sk <= to)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, item]) => copy(item));
    },
    listDue: async (shard, untilMs, limit) => {
      const { partition, sort } = tableShape.indexes.due;
      return all()
        .filter((item) => item[partition.name] === shard && Number(item[sort.name]) <= untilMs)
        .sort((a, b) => Number(a[sort.name]) - Number(b[sort.name]))
        .slice(0, limit)
        .map((item) => ({ pk: String(item['pk']), sk: String(item['sk']) }));
    },
  };
}

function holds(item: Item | undefined, condition: Condition | undefined): boolean {
  if (condition === undefined) return true;
  switch (condition.type) {
    case 'absent':
      return item === undefined;
    case 'equals':
      return Object.entries(condition.values).every(([name, value]) => item?.[name] === value);
    case 'absent_or_lower':
      return item === undefined || Number(item[condition.name]) < condition.value;
    default:
      return condition satisfies never;
  }
}
