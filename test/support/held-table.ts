import { RetryableError } from '../../src/core/errors.ts';
import type { Item, Key, Table } from '../../src/ports.ts';

/** A conditional write on its way: the whole item of a put, or the key and the new values of an update. */
export interface Write {
  readonly type: 'put' | 'update';
  readonly item: Item & Key;
}

/** One write in the hands of a test. Whoever made it waits, for ever if the test says so: then it has died. */
export interface Held {
  /** Resolves once the write is on its way. */
  readonly reached: Promise<void>;
  /** The write reaches the table; its answer does not come back yet. */
  readonly land: () => Promise<void>;
  /** The answer comes back: that of the landed write, or of the write that lands now. */
  readonly answer: () => Promise<void>;
  /** No answer comes back, whether the write has landed, lands later or never. */
  readonly timeOut: () => void;
}

export interface HeldTable {
  /** The table as every process sees it. */
  readonly wrap: (table: Table) => Table;
  /** Takes the next write that matches; later ones pass. */
  readonly hold: (matches: (write: Write) => boolean) => Held;
  /** Tells of every write that has landed, in order. */
  readonly watch: (tell: (write: Write) => void) => void;
}

type Answer = 'put' | 'refused';
interface Waiting {
  readonly matches: (write: Write) => boolean;
  readonly take: (land: () => Promise<Answer>) => Promise<Answer>;
}

function createHeld(): { readonly held: Held; readonly take: Waiting['take'] } {
  let arrive = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  let landing: Promise<Answer> | undefined;
  let onTable = (): Promise<Answer> => Promise.reject(new Error('the held write is not on its way yet'));
  let settle: { readonly resolve: (answer: Answer) => void; readonly reject: (error: Error) => void };
  const land = (): Promise<Answer> => {
    landing ??= onTable();
    return landing;
  };
  return {
    held: {
      reached,
      land: async () => void (await land()),
      answer: async () => settle.resolve(await land()),
      timeOut: () => settle.reject(new RetryableError('timed_out', 'the write got no answer')),
    },
    take: (write) =>
      new Promise((resolve, reject) => {
        onTable = write;
        settle = { resolve, reject };
        arrive();
      }),
  };
}

/** A table whose single writes a test can hold, land, lose or answer in any order. Everything else passes. */
export function createHeldTable(): HeldTable {
  const waiting = new Set<Waiting>();
  const watchers: ((write: Write) => void)[] = [];
  const pass = async (write: Write, perform: () => Promise<Answer>): Promise<Answer> => {
    const land = async (): Promise<Answer> => {
      const answer = await perform();
      if (answer === 'put') for (const tell of watchers) tell(write);
      return answer;
    };
    const holder = [...waiting].find(({ matches }) => matches(write));
    if (holder === undefined) return land();
    waiting.delete(holder);
    return holder.take(land);
  };
  return {
    wrap: (table) => ({
      ...table,
      put: (item, condition) => pass({ type: 'put', item }, () => table.put(item, condition)),
      update: (key, values, condition) =>
        pass({ type: 'update', item: { ...values, ...key } }, () => table.update(key, values, condition)),
    }),
    hold: (matches) => {
      const { held, take } = createHeld();
      waiting.add({ matches, take });
      return held;
    },
    watch: (tell) => void watchers.push(tell),
  };
}

/** A worker's commit of one kind of event on a job's head. */
export const commitOf =
  (event: string) =>
  ({ item }: Write): boolean =>
    item.sk === 'JOB' && String(item['by']).endsWith(`.${event}`);

/** A request's write of a job's head, which leaves the worker's mark alone and sets its own. */
export const requestOn =
  (jobId: string) =>
  ({ item }: Write): boolean =>
    item.pk === `JOB#${jobId}` && item.sk === 'JOB' && item['ab'] !== undefined;

/** The put of a job's item, by its number. */
export const itemPut =
  (at: number) =>
  ({ item }: Write): boolean =>
    item.sk === `MSG#${String(at).padStart(6, '0')}`;

/** The put of the intent of a `once` call. */
export const intentPut = ({ type, item }: Write): boolean => type === 'put' && item.sk.startsWith('CALL#');

/** The write that closes such an intent: by its result, or as unknown. */
export const callClosing = ({ type, item }: Write): boolean =>
  type === 'update' && item.sk.startsWith('CALL#');
