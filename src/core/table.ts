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
 * The one table, for the stack and the local stand-in alike. Both indexes project keys only and are sparse: an item
 * without their attributes is not in them. `due` holds every live job and batch under the time by which somebody must
 * look at it, `list` a tenant's jobs and batches by creation time; both in epoch milliseconds.
 */
export const tableShape = {
  key: { partition: { name: 'pk', type: 'S' }, sort: { name: 'sk', type: 'S' } },
  indexes: {
    due: { partition: { name: 'ds', type: 'S' }, sort: { name: 'du', type: 'N' } },
    list: { partition: { name: 'lt', type: 'S' }, sort: { name: 'lc', type: 'N' } },
  },
} as const satisfies { readonly key: KeyPair; readonly indexes: Readonly<Record<string, KeyPair>> };

/** The names of the indexes, `due` and `list`. */
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
