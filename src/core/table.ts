/** A key attribute: its name in the items, and whether it is a string or a number. */
export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N';
}

/** The two attributes by which a table or an index is read. */
export interface KeyPair {
  readonly partition: KeyAttribute;
  readonly sort: KeyAttribute;
}

/**
 * The one table, for the stack and the local stand-in alike. Its indexes project keys only and are sparse: an item
 * without their attributes is not in them. `due` holds everything that somebody must look at, under the time by which;
 * `list` a tenant's jobs, batches and dead letters by the time they came; `open` its jobs that wait for a person, by the
 * time since when, and its live batches. All in epoch milliseconds. What has outlived its retention is removed by `ex`,
 * in epoch seconds.
 */
export const tableShape = {
  key: { partition: { name: 'pk', type: 'S' }, sort: { name: 'sk', type: 'S' } },
  indexes: {
    due: { partition: { name: 'ds', type: 'S' }, sort: { name: 'du', type: 'N' } },
    list: { partition: { name: 'lt', type: 'S' }, sort: { name: 'lc', type: 'N' } },
    open: { partition: { name: 'ot', type: 'S' }, sort: { name: 'oc', type: 'N' } },
  },
  expiry: 'ex',
} as const satisfies {
  readonly key: KeyPair;
  readonly indexes: Readonly<Record<string, KeyPair>>;
  readonly expiry: string;
};

/** The names of the indexes, `due`, `list` and `open`. */
export type IndexName = keyof typeof tableShape.indexes;

const SHARDS = 16;

/** Every partition of the due index; a reader of what is due asks each of them. */
export const dueShards: readonly string[] = Array.from({ length: SHARDS }, (_, n) => `due#${n}`);

/**
 * The partition of the due index in which a job or batch lives, `due#0` to `due#15`. It is stored, so it may never
 * change for an id: FNV-1a, whose upper half is folded in because its low bits alone are uneven for short ids.
 */
export function shardOf(id: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  }
  return `due#${((hash >>> 16) ^ hash) & (SHARDS - 1)}`;
}
