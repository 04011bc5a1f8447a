import * as z from 'zod';
import { type ContentBlock, callsOf, parseContent, type ToolCall, textOf } from './content.ts';
import { lift } from './head-format.ts';
import { noOriginals, reveal, withHidden } from './placeholders.ts';
import { privateKinds } from './redact.ts';

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
  /** JSON text of what `user` was the first in this job to hide, as kind and original, in order. */
  hidden: z.string().optional(),
  /** JSON text of `reply` with the originals put back, where it holds placeholders. */
  plain: z.string().optional(),
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
  /** Milliseconds in the queue since the message might be taken, in the model and in the tools. */
  ms: z.tuple([natural, natural, natural]),
  /** Milliseconds that Treadle itself took until this was stored; absent in items of before it was measured. */
  engineMs: natural.optional(),
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
  /** What each attempt of unknown outcome before had left unsettled since the last reply; absent for none. */
  lost: z.array(natural).optional(),
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

/** What the hash chain of a transcript covers of an item: exactly what later requests send, and what that hides. */
export function hashedText(previousHash: string, item: MessageItem): string {
  const sent = `${previousHash}\n${item.user ?? ''}\n${item.kept ? (item.reply ?? '') : ''}`;
  return item.hidden === undefined ? sent : `${sent}\n${item.hidden}`;
}

/** The content of an item's reply as tools, people and checks see it: with the originals. */
export function plainReply({ plain, reply }: Pick<MessageItem, 'plain' | 'reply'>): readonly ContentBlock[] {
  const json = plain ?? reply;
  return json === undefined ? [] : parseContent(json);
}

/** A call with the originals in its input, and the input as the model gave it. */
export interface StoredCall extends ToolCall {
  readonly sent: ToolCall['input'];
}

export function storedCalls(item: Pick<MessageItem, 'plain' | 'reply'>): readonly StoredCall[] {
  const calls = callsOf(plainReply(item));
  const sent = item.plain === undefined ? calls : callsOf(plainReply({ reply: item.reply }));
  return calls.map((call, place) => ({ ...call, sent: sent[place]?.input ?? call.input }));
}

/** The text of the first item as it was submitted: what it hides it was the first to hide. */
export function submittedText({ user, hidden }: MessageItem, redacts: boolean): string {
  const text = user === undefined ? '' : textOf(parseContent(user));
  if (!redacts) return text;
  return reveal(text, hidden === undefined ? noOriginals : withHidden(noOriginals, hidden));
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
  /** What is hidden from the model, as the agent had it; absent for nothing. */
  redact: z.array(z.enum(privateKinds)).optional(),
  /** The hash of the submitted body: what an idempotency key stands for. */
  bodyHash: z.string(),
});
/** What never changes about a job. */
export type JobInfo = Readonly<z.infer<typeof jobInfo>>;

export function readJobInfo(stored: unknown, what: string): JobInfo {
  return jobInfo.parse(lift(stored, what, 1, {}));
}
