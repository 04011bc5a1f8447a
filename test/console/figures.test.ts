import { describe, expect, it } from 'vitest';
import * as schemas from '../../src/api/schemas/job.ts';
import { batchActions, jobActions } from '../../src/console/model/actions.ts';
import { countParts, moneyParts, segments } from '../../src/console/model/bar.ts';
import { filterOf, queryOf, statuses, stopReasons } from '../../src/console/model/filters.ts';
import { binsOf } from '../../src/console/model/histogram.ts';
import { dearest } from '../../src/console/model/results.ts';

describe('a bar', () => {
  it('stays inside its ground, and shows what is there however small', () => {
    const made = segments(
      moneyParts({ spentUsd: 0.050_001, unsettledUsd: 0.000_001, reservedUsd: 0.1 }),
      0.1,
    );
    expect(made.map(({ tone }) => tone)).toEqual(['spent', 'unsettled', 'reserved']);
    for (const { from, width } of made) expect(from + width).toBeLessThanOrEqual(100);
    expect(made[1]?.width).toBeGreaterThan(0.5);
  });

  it('calls settled only what is known to be: of a batch it is told what is spent', () => {
    const named = (cost: Parameters<typeof moneyParts>[0]) =>
      moneyParts(cost).map(({ name, value }) => `${name} ${value}`);
    const cost = { spentUsd: 3, reservedUsd: 1 };
    expect(named(cost)).toEqual(['spent 3', 'reserved 1']);
    expect(named({ ...cost, unsettledUsd: 0 })).toEqual(['settled 3', 'unsettled 0', 'reserved 1']);
    expect(named({ ...cost, unsettledUsd: 2 })).toEqual(['settled 1', 'unsettled 2', 'reserved 1']);
  });

  it('has nothing for nothing', () => {
    expect(segments(moneyParts({ spentUsd: 0, reservedUsd: 0 }), 1)).toEqual([]);
    expect(segments([], 0)).toEqual([]);
  });
});

it('a batch counts each end apart, and all of its rows', () => {
  const counts = { queued: 1, running: 2, awaiting_approval: 3, succeeded: 4, stopped: 5, failed: 6 };
  const parts = countParts({ ...counts, cancelled: 7, rejected: 8 });
  expect(parts.reduce((sum, { value }) => sum + value, 0)).toBe(36);
  for (const { name, value, status } of parts) {
    expect(status ?? 'rejected').toBe(name.replace(' ', '_'));
    expect(value).toBe({ ...counts, cancelled: 7, rejected: 8 }[status ?? 'rejected']);
  }
});

describe('the spread of values', () => {
  it.each([
    [[], 0],
    [[5, 5, 5], 1],
    [[0.1, 0.2, 0.3], 3],
    [Array.from({ length: 1000 }, (_, at) => at / 7), 200],
  ])('of %j counts each value once, in at most 13 bins', (values) => {
    const bins = binsOf(values);
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
    expect(bins.length).toBeLessThanOrEqual(13);
  });
});

describe('the filters', () => {
  it('are those of the API', () => {
    expect(statuses).toEqual(schemas.statuses);
    expect([...stopReasons].sort()).toEqual([...schemas.stopReasons].sort());
  });

  it('stand in the address and are read from it; what is none is left out', () => {
    const filter = { status: 'stopped', stop: 'cost_ceiling', agent: 'a b', batch: 'batch_1' } as const;
    expect(filterOf(Object.fromEntries(new URLSearchParams(queryOf(filter))))).toEqual(filter);
    expect(filterOf({ status: 'asleep', stop: '', agent: '', other: 'x' })).toEqual({});
  });
});

describe('what can be done', () => {
  const stop = (resumable: boolean) => ({ reason: 'max_steps' as const, message: '', resumable });
  it.each([
    ['running', null, ['cancel']],
    ['succeeded', stop(false), ['follow-up', 'delete']],
    ['stopped', stop(true), ['extend', 'retry', 'follow-up', 'delete']],
    ['failed', stop(false), ['retry', 'follow-up', 'delete']],
  ] as const)('with a job that is %s', (status, stopped, actions) => {
    expect(jobActions({ status, stop: stopped })).toEqual(actions);
  });

  it('with a batch', () => {
    const cost = { spentUsd: 0, reservedUsd: 0, budgetUsd: 1, forecastUsd: null };
    expect(batchActions({ status: 'open', cost })).toEqual(['pause', 'close', 'extend', 'cancel']);
    expect(batchActions({ status: 'paused', cost: { ...cost, budgetUsd: null } })).toEqual([
      'resume',
      'cancel',
    ]);
    expect(batchActions({ status: 'done', cost })).toEqual([]);
  });
});

it('puts the dearest rows first, and none that never ran', () => {
  const row = (id: string, spentUsd: number, jobId: string | null = id) => ({
    ...{ id, jobId, status: 'succeeded' as const, reason: undefined, steps: 1, spentUsd },
  });
  expect(dearest([row('a', 1), row('b', 3), row('c', 9, null), row('d', 2)], 2).map(({ id }) => id)).toEqual([
    'b',
    'd',
  ]);
});
