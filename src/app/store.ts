import type { Batch } from '../core/batch.ts';
import type { Row } from '../core/batch-format.ts';
import type { Job } from '../core/job.ts';
import type { JobInfo, MessageItem } from '../core/message-item.ts';
import type { LetterStore } from './letter-store.ts';
import type { NoticeStore } from './notice-store.ts';
import type { TenantStore } from './tenant-store.ts';

/** The journal of one `once` call: its key is the reply's birth fence and the call's place, never the model's id. */
export interface CallRecord {
  readonly state: 'intent' | 'done' | 'unknown';
  /** The attempt that wrote the intent. */
  readonly owner: string;
  readonly text: string;
  readonly isError: boolean;
}

/** Names one call of one job for ever. */
export interface CallKey {
  readonly jobId: string;
  readonly born: number;
  readonly place: number;
}

/** Who decided a call, when and why: at most 500 characters of reason. */
export interface Ask {
  readonly reason: string;
  readonly who: string;
  readonly atMs: number;
}

/** Something that somebody must look at: a live job or batch, an ended one, or a notice of one that others have not been told of. */
export type Due = (
  | { readonly kind: 'job' | 'batch'; readonly id: string }
  | { readonly kind: 'notice'; readonly id: string; readonly note: string }
) & {
  /** Since when, in epoch milliseconds. */
  readonly at: number;
};

/** Names of rows in the order in which they are admitted, and the keys of rows that were refused beside them. */
export interface Chunk {
  readonly names: readonly string[];
  readonly refused: readonly string[];
}

/** What a tenant's lists hold: jobs and batches, newest first; jobs that wait for a person and live batches, oldest first. */
export type Listed = 'jobs' | 'batches' | 'waiting' | 'live_batches';

/** A place in a list: an id, and the time in epoch milliseconds by which it is sorted. */
export interface Place {
  readonly id: string;
  readonly at: number;
}

/** A transcript as it was read: perhaps incomplete, which its hash will tell. */
export interface StoredTranscript {
  readonly info: JobInfo | undefined;
  readonly items: readonly MessageItem[];
}

/** Some items of a job by their places, and its facts where item 1 is among them. */
export interface StoredItems {
  readonly info: JobInfo | undefined;
  readonly items: ReadonlyMap<number, MessageItem>;
}

/** What the use cases store and read, in their own words. Reads of heads, items and journals are consistent. */
export interface Store extends NoticeStore, TenantStore, LetterStore {
  readonly loadJob: (jobId: string) => Promise<Job | undefined>;
  readonly loadJobs: (jobIds: readonly string[]) => Promise<ReadonlyMap<string, Job>>;
  /** Puts the head if it is absent. */
  readonly createJob: (job: Job) => Promise<'created' | 'exists'>;
  /** Puts the head if the stored version is `job.version - 1`. */
  readonly commitJob: (job: Job) => Promise<'committed' | 'refused'>;

  /**
   * Deletes what a job's partition holds beside its head: of item 1, the record of an idempotency key, its hash stays,
   * and the agent's version and the row; of the journal, that calls were begun. May be done again at any time.
   */
  readonly purgeJob: (jobId: string) => Promise<void>;

  /** Puts item 1 with the job's facts, if it is absent: the record of an idempotency key. */
  readonly putInput: (jobId: string, item: MessageItem, info: JobInfo) => Promise<'created' | 'exists'>;
  readonly readInfo: (jobId: string) => Promise<JobInfo | undefined>;
  /**
   * Puts item `at` if it is absent or holds a lower fence; with `over`, only if it still holds that fence and nonce.
   * `refused` may be one's own put whose answer was lost.
   */
  readonly putItem: (
    jobId: string,
    at: number,
    item: MessageItem,
    over?: { readonly fence: number; readonly nonce: string },
  ) => Promise<'put' | 'refused'>;
  readonly readItem: (jobId: string, at: number) => Promise<MessageItem | undefined>;
  /** Single items of several jobs, by the id of the job: places that hold none are left out. */
  readonly readItems: (
    wanted: ReadonlyMap<string, readonly number[]>,
  ) => Promise<ReadonlyMap<string, StoredItems>>;
  /** The job's facts and items 1 to `count` in order; fewer items when the reads lag. */
  readonly readTranscript: (jobId: string, count: number, consistent: boolean) => Promise<StoredTranscript>;

