import type { Job } from '../../client.ts';
import { aboutInput, isObject, ticketOf } from './text.ts';

/** What the list keeps of a job: inputs are long, and a list has a hundred thousand of them. */
export interface JobRow extends Pick<Job, 'id' | 'agent' | 'batchId' | 'status' | 'steps' | 'cost'> {
  readonly reason: string | undefined;
  readonly about: string;
  readonly ticket: string | undefined;
  /** Answered, but somebody should look: the job says so, or the answer itself. */
  readonly toCheck: boolean;
  readonly createdAt: string;
}

export function jobRow(job: Job): JobRow {
  const { id, agent, batchId, status, steps, cost, stop, createdAt } = job;
  return {
    ...{ id, agent, batchId, status, steps, cost, createdAt },
    reason: stop === null || stop.reason === 'completed' ? undefined : stop.reason,
    about: aboutInput(job.input),
    ticket: ticketOf(job.metadata),
    toCheck: isToCheck(job),
  };
}

/** The rule of the report and of the terminal, so that every door counts the same. */
export function isToCheck({
  status,
  needsReview,
  output,
}: Pick<Job, 'status' | 'needsReview' | 'output'>): boolean {
  const asked = isObject(output) && output['needs_human'] === true;
  return status === 'succeeded' && (needsReview || asked);
}
