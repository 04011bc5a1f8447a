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
  /** Whether anything is in the due index under this time or an earlier one. */
  readonly isDue: (nowMs: number) => boolean;
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
  const partitions: Partitions = new Map();
  const indexes = createIndexes();
  const read = (key: Key): Item | undefined => partitions.get(key.pk)?.get(key.sk);
  const write = (item: Item & Key): void => {
    const partition = partitionOf(partitions, item.pk);
    const kept = trusting ? item : stored(item);
    indexes.note(item, partition.get(item.sk), kept);
    partition.set(item.sk, kept);
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
      indexes.note(key, read(key), undefined);
      partitions.get(key.pk)?.delete(key.sk);
    },
    listIndex: indexes.list,
    isDue: indexes.isDue,
    all: () => [...partitions.values()].flatMap((partition) => [...partition.values()]),
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const indexNames = Object.keys(tableShape.indexes) as readonly IndexName[];

/** Partitions by their names: the items of each, by their keys. */
type Partitions = Map<string, Map<string, Item & Key>>;

/** The items of each index. */
function createIndexes(): {
  readonly note: (key: Key, before: Item | undefined, item: (Item & Key) | undefined) => void;
  readonly list: TableState['listIndex'];
  readonly isDue: TableState['isDue'];
} {
  const held: Readonly<Record<IndexName, Partitions>> = { due: new Map(), list: new Map(), open: new Map() };
  return {
    note: (key, before, item) => {
      for (const index of indexNames) {
        const { name } = tableShape.indexes[index].partition;
        const was = before?.[name];
        const is = item?.[name];
        if (was === undefined && is === undefined) continue;
        const place = `${key.pk} ${key.sk}`;
        if (was !== is) held[index].get(String(was))?.delete(place);
        if (item !== undefined && is !== undefined) partitionOf(held[index], String(is)).set(place, item);
      }
    },
    list: (index, partition, { to, after, limit, newestFirst }) => {
      const items = held[index].get(partition);
      if (items === undefined || items.size === 0) return [];
      const sort = tableShape.indexes[index].sort.name;
      const sign = newestFirst === true ? -1 : 1;
      const order = (a: IndexKey, b: IndexKey): number =>
        sign * (a.at - b.at || compare(a.pk, b.pk) || compare(a.sk, b.sk));
      const keys: IndexKey[] = [];
      for (const item of items.values()) {
        const key = { pk: item.pk, sk: item.sk, at: Number(item[sort]) };
        if (to !== undefined && key.at > to) continue;
        if (after === undefined || order(after, key) < 0) keys.push(key);
      }
      return keys.sort(order).slice(0, limit);
    },
    isDue: (nowMs) => {
      const { name } = tableShape.indexes.due.sort;
      for (const items of held.due.values()) {
        for (const item of items.values()) if (Number(item[name]) <= nowMs) return true;
      }
      return false;
    },
  };
}

function partitionOf(index: Partitions, name: string): Map<string, Item & Key> {
  const known = index.get(name);
  if (known !== undefined) return known;
  const fresh = new Map<string, Item & Key>();
  index.set(name, fresh);
  return fresh;
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