  /** Puts the intent only if there is no record at all. */
  readonly putIntent: (key: CallKey, owner: string) => Promise<'put' | 'exists'>;
  /** Replaces a bare intent: by its result (only its own `owner` may), or by `unknown` (`owner` undefined). */
  readonly closeIntent: (
    key: CallKey,
    owner: string | undefined,
    outcome: Omit<CallRecord, 'owner'>,
  ) => Promise<'closed' | 'refused'>;
  readonly readCall: (key: CallKey) => Promise<CallRecord | undefined>;
  /** Every call of the job that has a record. */
  readonly listCalls: (jobId: string) => Promise<readonly CallKey[]>;

  /** Puts who decided a call and why, if absent. */
  readonly putAsk: (key: CallKey, letter: 'A' | 'D' | 'X', ask: Ask) => Promise<void>;
  readonly readAsk: (key: CallKey, letter: 'A' | 'D') => Promise<Ask | undefined>;
  /** Whether any call of the job was ever decided, or left until it expired. May lag. */
  readonly hasAsks: (jobId: string) => Promise<boolean>;

  /** Puts a frozen agent under its hash. */
  readonly putAgent: (name: string, version: string, json: string) => Promise<void>;
  readonly readAgent: (name: string, version: string) => Promise<string | undefined>;

  readonly loadBatch: (batchId: string) => Promise<Batch | undefined>;
  readonly createBatch: (batch: Batch) => Promise<'created' | 'exists'>;
  /** Puts the batch head if the stored version is `batch.version - 1`. */
  readonly commitBatch: (batch: Batch) => Promise<'committed' | 'refused'>;
  readonly loadBatches: (batchIds: readonly string[]) => Promise<ReadonlyMap<string, Batch>>;
  /**
   * Puts the record of an idempotency key if it is absent, and gives the hash of the body that it stands for. It is put
   * before anything else of the batch, whose head comes last: without it, a caller that died half-way and a second one
   * with another body would mix their rows.
   */
  readonly putBatchKey: (batchId: string, bodyHash: string) => Promise<string>;
  /** Puts rows under their names. The content of a row is part of its name, so that no put changes another's. */
  readonly putRows: (batchId: string, rows: ReadonlyMap<string, Row>) => Promise<void>;
  /** The rows that are there, by their names. */
  readonly readRows: (batchId: string, names: readonly string[]) => Promise<ReadonlyMap<string, Row>>;
  /** Takes what its owner wrote out of the rows of a key: input, metadata and output. */
  readonly stripRow: (batchId: string, key: string) => Promise<void>;
  /** Puts chunk `n` if absent. */
  readonly putChunk: (batchId: string, n: number, chunk: Chunk) => Promise<'put' | 'exists'>;
  /** The chunks that are there, by their numbers. */
  readonly readChunks: (batchId: string, ns: readonly number[]) => Promise<ReadonlyMap<number, Chunk>>;

  /** One page of a tenant's list; fewer places than `limit` are the last. May lag. */
  readonly listOf: (
    what: Listed,
    tenant: string,
    page: { readonly after?: Place; readonly limit: number },
  ) => Promise<readonly Place[]>;
  /**
   * What is due at or before `untilMs`, of one of the 16 shards, oldest first, from behind `after` on; fewer than `limit`
   * are the last. May lag.
   */
  readonly listDue: (shard: string, untilMs: number, limit: number, after?: Due) => Promise<readonly Due[]>;
  /** The same, the latest first, from the beginning. */
  readonly listDueLast: (shard: string, untilMs: number, limit: number) => Promise<readonly Due[]>;
}
