import { isPending, type Note, readNote } from '../core/note.ts';
import { shardOf } from '../core/table.ts';
import type { Item, Key, Table } from '../ports.ts';

/** How long the record of a notice is kept: longer than any receiver needs to ask why it heard nothing. */
const KEPT_MS = 30 * 86_400_000;

/** What a notice's sort key begins with. */
export const NOTE = 'NOTE#';

/** The records of what others are told. Reads are consistent. */
export interface NoticeStore {
  /** Puts the record if it is absent. */
  readonly putNote: (note: Note) => Promise<'put' | 'exists'>;
  readonly readNote: (of: string, key: string) => Promise<Note | undefined>;
  /** Puts the record if the stored version is `note.version - 1`. */
  readonly commitNote: (note: Note) => Promise<'committed' | 'refused'>;
}

export function noteKey(of: string, key: string): Key {
  return { pk: `${of.startsWith('batch_') ? 'BATCH' : 'JOB'}#${of}`, sk: `${NOTE}${key}` };
}

/** In the due index only while somebody is still to be told. */
function itemOf({ of, key, du, ...record }: Note, atMs: number): Item & Key {
  const pending = isPending({ of, key, du, ...record });
  const due = pending ? { ds: shardOf(of), du } : {};
  return { ...record, ...noteKey(of, key), ...due, ex: Math.ceil((atMs + KEPT_MS) / 1000) };
}

export function notices(table: Table): NoticeStore {
  return {
    putNote: async (note) =>
      (await table.put(itemOf(note, note.atMs), { type: 'absent' })) === 'put' ? 'put' : 'exists',
    readNote: async (of, key) => {
      const stored = await table.get(noteKey(of, key));
      return stored && readNote(of, key, stored);
    },
    commitNote: async (note) => {
      const condition = { type: 'equals', values: { version: note.version - 1 } } as const;
      return (await table.put(itemOf(note, note.atMs), condition)) === 'put' ? 'committed' : 'refused';
    },
  };
}
