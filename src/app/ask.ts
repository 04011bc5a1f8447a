import type { ContentBlock } from '../core/content.ts';
import type { Unanswered } from '../core/facts.ts';
import type { Job } from '../core/job.ts';
import { mend } from '../core/mend.ts';
import { type MessageItem, plainReply } from '../core/message-item.ts';
import { revealJson, withHidden } from '../core/placeholders.ts';
import { costOf, savedByCache, type TokenUsage } from '../core/prices.ts';
import type { Hold } from '../core/quote.ts';
import { readReply } from '../core/read-reply.ts';
import type { ModelOutcome, ModelRequest } from '../ports.ts';
import type { Acted } from './act.ts';
import { commitReply } from './adopt.ts';
import type { Attempt } from './attempt.ts';
import { OVER, timeLeft } from './delivery.ts';
import { actedItem, putOwn, putResults } from './items.ts';
import { type Transcript, trim } from './transcript.ts';
import { type Halt, watching } from './watch.ts';
import type { World } from './world.ts';

/** Asks the model once and commits what came of it. Undefined when another attempt owns the step. */
export async function ask(
  world: World,
  job: Job,
  attempt: Attempt,
  acted: Acted,
  hold: Hold,
): Promise<Job | undefined> {
  const user = [...acted.content, ...attempt.plan.note];
  const { request, dropped } = requestOf(job, attempt, user, hold);
  const begunMs = world.clock.now();
  const { result: outcome } = await watching(world, job, attempt, (halt) =>
    timed(world, attempt, request, halt),
  );
  const endMs = world.clock.now();
  const modelMs = endMs - begunMs;
  const start: MessageItem = {
    ...actedItem(job, attempt, acted, world.clock.now()),
    ...(user.length === 0 ? {} : { user: JSON.stringify(user) }),
    ...(dropped === 0 ? {} : { dropped }),
    reserved: hold.amount,
    shrunk: hold.shrunk,
    bound: [hold.bound, hold.maxTokens],
  };
  const item = { ...start, ms: [start.ms[0], modelMs, start.ms[2]] } satisfies MessageItem;
  switch (outcome.type) {
    case 'reply':
      return book(world, job, attempt, replyItem(attempt, item, outcome, job.fence));
    case 'unusable':
      return book(world, job, attempt, unusableItem(attempt, item, outcome));
    case 'wait':
    case 'refused':
      return stopOrWait(world, job, attempt, acted, outcome, {
        ...{ startMs: begunMs, endMs, maxTokens: hold.maxTokens, reserved: hold.amount },
      });
    default:
      return outcome satisfies never;
  }
}

function requestOf(
  job: Job,
  attempt: Attempt,
  user: readonly ContentBlock[],
  hold: Hold,
): { request: ModelRequest; dropped: number } {
  const { frozen, transcript, agent } = attempt.plan;
  const history = transcript.messages;
  const all = user.length === 0 ? history : [...history, { role: 'user' as const, content: user }];
  const { kept, dropped } = trim(all, agent);
  const request: ModelRequest = {
    model: frozen.model,
    maxTokens: hold.maxTokens,
    system: frozen.system,
    effort: frozen.effort,
    dropBoundThinking: frozen.dropBoundThinking === true,
    tools: frozen.tools,
    messages: kept,
    // The creation time keeps a job that was made anew apart from its namesake, at a server that counts turns.
    conversation: `${job.id}.${job.createdAtMs.toString(36)}`,
  };
  return { request, dropped };
}

/** The request ends before the invocation does, or with the job, whatever the server is doing. */
async function timed(
  world: World,
  attempt: Attempt,
  request: ModelRequest,
  halt: Halt,
): Promise<ModelOutcome> {
  const abort = new AbortController();
  const over = new AbortController();
  const limitMs = Math.max(1, timeLeft(attempt.delivery, world.clock));
  void world.clock.sleep(limitMs, over.signal).then(() => {
    if (!over.signal.aborted) abort.abort();
  });
  void halt.comes.then(() => abort.abort());
  const outcome = await world.model.ask(request, abort.signal);
  over.abort(OVER);
  return outcome;
}

type Outcome<Type extends ModelOutcome['type']> = Extract<ModelOutcome, { readonly type: Type }>;

