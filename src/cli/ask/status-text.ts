import type { Batch } from '../../client.ts';
import { usd } from '../../tickets/summary.ts';
import { hint } from '../hint.ts';
import { endedRows } from './batch-picture.ts';
import { painted, span, statusText as standText, ticketOf, toneOf, visible } from './shown.ts';
import type { Status, Stopped } from './status.ts';

/** Batches and stops that are named. */
const NAMED = 5;

interface Shown {
  readonly color: boolean;
  /** The deployment that was asked: the commands that are named ask it again. */
  readonly endpoint: string;
}

/** The four answers, each with its details below and the command that goes on from there. */
export function statusText(status: Status, nowMs: number, { color, endpoint }: Shown): string {
  const answers: readonly (readonly [string, readonly string[]])[] = [
    ['under way', underWay(status, { color, endpoint })],
    ['cost', costLines(status.cost)],
    ['stopped', stopLines(status, nowMs, { color, endpoint })],
    ['needs you', needLines(status, { color, endpoint })],
  ];
  return answers
    .flatMap(([title, lines]) =>
      lines.map((line, at) => `${painted((at === 0 ? title : '').padEnd(9), 'strong', color)}  ${line}\n`),
    )
    .join('');
}

const some = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** How far the counts reach back. */
const ofJobs = ({ jobs }: Status): string => (jobs.more ? ` of the newest ${jobs.lookedAt} jobs` : '');

function underWay(status: Status, { color, endpoint }: Shown): readonly string[] {
  const { running, queued, awaitingApproval } = status.jobs;
  const counts = [
    ...(running > 0 ? [`${running} running`] : []),
    ...(queued > 0 ? [`${queued} queued`] : []),
    ...(awaitingApproval > 0 ? [`${awaitingApproval} waiting for a person`] : []),
  ];
  const jobs = counts.length === 0 ? 'no job' : `${counts.join(', ')}${ofJobs(status)}`;
  return [jobs, ...named(status.batches, (batch) => batchLine(batch, color), hint('batch list', endpoint))];
}

function batchLine(batch: Batch, color: boolean): string {
  const { id, agent, status, rows, counts, cost } = batch;
  const onPeople = counts.running + counts.queued === 0 && counts.awaiting_approval > 0;
  const how = onPeople ? `${status}, waits for ${some(counts.awaiting_approval, 'approval')}` : status;
  const pool = cost.budgetUsd === null ? '' : ` of ${usd(cost.budgetUsd)}`;
  return `${visible(id)}  ${visible(agent)}  ${painted(how, toneOf(status), color)}, ${endedRows(batch)} of ${rows} ended, ${usd(cost.spentUsd)}${pool}`;
}

function costLines({
  day,
  countedUsd,
  uncountedUsd,
  uncountedJobs,
  openUsd,
}: Status['cost']): readonly string[] {
  return [
    `${usd(countedUsd)} today (${day}, UTC) by jobs that have ended and are counted`,
    ...(uncountedJobs > 0
      ? [
          `${usd(uncountedUsd)} beside it by ${some(uncountedJobs, 'job')} that ended and ${uncountedJobs === 1 ? 'is' : 'are'} not counted yet`,
        ]
      : []),
    ...(openUsd > 0 ? [`${usd(openUsd)} beside it, so far, by jobs that have not ended`] : []),
  ];
}

function stopLines(status: Status, nowMs: number, { color, endpoint }: Shown): readonly string[] {
  const { stops } = status;
  if (stops.length === 0) return [`nothing was stopped or failed${ofJobs(status)}`];
  const reasons = new Map<string, number>();
  for (const { stop } of stops) {
    const reason = visible(stop?.reason ?? '');
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const sums = [...reasons].map(([reason, count]) => `${reason} ${count}`).join(', ');
  const failed = stops.every((job) => job.status === 'failed');
  const list = hint(`jobs --status ${failed ? 'failed' : 'stopped'}`, endpoint);
  return [`${sums}${ofJobs(status)}`, ...named(stops, (job) => stopLine(job, nowMs, color), list)];
}

function stopLine(job: Stopped, nowMs: number, color: boolean): string {
  const ticket = ticketOf(job);
  const ago = span(nowMs - Date.parse(job.finishedAt ?? job.updatedAt));
  const about = ticket === '' ? '' : `  ${ticket}`;
  return `${visible(job.id)}${about}  ${painted(standText(job), toneOf(job.status), color)}, ${ago} ago: ${visible(job.stop?.message ?? '')}`;
}

function needLines({ needs, health }: Status, { color, endpoint }: Shown): readonly string[] {
  const { approvals, moreApprovals, toCheck, deadLetters } = needs;
  const many = moreApprovals ? `more than ${approvals.length} approvals` : some(approvals.length, 'approval');
  const command = (words: string): string => hint(words, endpoint);
  const lines = [
    ...(health.stopped
      ? [painted(`the kill switch is on: ${command('start-all')} lets work go on`, 'bad', color)]
      : []),
    ...(approvals.length > 0 ? [`${many}: ${command('approvals')}`] : []),
    ...(toCheck > 0 ? [`${some(toCheck, 'answer')} to check: ${command('jobs')} marks them`] : []),
    ...(deadLetters > 0 ? [`${some(deadLetters, 'dead letter')}: ${command('dlq list')}`] : []),
    ...(health.ok || health.stopped ? [] : [`work is overdue: ${command('doctor')} says more`]),
  ];
  return lines.length === 0 ? ['nothing'] : lines;
}

/** The first few, one a line, and where the others are. */
function named<Item>(items: readonly Item[], line: (item: Item) => string, all: string): readonly string[] {
  const left = items.length - NAMED;
  return [...items.slice(0, NAMED).map(line), ...(left > 0 ? [`and ${left} more: ${all}`] : [])];
}
