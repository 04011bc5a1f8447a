import { ANSWER_TOOL } from '../core/agent.ts';
import { type ContentBlock, callsOf, type ToolCall } from '../core/content.ts';
import { answerProblem } from '../core/dispatch.ts';
import { TerminalError } from '../core/errors.ts';
import { evolve } from '../core/evolve.ts';
import type { Job } from '../core/job.ts';
import { emptyItem, hashedText, type MessageItem } from '../core/message-item.ts';
import { type Cover, coverResult, createCover } from '../core/placeholders.ts';
import { addedBound, resultRoom } from '../core/quote.ts';
import { utf8Bytes } from '../core/safe-json.ts';
import { answerResult, resultBlock } from './act.ts';
import { apiCommit, jobHeads, type Wish } from './api-commit.ts';
import { putOwn } from './items.ts';
import { isOwn } from './own.ts';
import { type GoingOn, reopen } from './reopen.ts';
import { type CallResult, closedCall, problem } from './run-call.ts';
import { inputText } from './submit.ts';
import { openTranscript, type Transcript } from './transcript.ts';
import type { World } from './world.ts';

export interface FollowUp {
  readonly tenant: string;
  readonly jobId: string;
  /** The user message, at most `MAX_CONTENT_BYTES`. */
  readonly content: string;
  /** The same key and content are the same follow-up. */
  readonly key?: string;
}

export type FollowUpAnswer =
  | { readonly type: 'accepted' | 'same'; readonly job: Job }
  | { readonly type: 'not_found' }
  /** The key stands for another content. */
  | { readonly type: 'key_conflict' }
  | { readonly type: 'conflict'; readonly why: string };

/** In UTF-8 bytes. */
export const MAX_CONTENT_BYTES = 262_144;

/**
 * Goes on with an ended job after one more user message. Its head's fence is raised first, then the message is put as an
 * item of its own, then the head is committed on that very version. No lease is needed between: a second request raises the
 * fence and the version again, so that the first can neither overwrite its item nor commit; a crash leaves an item that is
 * no part of the transcript and that any later fence overwrites.
 */
export async function followUp(world: World, wanted: FollowUp): Promise<FollowUpAnswer> {
  const { tenant, jobId, content } = wanted;
  const bytes = utf8Bytes(content);
  if (bytes > MAX_CONTENT_BYTES) {
    throw new TerminalError('content_too_long', `content: ${bytes} bytes, the most is ${MAX_CONTENT_BYTES}`);
  }
  const nonce = nonceOf(world, wanted) ?? world.ids.token();
  const result = await reopen(world, {
    tenant,
    jobId,
    addMicroUsd: 0,
    // Looked for on every fresh head: the same request may have come twice at once, and the job have ended once more.
    plan: async (job) =>
      (await saidBefore(world, wanted)) === undefined
        ? putMessage(world, job, inputText(content), nonce)
        : { why: 'it was said before' },
  });
  if (result.type === 'reopened') return { type: 'accepted', job: result.job };
  return (await saidBefore(world, wanted)) ?? result;
}

/** What a key leaves in the transcript: the item's nonce, made of it and of the content, each 22 characters. */
function nonceOf(world: World, { key, content }: FollowUp): string | undefined {
  return key === undefined ? undefined : world.ids.hash(key) + world.ids.hash(content);
}

async function saidBefore(world: World, wanted: FollowUp): Promise<FollowUpAnswer | undefined> {
  const nonce = nonceOf(world, wanted);
  if (nonce === undefined) return undefined;
  const job = await world.store.loadJob(wanted.jobId);
  if (!isOwn(world, wanted.tenant, job) || job.deleted) return undefined;
  // One item more than is committed: the same key may have got no further.
  const { items } = await world.store.readTranscript(job.id, job.count + 1, true);
  const at = items.findIndex((item) => item.nonce.startsWith(nonce.slice(0, nonce.length / 2)));
  if (at < 0) return undefined;
  if (items[at]?.nonce !== nonce) return { type: 'key_conflict' };
  return at < job.count ? { type: 'same', job } : undefined;
}

async function putMessage(world: World, job: Job, text: string, nonce: string): Promise<GoingOn> {
  const transcript = await openTranscript(world, job);
  const fenced = await raiseFence(world, job);
  if (fenced === undefined) return 'overtaken';
  const { redact } = transcript.info;
  const cover = redact && createCover(redact, transcript.originals);
  const open = await answerOpenCalls(world, fenced, transcript, cover);
  const said = { type: 'text', text: cover?.hide(text) ?? text };
  const content: readonly ContentBlock[] = [...open.content, said];
  const hidden = cover?.hidden();
  const item: MessageItem = {
    ...emptyItem(fenced.turn, world.clock.now()),
    user: JSON.stringify(content),
    fence: fenced.fence,
    born: fenced.fence,
    nonce,
    states: open.states,
    review: open.review,
    ...(hidden === undefined ? {} : { hidden }),
  };
  if (!(await putOwn(world, fenced, item))) return 'overtaken';
  const hash = world.ids.hash(hashedText(transcript.hash, item));
  const results = { item, hash, tokens: addedBound(content) };
  return { on: fenced, event: (at) => ({ type: 'followed_up', ...at, results }) };
}

/** Undefined when somebody else changed the head. */
async function raiseFence(world: World, seen: Job): Promise<Job | undefined> {
  const result = await apiCommit(world, jobHeads(world), seen.id, (job): Wish<Job, undefined> => {
    if (job === undefined || job.version !== seen.version) return { answer: undefined };
    return { change: evolve(job, { type: 'fenced', nowMs: world.clock.now() }) };
  });
  return 'committed' in result ? result.committed : undefined;
}

interface Answered {
  readonly content: readonly ContentBlock[];
  /** The letters of the calls as they stood, so that a decided one still answers. */
  readonly states: string;
  readonly review: boolean;
}

/** The API wants a result for every call of the last reply, before anything else. */
async function answerOpenCalls(
  world: World,
  job: Job,
  transcript: Transcript,
  cover: Cover | undefined,
): Promise<Answered> {
  const last = transcript.messages.at(-1);
  const calls = last?.role === 'assistant' ? callsOf(transcript.plain ?? last.content) : [];
  const results: CallResult[] = [];
  for (const [place, call] of calls.entries()) {
    const result = await answerOpenCall(world, job, call, place);
    results.push(cover === undefined ? result : coveredResult(world, job, cover, call, result));
  }
  return {
    content: results.map((result, place) => resultBlock(calls[place], result)),
    states: job.pending?.states ?? '',
    review: results.some((result) => result.unknown),
  };
}

function coveredResult(world: World, job: Job, cover: Cover, call: ToolCall, result: CallResult): CallResult {
  const agent = world.agents.get(job.agent);
  const room = agent === undefined ? 0 : resultRoom(agent, call.name);
  return { ...result, text: coverResult(cover, result.text, result.isError, room) };
}

/** The answer counts as accepted. Another call was not run, unless its journal says that a dead attempt began it. */
async function answerOpenCall(world: World, job: Job, call: ToolCall, place: number): Promise<CallResult> {
  const agent = world.agents.get(job.agent);
  if (call.name === ANSWER_TOOL && agent?.output !== undefined) {
    const checked = answerProblem(agent.output, call.input);
    return checked.ok ? answerResult(true) : problem(checked.problem);
  }
  const born = job.pending?.born;
  const begun = born === undefined ? undefined : await closedCall(world, { jobId: job.id, born, place });
  return begun ?? problem('The job ended before this call; it was not run.');
}
