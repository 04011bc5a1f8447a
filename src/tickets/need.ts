import { isObject } from '../core/content.ts';
import type { ResultRow } from './results.ts';

/** Why somebody may want to see a row, the most pressing first. */
export const needs = ['waiting', 'failed', 'stopped', 'cancelled', 'review', 'none'] as const;
export type Need = (typeof needs)[number];

type Judged = Pick<ResultRow, 'status' | 'needsReview' | 'output' | 'steps'>;

/** What a row needs, wherever it is shown: an answer is to be checked where the job says so, or the answer itself. */
export function needOf({ status, needsReview, output }: Judged): Need {
  switch (status) {
    case 'awaiting_approval':
      return 'waiting';
    case 'failed':
    case 'stopped':
    case 'cancelled':
      return status;
    default:
      return needsReview || (isObject(output) && output['needs_human'] === true) ? 'review' : 'none';
  }
}

/** How many rows need somebody, by why. */
export interface People {
  readonly waiting: number;
  /** Ended without an answer. */
  readonly unanswered: number;
  /** Answered, but somebody should look. */
  readonly review: number;
  /** Of those: there was no text to ask a model about, and so nothing was answered. */
  readonly withoutText: number;
}

/** Counts rows one by one, for every place that says how many need somebody. */
export function createPeople(): { readonly add: (row: Judged) => void; readonly people: () => People } {
  const people = { waiting: 0, unanswered: 0, review: 0, withoutText: 0 };
  return {
    add: (row) => {
      const need = needOf(row);
      if (need === 'waiting') people.waiting += 1;
      if (need === 'failed' || need === 'stopped' || need === 'cancelled') people.unanswered += 1;
      if (need === 'review') people.review += 1;
      // No job succeeds without a reply, but where its row had nothing to say.
      if (row.status === 'succeeded' && row.steps === 0) people.withoutText += 1;
    },
    people: () => ({ ...people }),
  };
}

/** What is left for people, in the words of the terminal and of the report. */
export function peopleText({ waiting, unanswered, review }: People): string {
  const without = unanswered === 0 ? '' : `, ${count(unanswered)} without an answer`;
  return `${count(waiting)} to approve, ${count(review)} to check${without}`;
}

const count = (value: number): string => value.toLocaleString('en');
