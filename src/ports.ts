import type { TokenUsage } from './core/prices.ts';

/** The outside time, in epoch milliseconds, and a way to wait that tests can advance. */
export interface Clock {
  readonly now: () => number;
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** What travels through the step queue: ids and a turn, never content. Under 1 KB as JSON. */
export type QueueMessage =
  | { readonly v: 1; readonly jobId: string; readonly turn: number }
  | { readonly v: 1; readonly batchId: string; readonly turn: number };

export interface SendOptions {
  /** Whole seconds, 0 to 900. A longer wait sends nothing: the due index wakes it. */
  readonly delaySeconds: number;
  /** The tenant or batch: AWS shares the queue fairly between groups. 1 to 128 characters. */
  readonly group: string;
}

/** The step queue. Delivers at least once, in any order. */
export interface StepQueue {
  readonly send: (message: QueueMessage, options: SendOptions) => Promise<void>;
  /** Keeps a received message hidden for so many seconds from now, 0 to 43200. A refusal is not an error. */
  readonly hide: (receiptHandle: string, seconds: number) => Promise<void>;
}

/** A request as the job's history fixes it: every string here is JSON text whose key order is part of the cached prefix. */
export interface ModelRequest {
  readonly model: string;
  readonly maxTokens: number;
  readonly system: string;
  readonly effort: string | undefined;
  readonly tools: readonly unknown[];
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: unknown }[];
  /** An opaque key that is the same for every request of a job: `metadata.user_id`. */
  readonly conversation: string;
}

/** One content block of a reply, of a kind we know or not; unknown kinds are kept word for word. */
export interface ContentBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface ModelReply {
  readonly content: readonly ContentBlock[];
  readonly stopReason: string | null;
  readonly stopSequence: string | null;
  /** The category of a refusal, where the API names one. */
  readonly refusalCategory: string | null;
  /** Absent where the server sent none. */
  readonly usage: TokenUsage | undefined;
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
