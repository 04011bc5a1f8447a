import type { Agent } from '../core/agent.ts';
import { type ContentBlock, callsOf, parseContent } from '../core/content.ts';
import { RetryableError } from '../core/errors.ts';
import type { StepStart } from '../core/evolve-ended.ts';
import { lastReply, promptBound } from '../core/evolve-reply.ts';
import type { Job, Pending } from '../core/job.ts';
import { hashedText, type JobInfo, type MessageItem, plainReply } from '../core/message-item.ts';
import { addedBound, firstBound } from '../core/quote.ts';
import { type ReplyReading, readReply } from '../core/read-reply.ts';
import { frozenAgent } from './prepare.ts';
import type { World } from './world.ts';

type Refusal = { readonly why: string };

/**
 * The head as it was before a step: the transcript is cut back to there, and everything that follows from it is read
 * from the stored items again. Refused where a call of a `once` tool was begun in or after that step. The journal alone
 * decides that: an intent is durable before any such tool runs, and what an item tells of a call may be a refusal of it.
 */
export async function startOfStep(world: World, job: Job, step: number): Promise<StepStart | Refusal> {
  const agent = world.agents.get(job.agent);
  if (agent === undefined) return { why: `agent ${job.agent} is not part of this deployment` };
  const { info, items } = await world.store.readTranscript(job.id, job.count, true);
  const hashes = hashesOf(world, items);
  if (info === undefined || hashes.at(-1) !== job.transcriptHash) {
    throw new RetryableError('transcript_mismatch', `job ${job.id}: the stored transcript is not its head's`);
  }
  const count = itemsBefore(items, step);
  if (count === undefined) return { why: `fromStep must be from 1 to ${replyPlaces(items).length + 1}` };
  const at = items.findLastIndex((item, place) => place < count && item.stop !== '');
  const reading = at < 0 ? undefined : readingOf(agent, items[at]);
  const pending = at === count - 1 && reading !== undefined ? pendingAt(job, items, at, reading) : undefined;
  const firstBorn = (items[at]?.born ?? -1) + (pending === undefined ? 1 : 0);
  for (const { born } of await world.store.listCalls(job.id)) {
    if (born >= firstBorn) return { why: 'a call that may run only once was begun in or after that step' };
  }
  return {
    count,
    transcriptHash: hashes[count - 1] ?? '',
    promptBound: await boundOf(world, job, info, items.slice(0, count), { at, reading }),
    textAt: textBefore(agent, items.slice(0, count)),
    lastReply: reading === undefined ? 'ok' : lastReply(reading),
    // A message of ours that no reply has read yet: it needs no note of the loop beside it.
    observed: count > 1 && at !== count - 1,
    pending,
  };
}

function hashesOf(world: World, items: readonly MessageItem[]): readonly string[] {
  const hashes: string[] = [];
  for (const item of items) hashes.push(world.ids.hash(hashedText(hashes.at(-1) ?? '', item)));
  return hashes;
}

const replyPlaces = (items: readonly MessageItem[]): readonly number[] =>
  items.flatMap((item, place) => (item.stop === '' ? [] : [place]));

/** How many items stand before a step; results that were put ahead of its reply are its own. */
function itemsBefore(items: readonly MessageItem[], step: number): number | undefined {
  const places = replyPlaces(items);
  if (!Number.isInteger(step) || step < 1 || step > places.length + 1) return undefined;
  let count = places[step - 1] ?? items.length;
  while (count > 1 && isResults(items[count - 1])) count -= 1;
  return count;
}

function isResults(item: MessageItem | undefined): boolean {
  if (item?.user === undefined || item.stop !== '') return false;
  return parseContent(item.user).every((block) => block.type === 'tool_result');
}

function contentOf(item: MessageItem | undefined): readonly ContentBlock[] {
  return item === undefined ? [] : plainReply(item);
}

function readingOf(agent: Agent, item: MessageItem | undefined): ReplyReading {
  return readReply(agent, contentOf(item), item?.reply === undefined ? null : item.stop);
}

/** The calls of the reply, as people had decided on them: the item that ran them has kept that, or the head. */
function pendingAt(
  job: Job,
  items: readonly MessageItem[],
  at: number,
  reading: ReplyReading,
): Pending | undefined {
  const item = items[at];
  if (item === undefined || reading.states === '' || reading.kind === 'answer') return undefined;
  const kept = job.pending?.item === at + 1 ? job.pending.states : items[at + 1]?.states;
  const calls = callsOf(contentOf(item)).length;
  return {
    item: at + 1,
    born: item.born,
    states: kept?.length === calls ? kept : reading.states,
    sinceMs: item.at,
    expiresAtMs: 0,
    decidedAtMs: 0,
  };
}

/** The upper bound on the tokens of these items, from the last reply on as it was counted then. */
async function boundOf(
  world: World,
  job: Job,
  info: JobInfo,
  items: readonly MessageItem[],
  last: { readonly at: number; readonly reading: ReplyReading | undefined },
): Promise<number> {
  const item = items[last.at];
  let bound: number;
  if (item === undefined || last.reading === undefined) {
    const { system, tools } = await frozenAgent(world, job.agent, info.agentVersion);
    bound = firstBound(system, tools, [{ role: 'user', content: parseContent(items[0]?.user ?? '[]') }]);
  } else {
    bound = promptBound(item, last.reading.kept);
  }
  for (const { user } of items.slice(Math.max(1, last.at + 1))) {
    if (user !== undefined) bound += addedBound(parseContent(user));
  }
  return bound;
}

function textBefore(agent: Agent, items: readonly MessageItem[]): number {
  return items.findLastIndex((item) => item.stop !== '' && readingOf(agent, item).hasText) + 1;
}
