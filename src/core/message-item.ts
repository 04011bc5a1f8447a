import * as z from 'zod';
import { lift } from './head-format.ts';

export const ITEM_VERSION = 1;

const natural = z.number().int().nonnegative();

/**
 * One item of a job's transcript: the input, or one step. Content is kept as JSON text, because its key order is part
 * of the cached and bound prefix of the prompt.
 */
const messageItem = z.object({
  v: z.literal(1),
  /** JSON text of the user message that the request of this step ended with. */
  user: z.string().optional(),
  /** JSON text of the content blocks of the reply, mended where needed. */
  reply: z.string().optional(),
  /** The reply is part of the transcript; a cut, refused or unusable one is in the trace only. */
  kept: z.boolean(),
  /** JSON text of the content before it was mended, or of an answer that was no message. */
  original: z.string().optional(),
  /** The reply's stop reason, or what was wrong with it. */
  stop: z.string(),
  category: z.string().optional(),
  turn: natural,
  fence: natural,
  /** The fence under which the reply was made; an adopter raises `fence` and leaves this. */
  born: natural,
  nonce: z.string(),
  reserved: natural,
  /** The ceiling had lowered `max_tokens` for this request. */
  shrunk: z.boolean(),
  cost: natural,
  /** Input, output, cache write, cache read; absent where the server sent none. */
  usage: z.tuple([natural, natural, natural, natural]).optional(),
  saved: z.number().int(),
  /** The upper bound on prompt tokens that the reserve was made for, and the output asked for. */
  bound: z.tuple([natural, natural]),
  /** Milliseconds in the queue, the model and the tools. */
  ms: z.tuple([natural, natural, natural]),
  attempts: natural,
  /** What became of the calls run in this step. */
  tools: z.enum(['none', 'ok', 'failed']),
  /** The first tool that failed, for the stop message. */
  failedTool: z.string(),
  /** The letters of the calls that were run, and the milliseconds each took. */
  states: z.string(),
  callMs: z.array(natural),
  /** Messages of the oldest rounds that the request left out. */
  dropped: natural.optional(),
  /** A call's outcome is unknown: a person should look. */
  review: z.boolean(),
  /** The provider's own words on an error, and its request id. */
  words: z.string().optional(),
  requestId: z.string().optional(),
  at: natural,
});
export type MessageItem = Readonly<z.infer<typeof messageItem>>;

const lifts: Readonly<Record<number, (record: unknown) => unknown>> = {};

/** Reads a stored message item. Throws `TerminalError` `newer_record` for one written by newer code. */
export function readMessageItem(stored: unknown, what: string): MessageItem {
  return messageItem.parse(lift(stored, what, ITEM_VERSION, lifts));
}

/** An item that holds no reply and no calls: the input, or the start of a step's. */
export function emptyItem(turn: number, at: number): MessageItem {
  return {
    v: ITEM_VERSION,
    kept: false,
    stop: '',
    turn,
    fence: 0,
    born: 0,
    nonce: '',
    reserved: 0,
    shrunk: false,
    cost: 0,
    saved: 0,
    bound: [0, 0],
    ms: [0, 0, 0],
    attempts: 0,
    tools: 'none',
    failedTool: '',
    states: '',
    callMs: [],
    review: false,
    at,
  };
}

/** What the hash chain of a transcript covers of an item: exactly what later requests send. */
export function hashedText(previousHash: string, item: MessageItem): string {
  return `${previousHash}\n${item.user ?? ''}\n${item.kept ? (item.reply ?? '') : ''}`;
}

const jobInfo = z.object({
  v: z.literal(1),
  agentVersion: z.string(),
  /** JSON text of the metadata given at submission. */
  metadata: z.string(),
  batchId: z.string().optional(),
  rowKey: z.string().optional(),
  rowId: z.string().optional(),
  /** JSON text of the output of a job that needed no model. */
  output: z.string().optional(),
  /** The address that is told how the job goes. */
  webhook: z.string().optional(),
  /** The hash of the submitted body: what an idempotency key stands for. */
  bodyHash: z.string(),
});
/** What never changes about a job. */
export type JobInfo = Readonly<z.infer<typeof jobInfo>>;

export function readJobInfo(stored: unknown, what: string): JobInfo {
  return jobInfo.parse(lift(stored, what, 1, {}));
}
