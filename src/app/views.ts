import { ANSWER_TOOL } from '../core/agent.ts';
import { type ContentBlock, callsOf, isObject, type Message, parseContent, textOf } from '../core/content.ts';
import { answerProblem } from '../core/dispatch.ts';
import { isEnded, type Job, type StopReason, usd } from '../core/job.ts';
import { type JobInfo, type MessageItem, plainReply, submittedText } from '../core/message-item.ts';
import { isLow } from '../core/read-reply.ts';
import { stopMessage } from '../core/stop-message.ts';
import { resumableReasons } from '../core/stop-rules.ts';
import { type Approval, approvalsIn, decidedBefore } from './approve.ts';
import { nothingShown, readShown, type Shown } from './job-items.ts';
import { isOwn } from './own.ts';
import type { World } from './world.ts';

/** A job as the outside sees it: money in dollars, times as ISO 8601. */
export interface JobView {
  readonly id: string;
  readonly agent: string;
  readonly agentVersion: string;
  readonly tenant: string;
  readonly batchId: string | null;
  readonly rowId: string | null;
  readonly status: Job['status']['type'];
  readonly stop: {
    readonly reason: StopReason;
    readonly message: string;
    readonly resumable: boolean;
  } | null;
  readonly input: string;
  readonly output: unknown;
  readonly text: string | null;
  readonly steps: number;
  readonly needsReview: boolean;
  readonly limits: Readonly<Record<string, number>>;
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cacheWriteTokens: number;
    readonly cacheReadTokens: number;
  };
  readonly cost: {
    readonly spentUsd: number;
    readonly reservedUsd: number;
    readonly unsettledUsd: number;
    readonly ceilingUsd: number;
    readonly savedByCacheUsd: number;
  };
  readonly approvals: readonly Readonly<Record<string, unknown>>[];
  readonly waitsUntil: string | null;
  readonly metadata: unknown;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly finishedAt: string | null;
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** The job, read whole; undefined when there is none, or it is another tenant's. */
export async function viewJob(world: World, tenant: string, jobId: string): Promise<JobView | undefined> {
  const job = await world.store.loadJob(jobId);
  if (!isOwn(world, tenant, job)) return undefined;
  const [view] = await viewJobs(world, [job]);
  const decided = (await decidedBefore(world, job)).map(approvalView);
  return view && { ...view, approvals: [...decided, ...view.approvals] };
}

/** Several jobs of one tenant, in their order, in few reads. */
export async function viewJobs(world: World, jobs: readonly Job[]): Promise<readonly JobView[]> {
  const shown = await readShown(world, jobs);
  return jobs.map((job) => describeJob(world, job, shown.get(job.id) ?? nothingShown));
}

function describeJob(world: World, job: Job, { info, input, text, answer, asked }: Shown): JobView {
  const { ledger, limits, usage } = job;
  return {
    id: job.id,
    agent: job.agent,
    agentVersion: info?.agentVersion ?? '',
    tenant: job.tenant,
    batchId: info?.batchId ?? null,
    rowId: info?.rowId ?? null,
    status: job.status.type,
    stop: stopView(job),
    input: input === undefined ? '' : submittedText(input, info?.redact !== undefined),
    output: outputOf(world, job, info, answer ?? {}),
    text: text?.reply === undefined ? null : textOf(plainReply(text)),
    steps: job.steps,
    needsReview: job.needsReview,
    limits: { ...limits, maxCostUsd: usd(ledger.ceiling) },
    usage: {
      inputTokens: usage.input,
      outputTokens: usage.output,
      cacheWriteTokens: usage.cacheWrite,
      cacheReadTokens: usage.cacheRead,
    },
    cost: {
      spentUsd: usd(ledger.settled + ledger.unsettled),
      reservedUsd: usd(ledger.reserved),
      unsettledUsd: usd(ledger.unsettled),
      ceilingUsd: usd(ledger.ceiling),
      savedByCacheUsd: usd(job.savedByCacheMicroUsd),
    },
    approvals: approvalsIn(world, job, asked).map(approvalView),
    waitsUntil: job.status.type === 'queued' && job.notBeforeMs > 0 ? iso(job.notBeforeMs) : null,
    metadata: info === undefined ? {} : (JSON.parse(info.metadata) as unknown),
    createdAt: iso(job.createdAtMs),
    updatedAt: iso(job.updatedAtMs),
    finishedAt: isEnded(job) ? iso(job.endedAtMs) : null,
  };
}

export function approvalView({
  requestedAtMs,
  expiresAtMs,
  ...approval
}: Approval): JobView['approvals'][number] {
  return { ...approval, requestedAt: iso(requestedAtMs), expiresAt: iso(expiresAtMs) };
}

