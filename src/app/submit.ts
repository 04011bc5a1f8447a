import type { Agent, Json } from '../core/agent.ts';
import { type ContentBlock, type Message, parseContent } from '../core/content.ts';
import { TerminalError } from '../core/errors.ts';
import { type FrozenAgent, freeze, readFrozenAgent } from '../core/frozen-agent.ts';
import { type Job, type JobLimits, jobLimits, microUsd, newJob } from '../core/job.ts';
import { emptyItem, hashedText, type JobInfo, type MessageItem } from '../core/message-item.ts';
import { createCover, noOriginals } from '../core/placeholders.ts';
import { firstBound } from '../core/quote.ts';
import { cleanText, stableJson, utf8Bytes } from '../core/safe-json.ts';
import { ending } from '../core/stop-rules.ts';
import type { DayTake } from '../core/tenant.ts';
import { type Taken, takeFromDay } from './day-pool.ts';
import { observeEnd } from './observe.ts';
import { rememberFrozen } from './prepare.ts';
import { sendTurn, sentOrDue } from './send.ts';
import type { World } from './world.ts';

/** A job as somebody asks for it. */
export interface Submission {
  readonly tenant: string;
  readonly agent: string;
  /** The first user message. */
  readonly input: string;
  /** At most 64 KiB as JSON. */
  readonly metadata?: Readonly<Record<string, Json>>;
  /** Lower limits than the agent's; the caller has checked that they are lower, or may raise them. */
  readonly limits?: Partial<JobLimits>;
  /** Micro-dollars. @default the agent's */
  readonly ceilingMicroUsd?: number;
  /** The address that is told when the job ends or waits for a person; the caller has checked it. @default none */
  readonly webhook?: string;
  /** The same key and body give the same job. */
  readonly key?: string;
}

export type Submitted =
  | { readonly type: 'created' | 'same'; readonly job: Job }
  /** The key stands for another body. */
  | { readonly type: 'conflict'; readonly jobId: string }
  /** The tenant's pool of the day does not cover it: nothing was created. It is whole again at `untilMs`. */
  | { readonly type: 'day_spent'; readonly jobId: string; readonly untilMs: number };

/** Creates a job: input first, then its head, then its first message. A crash in between is healed by the same key. */
export async function submit(world: World, submission: Submission): Promise<Submitted> {
  const { tenant, key, input, metadata } = submission;
  const jobId = `job_${key === undefined ? world.ids.token() : world.ids.hash(`${tenant}\n${key}`)}`;
  const agent = agentOf(world, submission.agent);
  const { limits, ceilingMicroUsd, webhook } = submission;
  return createJob(world, {
    jobId,
    tenant,
    agent,
    input,
    metadata: metadataJson(metadata ?? {}),
    limits: { ...jobLimits(agent.limits), ...limits },
    ceilingMicroUsd: ceilingMicroUsd ?? microUsd(agent.limits.maxCostUsd),
    poolCut: false,
    bodyHash: world.ids.hash(
      stableJson({ agent: agent.name, input, metadata, limits, ceilingMicroUsd, webhook }),
    ),
    ...(webhook === undefined ? {} : { webhook }),
  });
}

/** Stored in one record beside the input, so that both together must fit it. */
const MAX_METADATA_BYTES = 65_536;

/** Refuses by its name what JSON cannot hold: callers without types may send a BigInt or a cycle. */
function metadataJson(metadata: Readonly<Record<string, Json>>): string {
  for (const [name, value] of Object.entries(metadata)) {
    try {
      JSON.stringify(value);
    } catch (cause) {
      throw new TerminalError('invalid_metadata', `metadata.${name}: it cannot be written as JSON`, {
        cause,
      });
    }
  }
  const json = JSON.stringify(metadata);
  const bytes = utf8Bytes(json);
  if (bytes > MAX_METADATA_BYTES) {
    throw new TerminalError(
      'invalid_metadata',
      `metadata: ${bytes} bytes, the most is ${MAX_METADATA_BYTES}`,
    );
  }
  return json;
}

export function agentOf(world: World, name: string): Agent {
  const agent = world.agents.get(name);
  if (agent === undefined) {
    const names = [...world.agents.keys()].join(', ');
    throw new TerminalError('unknown_agent', `unknown agent "${name}"; the agents are: ${names}`);
  }
  if (world.prices[agent.model] === undefined) {
    throw new TerminalError(
      'unknown_model',
      `agent ${name}: model "${agent.model}" has no price, so no ceiling can hold`,
    );
  }
  return agent;
}

/** A job whose id, limits and money are already decided. */
export interface Creation {
  readonly jobId: string;
  readonly tenant: string;
  readonly agent: Agent;
  readonly input: string;
  /** JSON text. */
  readonly metadata: string;
  readonly limits: JobLimits;
  readonly ceilingMicroUsd: number;
  readonly poolCut: boolean;
  readonly bodyHash: string;
  readonly batch?: { readonly batchId: string; readonly rowKey: string; readonly rowId: string };
  readonly webhook?: string;
  /** JSON text of the output of a job that has nothing to ask a model about: it is created succeeded. */
  readonly output?: string;
  /** What the batch has taken for it out of the tenant's pool of a day. A job of its own takes its ceiling itself. */
  readonly dayTake?: DayTake | undefined;
  /** The batch was cancelled before the job was made: it is created cancelled. */
  readonly cancelled?: boolean;
}

