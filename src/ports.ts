import type { Message, ModelReply } from './core/content.ts';
import type { Fact } from './core/facts.ts';
import type { Told } from './core/note.ts';
import type { TokenUsage } from './core/prices.ts';
import type { QueueMessage } from './core/queue-message.ts';
import type { IndexName } from './core/table.ts';

export type { ContentBlock, ModelReply } from './core/content.ts';
export type { Fact } from './core/facts.ts';
export type { Told } from './core/note.ts';
export type { QueueMessage } from './core/queue-message.ts';

/** The outside time, in epoch milliseconds, and a way to wait that tests can advance. */
export interface Clock {
  readonly now: () => number;
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export interface SendOptions {
  /** Whole seconds, 0 to 900. A longer wait sends nothing: the due index wakes it. */
  readonly delaySeconds: number;
  /** The tenant or batch: AWS shares the queue fairly between groups. 1 to 128 characters. */
  readonly group: string;
}

/** The step queue. Delivers at least once, in any order. */
export interface StepQueue {
  readonly send: (message: QueueMessage, options: SendOptions) => Promise<void>;
  /** Sends a body as it is: that of a message which was given up. */
  readonly sendBody: (body: string, options: SendOptions) => Promise<void>;
  /** Keeps a received message hidden for so many seconds from now, 0 to 43200. A refusal is not an error. */
  readonly hide: (receiptHandle: string, seconds: number) => Promise<void>;
}

/** A request as the job's history fixes it: every string here is JSON text whose key order is part of the cached prefix. */
export interface ModelRequest {
  readonly model: string;
  readonly maxTokens: number;
  readonly system: string;
  readonly effort: string | undefined;
  /** Thinking that lost the history it is bound to is dropped instead of refused. */
  readonly dropBoundThinking: boolean;
  readonly tools: readonly unknown[];
  readonly messages: readonly Message[];
  /** An opaque key that is the same for every request of a job: `metadata.user_id`. */
  readonly conversation: string;
}

export type ModelOutcome =
  | { readonly type: 'reply'; readonly reply: ModelReply; readonly requestId: string | null }
  /** A complete answer with status 200 that our schema refuses as a message of the API. */
  | {
      readonly type: 'unusable';
      readonly raw: unknown;
      readonly problem: string;
      readonly usage: TokenUsage | undefined;
      readonly requestId: string | null;
    }
  /** To be asked again later. `billed: 'no'` is proven by a complete HTTP error answer; everything else is unknown. */
  | {
      readonly type: 'wait';
      readonly billed: 'no' | 'unknown';
      readonly retryAfterMs: number | undefined;
      /** Short, without any text of the conversation: "529 overloaded_error". */
      readonly problem: string;
    }
  /** Never to be asked again. `words` are the provider's own, for the trace only. */
  | {
      readonly type: 'refused';
      readonly reason: 'configuration' | 'rejected_request';
      readonly problem: string;
      readonly words: string;
    };

export interface Model {
  /** One request, no retries. Never rejects. `signal` ends it, answer or not. */
  readonly ask: (request: ModelRequest, signal: AbortSignal) => Promise<ModelOutcome>;
}

/** An item of the table as plain values, its key attributes `pk` and `sk` among them. */
export type Item = Readonly<Record<string, unknown>>;

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An item's place in an index: its key, and the value that it is sorted by. */
export interface IndexKey extends Key {
  readonly at: number;
}

/** What of a partition of an index is read. */
export interface IndexRange {
  /** The highest sort value. @default no bound */
  readonly to?: number;
  /** The place that the last page ended with. */
  readonly after?: IndexKey;
  /** Positive. Fewer keys than this are the last. */
  readonly limit: number;
  /** @default lowest first */
  readonly newestFirst?: boolean;
}

/** The one condition that a write may have. Attributes are top-level. */
export type Condition =
  | { readonly type: 'absent' }
  | { readonly type: 'equals'; readonly values: Readonly<Record<string, string | number>> }
  | { readonly type: 'absent_or_lower'; readonly name: string; readonly value: number };

/**
 * The table. Every write is one item with at most one condition; no transactions. A write that throws `RetryableError`
 * may still have landed, or land later: callers look for their mark before they try again.
 */
export interface Table {
  /** Consistent. */
  readonly get: (key: Key) => Promise<Item | undefined>;
  /** Consistent; missing items are left out, order is not kept. */
  readonly getMany: (keys: readonly Key[]) => Promise<readonly Item[]>;
  readonly put: (item: Item & Key, condition?: Condition) => Promise<'put' | 'refused'>;
  /** Puts without conditions, in any order. */
  readonly putMany: (items: readonly (Item & Key)[]) => Promise<void>;
  /** Sets attributes of an item that exists; `refused` when it does not, or the condition fails. */
  readonly update: (
    key: Key,
    values: Readonly<Record<string, unknown>>,
    condition?: Condition,
  ) => Promise<'put' | 'refused'>;
  /** Every item of `pk` with `from <= sk <= to`, in order of `sk`, all pages. */
  readonly query: (pk: string, from: string, to: string, consistent: boolean) => Promise<readonly Item[]>;
  /** Deletes items without conditions, in any order; missing ones are no error. */
  readonly removeMany: (keys: readonly Key[]) => Promise<void>;
  /** Keys of one partition of an index, in order of its sort attribute. May lag. */
  readonly listIndex: (
    index: IndexName,
    partition: string,
    range: IndexRange,
  ) => Promise<readonly IndexKey[]>;
}

/** Ids and hashes: asked for, never reached for. */
export interface Ids {
  /** 16 characters of `[A-Za-z0-9_-]`, 96 random bits. */
  readonly token: () => string;
  /** 22 characters of `[A-Za-z0-9_-]`: the first 128 bits of SHA-256. */
  readonly hash: (text: string) => string;
  /** At least 0, below 1. */
  readonly random: () => number;
}

/** Something that has happened, as others are told of it: ids, states and figures, never content. */
export interface Notice {
  /** The same for every try: receivers drop what they have seen. */
  readonly id: string;
  readonly type: 'job.ended' | 'job.awaiting_approval' | 'batch.ended';
  readonly tenant: string;
  readonly atMs: number;
  /** JSON-ready. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Who is told. `webhook` and `events` are undefined where the deployment has none. Neither function ever rejects. */
export interface Notifier {
  readonly events: { readonly publish: (notice: Notice) => Promise<Told> } | undefined;
  readonly webhook: { readonly post: (url: string, notice: Notice) => Promise<Told> } | undefined;
}

/** Who is told how jobs go, beside the ledger, which is the truth: what is told may be lost, and is told once at most. */
export interface Telemetry {
  /** Keeps the fact until the next flush. Never throws and never waits. */
  readonly told: (fact: Fact) => void;
  /** Hands over what was told. Resolves after `withinMs` at the latest, whatever became of it, and never rejects. */
  readonly flush: (withinMs: number) => Promise<void>;
}
