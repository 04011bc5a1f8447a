import type { JobFilter } from '../../client.ts';
import { queryOf } from './filters.ts';
import type { JobRow } from './job-row.ts';

/** What the API has no filter for: the page looks through the jobs that it has loaded. */
export interface LocalFilter {
  /** Answers alone that somebody should check. */
  readonly review: boolean;
  /** A part of the id, batch, ticket or subject of a job. */
  readonly find: string;
}

const MAX_FIND = 100;

export function localFilterOf(query: Readonly<Record<string, string>>): LocalFilter {
  return { review: query['review'] === 'yes', find: (query['find'] ?? '').slice(0, MAX_FIND) };
}

export const isLocal = ({ review, find }: LocalFilter): boolean => review || find.trim() !== '';

/** All filters as the end of an address. */
export function addressOf(filter: JobFilter, { review, find }: LocalFilter): string {
  const parameters = new URLSearchParams(queryOf(filter));
  if (review) parameters.set('review', 'yes');
  if (find.trim() !== '') parameters.set('find', find);
  return parameters.size === 0 ? '' : `?${parameters}`;
}

export function matches({ review, find }: LocalFilter): (row: JobRow) => boolean {
  const wanted = find.trim().toLowerCase();
  return ({ toCheck, id, batchId, ticket = '', about }) =>
    (toCheck || !review) &&
    (wanted === '' || [id, batchId ?? '', ticket, about].some((text) => text.toLowerCase().includes(wanted)));
}

/** The id of a job that is looked for, which may be older than all that is loaded. */
export const jobIdIn = ({ find }: LocalFilter): string | undefined =>
  /^\s*(job_[A-Za-z0-9_-]{4,60})\s*$/.exec(find)?.[1];