/** Prices a usage; a server that sent none is charged the whole hold. */
function priced(attempt: Attempt, item: MessageItem, usage: TokenUsage | undefined): Partial<MessageItem> {
  if (usage === undefined) return { cost: item.reserved };
  const { price } = attempt.plan;
  return {
    cost: costOf(price, usage),
    saved: savedByCache(price, usage),
    usage: [usage.input, usage.output, usage.cacheWrite5m + usage.cacheWrite1h, usage.cacheRead],
  };
}

function replyItem(
  attempt: Attempt,
  item: MessageItem,
  outcome: Outcome<'reply'>,
  fence: number,
): MessageItem {
  const { reply, requestId } = outcome;
  const { transcript, agent } = attempt.plan;
  const mended = mend(reply.content, transcript.ids, fence);
  const texts = replyTexts(transcript, item, JSON.stringify(mended.content));
  const content = texts.plain === undefined ? mended.content : plainReply(texts);
  const reading = readReply(agent, content, reply.stopReason);
  return {
    ...item,
    ...priced(attempt, item, reply.usage),
    ...texts,
    kept: reading.kept && mended.content.length > 0,
    stop: reply.stopReason ?? 'none',
    ...(mended.changed ? { original: JSON.stringify(reply.content) } : {}),
    ...(reply.refusalCategory === null ? {} : { category: reply.refusalCategory }),
    ...(requestId === null ? {} : { requestId }),
  };
}

/** A reply as it goes back to the model, and with the originals where it names any. */
function replyTexts(
  { info, originals }: Transcript,
  { hidden }: MessageItem,
  reply: string,
): Pick<MessageItem, 'reply' | 'plain'> {
  if (info.redact === undefined) return { reply };
  const plain = revealJson(reply, hidden === undefined ? originals : withHidden(originals, hidden));
  return plain === reply ? { reply } : { reply, plain };
}

/** Longest text kept of an answer that was no message, in characters. */
const MAX_RAW = 50_000;

function unusableItem(attempt: Attempt, item: MessageItem, outcome: Outcome<'unusable'>): MessageItem {
  return {
    ...item,
    ...priced(attempt, item, outcome.usage),
    stop: `unusable: ${outcome.problem}`,
    original: JSON.stringify(outcome.raw ?? null).slice(0, MAX_RAW),
    ...(outcome.requestId === null ? {} : { requestId: outcome.requestId }),
  };
}

/** What is left of the time since the delivery began. The writes that end the step cannot be in what they write. */
function withEngine({ delivery }: Attempt, item: MessageItem, atMs: number): MessageItem {
  const [, modelMs, toolsMs] = item.ms;
  return { ...item, at: atMs, engineMs: Math.max(0, atMs - delivery.startedMs - modelMs - toolsMs) };
}

async function book(world: World, job: Job, attempt: Attempt, item: MessageItem): Promise<Job | undefined> {
  const stored = withEngine(attempt, item, world.clock.now());
  if (!(await putOwn(world, job, stored))) return undefined;
  return commitReply(world, job, attempt, stored, false);
}

async function stopOrWait(
  world: World,
  job: Job,
  attempt: Attempt,
  acted: Acted,
  outcome: Outcome<'wait' | 'refused'>,
  unanswered: Unanswered,
): Promise<Job | undefined> {
  const results = await putResults(world, job, attempt, acted);
  if (results === 'lost') return undefined;
  const common = { nowMs: world.clock.now(), msg: attempt.delivery.id, problem: outcome.problem, results };
  if (outcome.type === 'refused') {
    return attempt.commit(job, { ...common, type: 'model_refused', reason: outcome.reason }, unanswered);
  }
  const delayMs = waitMs(outcome.retryAfterMs, job.waits, world.ids.random());
  const { billed } = outcome;
  return attempt.commit(job, { ...common, type: 'model_unavailable', billed, delayMs }, unanswered);
}

/** Never before `retry-after`, and up to 25 % after it; without one, 1 s doubling to 60 s, 25 % either way. */
export function waitMs(retryAfterMs: number | undefined, waits: number, random: number): number {
  if (retryAfterMs !== undefined) return Math.ceil(retryAfterMs * (1 + random / 4));
  return Math.round(1_000 * Math.min(60, 2 ** waits) * (0.75 + random / 2));
}
