import { type IndexName, tableShape } from '../core/table.ts';
import type { Condition, IndexKey, IndexRange, Item, Key, Table } from '../ports.ts';

/** What the memory table holds, seen and changed at once: for tests that act between two awaits. */
export interface TableState {
  readonly read: (key: Key) => Item | undefined;
  /** False when the condition refused it. */
  readonly put: (item: Item & Key, condition?: Condition) => boolean;
  readonly update: (key: Key, values: Readonly<Record<string, unknown>>, condition?: Condition) => boolean;
  readonly query: (pk: string, from: string, to: string) => readonly Item[];
  readonly remove: (key: Key) => void;
  readonly listIndex: (index: IndexName, partition: string, range: IndexRange) => readonly IndexKey[];
  readonly all: () => readonly Item[];
}

/** Items are frozen as they are written, so that they need no copies. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

/** A table drops attributes that are undefined; so does this one. */
function stored(item: Item & Key): Item & Key {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item)) if (value !== undefined) kept[name] = value;
  return frozen(kept) as Item & Key;
}

/**
 * The table in memory, with the same conditions as the real one. `trusting` keeps what is put as it is: for callers that
 * put no undefined attributes and change nothing afterwards, and want to be fast.
 */
export function createTableState(trusting = false): TableState {
  const partitions = new Map<string, Map<string, Item & Key>>();
  const indexes = createIndexes();
  const read = (key: Key): Item | undefined => partitions.get(key.pk)?.get(key.sk);
  const write = (item: Item & Key): void => {
    const partition = partitions.get(item.pk) ?? new Map<string, Item & Key>();
    partitions.set(item.pk, partition);
    const kept = trusting ? item : stored(item);
    partition.set(item.sk, kept);
    indexes.note(item, kept);
  };
  return {
    read,
    put: (item, condition) => {
      if (!holds(read(item), condition)) return false;
      write(item);
      return true;
    },
    update: (key, values, condition) => {
      const item = read(key);
      if (item === undefined || !holds(item, condition)) return false;
      write({ ...item, ...values, ...key });
      return true;
    },
    query: (pk, from, to) =>
      [...(partitions.get(pk)?.values() ?? [])]
        .filter(({ sk }) => sk >= from && sk <= to)
        .sort((a, b) => (a.sk < b.sk ? -1 : 1)),
    remove: (key) => {
      partitions.get(key.pk)?.delete(key.sk);
      indexes.note(key, undefined);
    },
    listIndex: indexes.list,
    all: () => [...partitions.values()].flatMap((partition) => [...partition.values()]),
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const indexNames = Object.keys(tableShape.indexes) as readonly IndexName[];

/** The items of each index, by their keys. */
function createIndexes(): {
  readonly note: (key: Key, item: Item | undefined) => void;
  readonly list: TableState['listIndex'];
} {
  const held: Readonly<Record<IndexName, Map<string, Item & Key>>> = {
    due: new Map(),
    list: new Map(),
    open: new Map(),
  };
  return {
    note: (key, item) => {
      const name = `${key.pk} ${key.sk}`;
      for (const index of indexNames) {
        const { partition } = tableShape.indexes[index];
        if (item?.[partition.name] === undefined) held[index].delete(name);
        else held[index].set(name, item as Item & Key);
      }
    },
    list: (index, partition, { to, after, limit, newestFirst }) => {
      const names = tableShape.indexes[index];
      const sign = newestFirst === true ? -1 : 1;
      const order = (a: IndexKey, b: IndexKey): number =>
        sign * (a.at - b.at || compare(a.pk, b.pk) || compare(a.sk, b.sk));
      const keys: IndexKey[] = [];
      for (const item of held[index].values()) {
        if (item[names.partition.name] !== partition) continue;
        const key = { pk: item.pk, sk: item.sk, at: Number(item[names.sort.name]) };
        if (to !== undefined && key.at > to) continue;
        if (after === undefined || order(after, key) < 0) keys.push(key);
      }
      return keys.sort(order).slice(0, limit);
    },
  };
}

/** The `Table` port over a state in memory. @default a new state */
export function createMemoryTable(
  state: TableState = createTableState(),
): Table & { readonly all: () => readonly Item[] } {
  return {
    all: state.all,
    get: async (key) => state.read(key),
    getMany: async (keys) => keys.map(state.read).filter((item) => item !== undefined),
    put: async (item, condition) => (state.put(item, condition) ? 'put' : 'refused'),
    putMany: async (items) => {
      for (const item of items) state.put(item);
    },
    update: async (key, values, condition) => (state.update(key, values, condition) ? 'put' : 'refused'),
    query: async (pk, from, to) => state.query(pk, from, to),
    removeMany: async (keys) => {
      for (const key of keys) state.remove(key);
    },
    listIndex: async (index, partition, range) => state.listIndex(index, partition, range),
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
