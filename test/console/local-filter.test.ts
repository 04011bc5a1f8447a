import { describe, expect, it } from 'vitest';
import type { JobRow } from '../../src/console/model/job-row.ts';
import { addressOf, jobIdIn, localFilterOf, matches } from '../../src/console/model/local-filter.ts';
import {
  addPage,
  type Loaded,
  nothingLoaded,
  onlyRows,
  pagesWith,
  rowsOf,
} from '../../src/console/model/pages.ts';

const row = (id: string, toCheck: boolean, ticket: string | undefined, about: string): JobRow => ({
  ...{ id, toCheck, ticket, about, agent: 'triage', batchId: 'batch_1', status: 'succeeded', steps: 1 },
  ...{ reason: undefined, createdAt: '2026-11-30T08:00:00.000Z' },
  cost: { spentUsd: 0, reservedUsd: 0, unsettledUsd: 0, ceilingUsd: 1, savedByCacheUsd: 0 },
});
const rows = [
  row('job_a', true, 'T-010', 'Important'),
  row('job_b', false, 'T-011', 'Where is my parcel?'),
  row('job_c', false, undefined, 'How is customer 7?'),
];

describe('what the page looks through by itself', () => {
  it.each([
    [{ review: true, find: '' }, ['job_a']],
    [{ review: false, find: ' t-01 ' }, ['job_a', 'job_b']],
    [{ review: false, find: 'PARCEL' }, ['job_b']],
    [{ review: false, find: 'job_c' }, ['job_c']],
    [{ review: true, find: 'parcel' }, []],
    [{ review: false, find: 'batch_1' }, ['job_a', 'job_b', 'job_c']],
    [{ review: false, find: ' ' }, ['job_a', 'job_b', 'job_c']],
  ])('by %j', (local, ids) => {
    expect(rows.filter(matches(local)).map(({ id }) => id)).toEqual(ids);
  });

  it('stands in the address beside the filters of the API, and is read from it', () => {
    const local = { review: true, find: 'a b&c' };
    const address = addressOf({ status: 'succeeded' }, local);
    const query = Object.fromEntries(new URLSearchParams(address));
    expect(query).toEqual({ status: 'succeeded', review: 'yes', find: 'a b&c' });
    expect(localFilterOf(query)).toEqual(local);
    expect(addressOf({}, localFilterOf({}))).toBe('');
  });

  it('knows the id of a job, which may be older than all that was loaded', () => {
    expect(jobIdIn({ review: false, find: ' job_AbC-9_x ' })).toBe('job_AbC-9_x');
    expect(jobIdIn({ review: false, find: 'job_a/../b' })).toBeUndefined();
    expect(jobIdIn({ review: false, find: 'T-010' })).toBeUndefined();
  });

  it('reads those pages again that hold what is found and on screen', () => {
    const two = [rows.slice(0, 2), rows.slice(2)].reduce<Loaded<JobRow>>(
      (loaded, items) => addPage(loaded, { items, cursor: 'next' }),
      nothingLoaded,
    );
    const found = onlyRows<JobRow>(two, matches({ review: false, find: 'customer' }));
    expect(rowsOf(found).map(({ id }) => id)).toEqual(['job_c']);
    expect(pagesWith(found, 0, 0)).toEqual([1]);
  });
});
