import type { Job } from '../../client.ts';
import { usd } from '../../tickets/summary.ts';
import { BAR, bar, shareOf } from './bars.ts';
import type { Picture } from './board.ts';
import { span, statusText, ticketOf, visible } from './shown.ts';

/** A job under way: how far it is, what it has cost, and what it waits for. */
export function jobPicture(job: Job, nowMs: number): Picture {
  const { id, agent, steps, limits, cost } = job;
  const ticket = ticketOf(job);
  const held = cost.reservedUsd > 0 ? `, ${usd(cost.reservedUsd)} held` : '';
  const unsettled = cost.unsettledUsd > 0 ? `, ${usd(cost.unsettledUsd)} of it unsettled` : '';
  const money = `${usd(cost.spentUsd)} of ${usd(cost.ceilingUsd)}${held}${unsettled}`;
  const waits = waitsFor(job, nowMs);
  const since = span(nowMs - Date.parse(job.updatedAt));
  return {
    lines: [
      `${visible(id)}  ${visible(agent)}${ticket === '' ? '' : `  ${ticket}`}`,
      `steps  ${bar(shareOf(steps, limits.maxSteps), BAR)} ${steps} of at most ${limits.maxSteps}`,
      `money  ${bar(shareOf(cost.spentUsd, cost.ceilingUsd), BAR)} ${money}`,
      `now    ${waits}, for ${since}`,
    ],
    text: `${id} ${waits}: step ${steps} of at most ${limits.maxSteps}, ${money}`,
  };
}

function waitsFor(job: Job, nowMs: number): string {
  const next = `step ${job.steps + 1}`;
  switch (job.status) {
    case 'queued':
      return `${next} ${queuedText(job, nowMs)}`;
    case 'running':
      return job.cost.reservedUsd > 0 ? `${next} waits for the model` : `${next} runs`;
    case 'awaiting_approval': {
      const waiting = job.approvals.filter(({ status }) => status === 'pending');
      return `${next} waits for a person: ${waiting.map(({ tool }) => visible(tool)).join(', ')}`;
    }
    case 'succeeded':
    case 'stopped':
    case 'failed':
    case 'cancelled':
      return statusText(job);
    default:
      return job.status satisfies never;
  }
}

/** A model that was too busy to answer is asked again, never earlier than it said. */
function queuedText({ waitsUntil }: Job, nowMs: number): string {
  // A deployment of an earlier version does not say.
  const leftMs = waitsUntil ? Date.parse(waitsUntil) - nowMs : 0;
  return leftMs > 0 ? `waits to ask the model again in ${span(leftMs)}` : 'waits in the queue';
}
