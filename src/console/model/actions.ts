import type { Batch, Job } from '../../client.ts';

export type JobAction = 'cancel' | 'extend' | 'retry' | 'follow-up' | 'delete';

const live = new Set<Job['status']>(['queued', 'running', 'awaiting_approval']);

export const isLive = ({ status }: Pick<Job, 'status'>): boolean => live.has(status);

/** What can be done with a job as it stands. */
export function jobActions(job: Pick<Job, 'status' | 'stop'>): readonly JobAction[] {
  if (isLive(job)) return ['cancel'];
  const again = job.status === 'failed' || job.status === 'stopped' ? (['retry'] as const) : [];
  return [...(job.stop?.resumable === true ? (['extend'] as const) : []), ...again, 'follow-up', 'delete'];
}

/**
 * Whether a job has gone on since it was seen ended, though it may have ended again by now. Extending and retrying have no
 * key: whoever presses again after a lost answer would do it twice.
 */
export const hasGoneOn = (seen: Pick<Job, 'finishedAt'>, now: Pick<Job, 'finishedAt'>): boolean =>
  now.finishedAt !== seen.finishedAt;

export type BatchAction = 'pause' | 'resume' | 'close' | 'extend' | 'cancel';

export function batchActions({ status, cost }: Pick<Batch, 'status' | 'cost'>): readonly BatchAction[] {
  if (status === 'done' || status === 'cancelled') return [];
  return [
    status === 'paused' ? 'resume' : 'pause',
    ...(status === 'open' ? (['close'] as const) : []),
    ...(cost.budgetUsd === null ? [] : (['extend'] as const)),
    'cancel',
  ];
}

/**
 * A number that a person typed; undefined for nothing, and a sentence for what is none. A comma stands before thousands
 * for some and before cents for others: no amount is guessed from it. Nor is a count from a point, which some write so.
 */
export function amountOf(text: string, whole: boolean): number | undefined | string {
  const typed = text.trim();
  if (typed === '') return undefined;
  if (typed.includes(',')) return `has a comma: write ${whole ? '1000' : '1000 or 0.5'}`;
  if (!/^\d{1,15}(\.\d{1,6})?$/.test(typed)) return 'is not a number';
  if (whole && typed.includes('.')) return 'must be a whole number, without a point';
  const value = Number(typed);
  return value > 0 ? value : 'must be above 0';
}