/** Puts what is absent of a job, and sends its first turn if nobody has taken it. */
export async function createJob(world: World, creation: Creation): Promise<Submitted> {
  const { jobId, agent } = creation;
  const { version, frozen } = await freezeAgent(world, agent);
  const nowMs = world.clock.now();
  const { item, content } = inputItem(creation.input, frozen, nowMs);
  const info: JobInfo = {
    v: 1,
    agentVersion: version,
    metadata: creation.metadata,
    bodyHash: creation.bodyHash,
    ...creation.batch,
    ...(creation.output === undefined ? {} : { output: creation.output }),
    ...(creation.webhook === undefined ? {} : { webhook: creation.webhook }),
    ...(frozen.redact === undefined ? {} : { redact: frozen.redact }),
  };
  let input = item;
  if ((await world.store.putInput(jobId, item, info)) === 'exists') {
    const { info: stored, items } = await world.store.readTranscript(jobId, 1, true);
    if (stored?.bodyHash !== creation.bodyHash) return { type: 'conflict', jobId };
    input = items[0] ?? item;
    // It may have taken its money long ago, and must not take it again.
    const standing = world.dailyMicroUsd === undefined ? undefined : await world.store.loadJob(jobId);
    if (standing !== undefined) return theSame(world, standing);
  }
  const taken = await takeCeiling(world, creation);
  if (taken?.type === 'spent') return { type: 'day_spent', jobId, untilMs: taken.untilMs };
  // Who was first may have hidden other things.
  const sent = input.user === item.user ? content : parseContent(input.user ?? '[]');
  const job = firstHead(world, { ...creation, dayTake: taken }, frozen, { input, content: sent }, nowMs);
  if ((await world.store.createJob(job)) === 'created') {
    observeEnd(world, job);
    if (job.status.type === 'queued') await sentOrDue(world, sendTurn(world, job));
    return { type: 'created', job };
  }
  return theSame(world, (await world.store.loadJob(jobId)) ?? job);
}

/** The first user message, without what the agent is not to see. */
function inputItem(
  input: string,
  { redact }: FrozenAgent,
  nowMs: number,
): { readonly item: MessageItem; readonly content: readonly ContentBlock[] } {
  const cover = redact && createCover(redact, noOriginals);
  const text = inputText(input);
  const content: readonly ContentBlock[] = [{ type: 'text', text: cover?.hide(text) ?? text }];
  const hidden = cover?.hidden();
  const item = { ...emptyItem(0, nowMs), user: JSON.stringify(content), nonce: 'input' };
  return { item: hidden === undefined ? item : { ...item, hidden }, content };
}

/** What the job may spend, out of the tenant's pool of the day; of a row, the batch has taken it already. */
async function takeCeiling(
  world: World,
  { jobId, tenant, batch, dayTake, ceilingMicroUsd }: Creation,
): Promise<Taken | undefined> {
  if (world.dailyMicroUsd === undefined) return undefined;
  if (batch !== undefined) return dayTake && { type: 'taken', ...dayTake };
  return takeFromDay(world, { tenant, key: jobId, amount: ceilingMicroUsd });
}

/** The job as it stands; nobody may have sent its first turn. */
async function theSame(world: World, job: Job): Promise<Submitted> {
  if (job.status.type === 'queued' && job.turn === 1 && !job.claimed) {
    await sentOrDue(world, sendTurn(world, job));
  }
  return { type: 'same', job };
}

function firstHead(
  world: World,
  creation: Creation,
  frozen: FrozenAgent,
  { input, content }: { readonly input: MessageItem; readonly content: readonly ContentBlock[] },
  nowMs: number,
): Job {
  const message: Message = { role: 'user', content };
  const job = newJob({
    id: creation.jobId,
    tenant: creation.tenant,
    agent: creation.agent.name,
    limits: creation.limits,
    ceilingMicroUsd: creation.ceilingMicroUsd,
    poolCut: creation.poolCut,
    promptBound: firstBound(frozen.system, frozen.tools, [message]),
    transcriptHash: world.ids.hash(hashedText('', input)),
    nowMs,
    batchId: creation.batch?.batchId ?? '',
    webhook: creation.webhook !== undefined,
    dayTake: creation.dayTake && { day: creation.dayTake.day, amount: creation.dayTake.amount },
  });
  if (creation.cancelled === true) return { ...job, status: ending('cancelled'), endedAtMs: nowMs };
  if (creation.output === undefined) return job;
  return { ...job, status: ending('completed'), needsReview: true, endedAtMs: nowMs };
}

/** The API refuses empty text, so an input without any says that it has none. */
export function inputText(input: string): string {
  const text = cleanText(input);
  return text.trim() === '' ? '(empty)' : text;
}

/** Stores the agent under its content hash, once for as long as the process remembers it. */
export async function freezeAgent(
  world: World,
  agent: Agent,
): Promise<{ version: string; frozen: FrozenAgent }> {
  const json = freeze(agent);
  const version = world.ids.hash(json);
  const key = `${agent.name} ${version}`;
  const known = world.frozen.get(key);
  if (known !== undefined) return { version, frozen: known };
  await world.store.putAgent(agent.name, version, json);
  const frozen = readFrozenAgent(json, `agent ${agent.name}`);
  rememberFrozen(world, key, frozen);
  return { version, frozen };
}
