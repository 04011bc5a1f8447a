import type { Agent } from '../core/agent.ts';
import { type ContentBlock, callsOf, type Message, parseContent, type ToolCall } from '../core/content.ts';
import { RetryableError } from '../core/errors.ts';
import { isEnded, type Job } from '../core/job.ts';
import { hashedText, type JobInfo, type MessageItem } from '../core/message-item.ts';
import { noOriginals, type Originals, withHidden } from '../core/placeholders.ts';
import type { World } from './world.ts';

/** A committed transcript: what the next request sends before its own user message. */
export interface Transcript {
  readonly jobId: string;
  readonly info: JobInfo;
  readonly count: number;
  readonly hash: string;
  readonly messages: readonly Message[];
  /** Every tool_use id the job has seen. */
  readonly ids: ReadonlySet<string>;
  readonly last: MessageItem;
  /** What the messages hide from the model. */
  readonly originals: Originals;
  /** The last reply of the messages with the originals put back; undefined where it is the same. */
  readonly plain: readonly ContentBlock[] | undefined;
  /** UTF-16 length of the stored text of the messages. */
  readonly size: number;
}

/** Keeps the newest transcripts of this process that may be needed again, up to a weight. */
export interface WarmTranscripts {
  readonly get: (jobId: string) => Transcript | undefined;
  readonly set: (transcript: Transcript) => void;
  readonly drop: (jobId: string) => void;
}

/** Characters that the objects around its texts weigh, whatever a transcript holds. */
const FRAME = 2_000;

/**
 * `maxSize` is in characters, each of which takes two or three bytes with its share of the objects. A built worker of
 * 256 MB that kept 20 million took 200 MB, 75 more than one that keeps none; ten requests at once need room beside it.
 * @default 12 million
 */
export function createWarmTranscripts(maxSize = 12_000_000): WarmTranscripts {
  const kept = new Map<string, Transcript>();
  let size = 0;
  const drop = (jobId: string): void => {
    const known = kept.get(jobId);
    if (known === undefined) return;
    size -= weightOf(known);
    kept.delete(jobId);
  };
  return {
    get: (jobId) => kept.get(jobId),
    drop,
    set: (transcript) => {
      drop(transcript.jobId);
      kept.set(transcript.jobId, transcript);
      size += weightOf(transcript);
      for (const oldest of kept.keys()) {
        if (size <= maxSize || oldest === transcript.jobId) break;
        drop(oldest);
      }
    },
  };
}

/** The last item is kept as it is stored too, and what never changes about the job beside it. */
function weightOf({ size, info, last }: Transcript): number {
  const { user, reply, original, words, hidden, plain } = last;
  return FRAME + size + lengthOf([info.metadata, info.output, user, reply, original, words, hidden, plain]);
}

function lengthOf(texts: readonly (string | undefined)[]): number {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

/** Whoever commits the end of a job forgets its transcript: should it go on some day, it is read again. */
export function forgetEnded(world: World, job: Job): void {
  if (isEnded(job)) world.warm.drop(job.id);
}

function messagesOf(item: MessageItem): readonly Message[] {
  const messages: Message[] = [];
  if (item.user !== undefined) messages.push({ role: 'user', content: parseContent(item.user) });
  if (item.kept && item.reply !== undefined) {
    messages.push({ role: 'assistant', content: parseContent(item.reply) });
  }
  return messages;
}

/** The transcript with one item more. */
export function extendTranscript(before: Transcript, item: MessageItem, hash: string): Transcript {
  const added = messagesOf(item);
  const newIds = added.flatMap((message) =>
    message.role === 'assistant' ? callsOf(message.content).map((call) => call.id) : [],
  );
  return {
    ...before,
    count: before.count + 1,
    hash,
    messages: [...before.messages, ...added],
    ids: newIds.length === 0 ? before.ids : new Set([...before.ids, ...newIds]),
    last: item,
    originals: item.hidden === undefined ? before.originals : withHidden(before.originals, item.hidden),
    plain: plainAfter(before, item),
    size: before.size + lengthOf([item.user, item.reply, item.hidden, item.plain]),
  };
}

/** An item that ends with no reply of its own leaves the last one where it was. */
function plainAfter({ plain }: Transcript, item: MessageItem): readonly ContentBlock[] | undefined {
  if (!item.kept || item.reply === undefined) return plain;
  return item.plain === undefined ? undefined : parseContent(item.plain);
}

function build(
  world: World,
  jobId: string,
  info: JobInfo,
  items: readonly MessageItem[],
): Transcript | undefined {
  const [input, ...steps] = items;
  if (input === undefined) return undefined;
  const start: Transcript = {
    jobId,
    info,
    count: 0,
    hash: '',
    messages: [],
    ids: new Set(),
    last: input,
    originals: noOriginals,
    plain: undefined,
    size: 0,
  };
  let transcript = extendTranscript(start, input, world.ids.hash(hashedText('', input)));
  for (const step of steps) {
    transcript = extendTranscript(transcript, step, world.ids.hash(hashedText(transcript.hash, step)));
  }
  return transcript;
}

/** The committed transcript of a job: the warm copy if the head's hash proves it, else read, and read again consistently. */
export async function openTranscript(world: World, job: Job): Promise<Transcript> {
  const warm = world.warm.get(job.id);
  if (warm !== undefined && warm.hash === job.transcriptHash && warm.count === job.count) return warm;
  world.warm.drop(job.id);
  for (const consistent of [false, true]) {
    const { info, items } = await world.store.readTranscript(job.id, job.count, consistent);
    const read = info === undefined ? undefined : build(world, job.id, info, items);
    if (read !== undefined && read.hash === job.transcriptHash) {
      world.warm.set(read);
      return read;
    }
  }
  throw new RetryableError(
    'transcript_mismatch',
    `job ${job.id}: the stored transcript does not hash to its head`,
  );
}

/** The calls of the last kept reply, in order and with the originals: those that `pending.states` names. */
export function pendingCalls(job: Job, transcript: Transcript): readonly ToolCall[] {
  if (job.pending === undefined) return [];
  if (transcript.plain !== undefined) return callsOf(transcript.plain);
  const reply = transcript.messages.findLast((message) => message.role === 'assistant');
  return reply === undefined ? [] : callsOf(reply.content);
}

/**
 * Drops the oldest whole rounds where the agent asks for it, so that about `maxTokens` are left (a token is taken for
 * three characters of JSON). The task and the newest round stay. Walks the rounds from the start, so that every attempt
 * of a step drops the same ones, and drops down to half at a time, so that the cached prefix changes seldom.
 */
export function trim(
  messages: readonly Message[],
  agent: Agent,
): { kept: readonly Message[]; dropped: number } {
  const limit = agent.context?.maxTokens;
  const firstReply = messages.findIndex((message) => message.role === 'assistant');
  if (limit === undefined || firstReply < 0) return { kept: messages, dropped: 0 };
  const sizes = messages.map((message) => JSON.stringify(message).length / 3);
  const task = sizes.slice(0, firstReply).reduce((sum, size) => sum + size, 0);
  let start = firstReply;
  let total = task;
  for (let at = firstReply; at < messages.length; at += 1) {
    total += sizes[at] ?? 0;
    if (total <= limit) continue;
    for (let to = start + 1; to <= at && total > limit / 2; to += 1) {
      if (messages[to]?.role !== 'assistant' || messages[to - 1]?.role === 'assistant') continue;
      total -= sizes.slice(start, to).reduce((sum, size) => sum + size, 0);
      start = to;
    }
  }
  return { kept: [...messages.slice(0, firstReply), ...messages.slice(start)], dropped: start - firstReply };
}
