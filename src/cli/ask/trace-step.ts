import type { Client, Job } from '../../client.ts';
import { isObject } from '../../core/content.ts';
import { usd } from '../../tickets/summary.ts';
import type { Terminal } from '../terminal.ts';
import { BAR, bar, shareOf } from './bars.ts';
import { painted, valueText, visible } from './shown.ts';
import { timeBar, timeText } from './time-bar.ts';
import { createLines, type Lines } from './trace-lines.ts';

export type Step = Awaited<ReturnType<Client['steps']>>['items'][number];
type Call = Step['calls'][number];
type Approval = Job['approvals'][number];

/** What a step is shown beside. */
export interface Around {
  readonly job: Job;
  readonly before: Step | undefined;
  /** What the job has spent so far, this step included. */
  readonly spentUsd: number;
  /** From the end of the step before until this one could be taken up. */
  readonly waitedMs: number;
}

/** What is shorter is what the writes and messages between two steps take. */
const LEAST_WAIT_MS = 1_000;

export function showStep(
  terminal: Terminal,
  { step, at, model, ms, text, calls, droppedMessages }: Step,
  around: Around,
): void {
  const { job } = around;
  const lines = createLines(terminal);
  const after = ((Date.parse(at) - Date.parse(job.createdAt)) / 1_000).toFixed(1);
  const head = `step ${step}  ${at.slice(0, 19).replace('T', ' ')}  +${after} s  ${visible(model.stopReason)}`;
  terminal.out(`\n${painted(head, 'strong', terminal.color)}\n`);
  showWait(lines, around);
  lines.drawn('time', timeBar(ms, BAR), timeText(ms));
  showMoney(lines, model, around);
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = model.usage;
  lines.whole(
    'tokens',
    `${inputTokens} in, ${outputTokens} out, ${cacheWriteTokens} written to the cache, ${cacheReadTokens} read from it`,
  );
  if (droppedMessages !== undefined) lines.whole('left out', `the oldest ${droppedMessages} messages`);
  if (text.trim() !== '') lines.cut('says', visible(text));
  for (const call of calls) showCall(lines, call, approvalOf(job, call));
}

function showWait(lines: Lines, { job, before, waitedMs }: Around): void {
  if (waitedMs < LEAST_WAIT_MS) return;
  const gated = before?.calls.some((call) => approvalOf(job, call) !== undefined) === true;
  const why = gated ? 'for a person' : 'as until the model could be asked again';
  lines.whole('waited', `${(waitedMs / 1_000).toFixed(1)} s before it, ${why}`);
}

function showMoney(lines: Lines, model: Step['model'], { job, spentUsd }: Around): void {
  const { ceilingUsd } = job.cost;
  const { costUsd, reservedUsd, unsettledUsd, attempts } = model;
  if (attempts > 1) {
    const lost = unsettledUsd > 0 ? `, ${usd(unsettledUsd)} unsettled` : '';
    lines.whole('attempt', `${attempts}: the ones before died${lost}`);
  } else if (unsettledUsd > 0) {
    lines.whole('unsettled', `${usd(unsettledUsd)} of requests before its reply came`);
  }
  lines.drawn(
    'money',
    bar(shareOf(spentUsd, ceilingUsd), BAR),
    `${usd(costUsd)}, ${usd(reservedUsd)} was held; ${usd(spentUsd)} so far of ${usd(ceilingUsd)}`,
  );
}

const approvalOf = ({ approvals }: Job, { id }: Call): Approval | undefined =>
  approvals.find(({ callId }) => callId === id);

function showCall(
  lines: Lines,
  { name, input, output, isError, policy, ms }: Call,
  approval: Approval | undefined,
): void {
  const how = output === null ? '' : `  (${policy ?? 'unknown'}, ${ms} ms)`;
  lines.cut(isError ? 'FAILED' : 'call', `${visible(name)} ${valueText(input)}${how}`, isError);
  if (approval !== undefined) lines.whole('approval', approvalText(approval));
  if (output !== null) lines.cut('', `→ ${outputText(output)}`, isError);
  else if (name !== 'return_answer') lines.cut('', '→ not run');
}

const minute = (time: string): string => time.slice(0, 16).replace('T', ' ');

/** Who decided is not told: the API keeps it for the log. */
function approvalText({ status, requestedAt, expiresAt }: Approval): string {
  const asked = `asked for at ${minute(requestedAt)}`;
  switch (status) {
    case 'pending':
      return `waits for a person, ${asked}, until ${minute(expiresAt)}`;
    case 'approved':
    case 'denied':
      return `${status} by a person, ${asked}`;
    case 'expired':
      return `nobody decided until ${minute(expiresAt)}, ${asked}`;
    default:
      return status satisfies never;
  }
}

/** A result is text, or blocks of it. */
function outputText(output: unknown): string {
  if (!Array.isArray(output)) return valueText(output);
  return output
    .map((block: unknown) =>
      isObject(block) && 'text' in block ? valueText(block['text']) : valueText(block),
    )
    .join(' ');
}