function stopView(job: Job): JobView['stop'] {
  if (!isEnded(job)) return null;
  const { stop } = job.status;
  return { reason: stop.reason, message: stopMessage(stop), resumable: resumableReasons.has(stop.reason) };
}

/** The checked answer of a succeeded job; where its confidence is low and it says who is needed, a person is. */
function outputOf(world: World, job: Job, info: JobInfo | undefined, item: Partial<MessageItem>): unknown {
  if (job.status.type !== 'succeeded' || job.deleted) return null;
  if (job.steps === 0 && info?.output !== undefined) return JSON.parse(info.output) as unknown;
  const agent = world.agents.get(job.agent);
  if (agent?.output === undefined) return null;
  const answer = callsOf(plainReply(item)).find((call) => call.name === ANSWER_TOOL);
  const checked = answer === undefined ? undefined : answerProblem(agent.output, answer.input);
  if (checked?.ok !== true) return answer?.input ?? null;
  const low = isLow(agent, checked.value['confidence']) && 'needs_human' in checked.value;
  return low ? { ...checked.value, needs_human: true } : checked.value;
}

/** All messages sent to the model, and its last reply, exactly as they stand in the transcript. */
export async function viewMessages(
  world: World,
  tenant: string,
  jobId: string,
): Promise<readonly Message[] | undefined> {
  const job = await world.store.loadJob(jobId);
  if (!isOwn(world, tenant, job)) return undefined;
  if (job.deleted) return [];
  const { items } = await world.store.readTranscript(jobId, job.count, true);
  return items.flatMap((item): readonly Message[] => [
    ...(item.user === undefined ? [] : [{ role: 'user', content: parseContent(item.user) } as const]),
    ...(item.kept && item.reply !== undefined
      ? [{ role: 'assistant', content: parseContent(item.reply) } as const]
      : []),
  ]);
}

/** One committed reply, with the calls it asked for and what the next turn found when it ran them. */
export interface StepView {
  readonly step: number;
  readonly at: string;
  readonly model: Readonly<Record<string, unknown>>;
  readonly ms: Readonly<Record<string, number>>;
  /** Messages of the oldest rounds that the request left out; absent where it was sent whole. */
  readonly droppedMessages?: number;
  readonly text: string;
  readonly calls: readonly Readonly<Record<string, unknown>>[];
}

export async function viewSteps(
  world: World,
  tenant: string,
  jobId: string,
): Promise<readonly StepView[] | undefined> {
  const job = await world.store.loadJob(jobId);
  if (!isOwn(world, tenant, job)) return undefined;
  if (job.deleted) return [];
  const { items } = await world.store.readTranscript(jobId, job.count, true);
  const tools = world.agents.get(job.agent)?.tools;
  return items
    .map((item, at) => ({ item, after: items[at + 1] }))
    .filter(({ item }) => item.stop !== '')
    .map(({ item, after }, at) => stepView(at + 1, item, after, (name) => tools?.get(name)?.policy ?? null));
}

/** What became of the money of attempts before the reply, each by itself and together. */
function lostBefore({ lost = [] }: MessageItem): Readonly<Record<string, unknown>> {
  return { unsettledUsd: usd(lost.reduce((sum, one) => sum + one, 0)), unsettledEachUsd: lost.map(usd) };
}

function stepView(
  step: number,
  item: MessageItem,
  after: MessageItem | undefined,
  policyOf: (name: string) => string | null,
): StepView {
  const content: readonly ContentBlock[] = item.reply === undefined ? [] : parseContent(item.reply);
  const results = after?.user === undefined ? [] : parseContent(after.user);
  const [queue, model, tools] = item.ms;
  const [input, output, cacheWrite, cacheRead] = item.usage ?? [0, 0, 0, 0];
  return {
    step,
    at: iso(item.at),
    model: {
      stopReason: item.stop,
      usage: {
        inputTokens: input,
        outputTokens: output,
        cacheWriteTokens: cacheWrite,
        cacheReadTokens: cacheRead,
      },
      costUsd: usd(item.cost),
      reservedUsd: usd(item.reserved),
      attempts: item.attempts,
      ...lostBefore(item),
    },
    ms: { queue, model, tools, engine: item.engineMs ?? 0 },
    ...(item.dropped === undefined ? {} : { droppedMessages: item.dropped }),
    text: textOf(content),
    calls: callsOf(content).map((call, place) => {
      const result = results.find((block) => isObject(block) && block['tool_use_id'] === call.id);
      return {
        id: `call_${item.born}_${place}`,
        name: call.name,
        input: call.input,
        output: result?.['content'] ?? null,
        isError: result?.['is_error'] === true,
        policy: policyOf(call.name),
        ms: after?.callMs[place] ?? 0,
      };
    }),
  };
}
