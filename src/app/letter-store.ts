import {
  type DeadLetter,
  fromLetterRecord,
  LETTER_MS,
  LETTERS_OF,
  LETTERS_OPEN,
  LETTERS_SENT,
  toLetterRecord,
} from '../core/dead-letter.ts';
import type { Key, Table } from '../ports.ts';

/** A place in a list of dead letters: an id, and the time in epoch milliseconds at which it was taken. */
export interface LetterPlace {
  readonly id: string;
  readonly at: number;
}

/** Messages that were given up. An owner is a tenant, or nobody: the empty string. */
export interface LetterStore {
  /** Puts the letter if it is absent: taken again it stays what it was. */
  readonly putDeadLetter: (letter: DeadLetter) => Promise<void>;
  readonly readDeadLetter: (id: string) => Promise<DeadLetter | undefined>;
  readonly readDeadLetters: (ids: readonly string[]) => Promise<readonly DeadLetter[]>;
  /** One page of an owner's letters, newest first. May lag. */
  readonly listDeadLetters: (
    owner: string,
    page: { readonly after?: LetterPlace; readonly limit: number },
  ) => Promise<readonly LetterPlace[]>;
  /** How many letters were taken after a time and not sent again, whoever owns them; `limit` at the most. May lag. */
  readonly countOpenLetters: (afterMs: number, limit: number) => Promise<number>;
  readonly markRedriven: (id: string, atMs: number) => Promise<void>;
}

const letterKey = (id: string): Key => ({ pk: 'DEAD', sk: id });

export function letters(table: Table): LetterStore {
  return {
    putDeadLetter: async (letter) => {
      const item = {
        ...letterKey(letter.id),
        ...toLetterRecord(letter),
        lt: `${LETTERS_OF}${letter.tenant}`,
        lc: letter.atMs,
        ot: LETTERS_OPEN,
        oc: letter.atMs,
        ex: Math.ceil((letter.atMs + LETTER_MS) / 1000),
      };
      await table.put(item, { type: 'absent' });
    },
    readDeadLetter: async (id) => {
      const stored = await table.get(letterKey(id));
      return stored && fromLetterRecord(stored);
    },
    readDeadLetters: async (ids) =>
      ids.length === 0 ? [] : (await table.getMany(ids.map(letterKey))).map(fromLetterRecord),
    listDeadLetters: async (owner, { after, limit }) => {
      const keys = await table.listIndex('list', `${LETTERS_OF}${owner}`, {
        limit,
        newestFirst: true,
        ...(after === undefined ? {} : { after: { ...letterKey(after.id), at: after.at } }),
      });
      return keys.map(({ sk, at }) => ({ id: sk, at }));
    },
    countOpenLetters: async (afterMs, limit) => {
      const keys = await table.listIndex('open', LETTERS_OPEN, { limit, newestFirst: true });
      return keys.filter(({ at }) => at > afterMs).length;
    },
    markRedriven: async (id, atMs) => {
      // An update cannot take an attribute away, so the letter moves to a partition that nobody reads.
      await table.update(letterKey(id), { redrivenAtMs: atMs, ot: LETTERS_SENT });
    },
  };
}
