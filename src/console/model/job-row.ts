import type { Job } from '../../client.ts';
import { aboutInput, ticketOf } from './text.ts';

/** What the list keeps of a job: inputs are long, and a list has a hundred thousand of them. */
export interface JobRow extends Pick<Job, 'id' | 'agent' | 'batchId' | 'status' | 'steps' | 'cost'> {
  readonly reason: string | undefined;
  readonly about: string;
  readonly ticket: string | undefined;
  readonly needsReview: boolean;
  readonly createdAt: string;
}

export function jobRow(job: Job): JobRow {
  const { id, agent, batchId, status, steps, cost, stop, needsReview, createdAt } = job;
  return {
    ...{ id, agent, batchId, status, steps, cost, needsReview, createdAt },
    reason: stop === null || stop.reason === 'completed' ? undefined : stop.reason,
    about: aboutInput(job.input),
    ticket: ticketOf(job.metadata),
  };
}
