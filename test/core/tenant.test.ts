import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fromLetterRecord, toLetterRecord } from '../../src/core/dead-letter.ts';
import {
  emptyTenant,
  entryOf,
  evolveTenant,
  MAX_TAKES,
  onDay,
  type Tenant,
  takenBy,
} from '../../src/core/tenant.ts';
import { fromTenantRecord, toTenantRecord } from '../../src/core/tenant-format.ts';
import { fromTotalRecord, sumsOfPage, toTotalRecord } from '../../src/core/totals.ts';
import { aJob, NOW } from '../support/a-job.ts';

const DAY = Math.floor(NOW / 86_400_000);
const sample = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8'));
const took = (tenant: Tenant, key: string, amount: number, day = DAY): Tenant =>
  evolveTenant(tenant, { type: 'took', key, amount, day });
const ended = (changes: Parameters<typeof aJob>[0] = {}) =>
  aJob({
    status: { type: 'stopped', stop: { reason: 'max_steps', detail: '' } },
    ...{ version: 9, steps: 3, endedAtMs: NOW, dueAtMs: NOW },
    ledger: { ceiling: 1_000, settled: 600, reserved: 0, unsettled: 50 },
    ...changes,
  });

describe('stored formats', () => {
  it('reads the frozen sample of every published version of a tenant', () => {
    const tenant = fromTenantRecord('default', sample('tenant-v1'));
    expect(tenant).toMatchObject({ version: 12, stopped: true, day: 20_833, taken: 51_234, page: 7 });
    expect(tenant.entries[0]).toMatchObject({ version: 9, returned: 48_746, poolDay: 20_833, day: 20_834 });
    expect(toTenantRecord(tenant)).toEqual(sample('tenant-v1'));
  });

  it('reads the frozen sample of every published version of a total', () => {
    const total = fromTotalRecord(sample('total-v1'), 'a total');
    expect(total).toEqual({ page: 7, jobs: 3, steps: 12, settled: 51_234, unsettled: 20 });
    expect(toTotalRecord(total)).toEqual(sample('total-v1'));
  });

  it('reads the frozen sample of every published version of a dead letter', () => {
    expect(fromLetterRecord(sample('dead-letter-v1'))).toEqual({
      ...{ id: 'd1', tenant: '', body: 'junk', reason: 'the body is not JSON' },
      ...{ atMs: 1_800_000_000_000, redrivenAtMs: 0 },
    });
    const letter = fromLetterRecord(sample('dead-letter-v2'));
    expect(letter).toMatchObject({ tenant: 'default', redrivenAtMs: 1_800_000_005_000 });
    expect(toLetterRecord(letter)).toEqual(sample('dead-letter-v2'));
  });

  it('refuses a tenant of a newer version, naming both versions', () => {
    expect(() => fromTenantRecord('default', { v: 2 })).toThrow(
      'tenant default: version 2 stored, this code reads up to 1',
    );
  });

  it('keeps a record with a whole page and all its takes under a tenth of what an item may hold', () => {
    const long = 'x'.repeat(64);
    let tenant = emptyTenant('default');
    for (let n = 0; n < MAX_TAKES; n += 1) tenant = took(tenant, `batch_${'k'.repeat(34)}.${n}`, 999_999_999);
    const job = ended({ id: `job_${'x'.repeat(36)}`, agent: long, batchId: `batch_${'b'.repeat(22)}` });
    const entries = Array.from({ length: 100 }, () => entryOf(job, tenant).entry);
    const full = evolveTenant(tenant, { type: 'page_begun', entries, givenBack: 0 });
    expect(JSON.stringify(toTenantRecord(full)).length).toBeLessThan(40_000);
  });
});

describe('the pool of a day', () => {
  it('counts a key once, at the most that it has taken', () => {
    const twice = took(took(took(emptyTenant('t'), 'a', 100), 'b', 10), 'a', 150);
    expect(twice).toMatchObject({ day: DAY, taken: 160 });
    expect(takenBy(twice, 'a')).toBe(150);
  });

  it('is whole again on a new day, and an old clock does not bring the old day back', () => {
    const today = took(took(emptyTenant('t'), 'a', 100), 'b', 10, DAY + 1);
    expect(today).toMatchObject({ day: DAY + 1, taken: 10, takes: [['b', 10]] });
    expect(onDay(today, DAY)).toBe(today);
  });

  it('remembers the newest fifty takes', () => {
    let tenant = emptyTenant('t');
    for (let n = 0; n <= MAX_TAKES; n += 1) tenant = took(tenant, `k${n}`, 1);
    expect(tenant.takes).toHaveLength(MAX_TAKES);
    expect([takenBy(tenant, 'k0'), takenBy(tenant, 'k1')]).toEqual([0, 1]);
  });

  const uncounted = { page: 0, steps: 0, settled: 0, unsettled: 0, returned: 0 };
  it.each([
    ['what it has not spent', { day: DAY, taken: 1_000, before: 0 }, uncounted, 350],
    [
      'of what it took anew, what it has not spent since',
      { day: DAY, taken: 400, before: 600 },
      uncounted,
      350,
    ],
    [
      'not what it has got back already',
      { day: DAY, taken: 1_000, before: 0 },
      { ...uncounted, returned: 300 },
      50,
    ],
    ['nothing of another day', { day: DAY - 1, taken: 1_000, before: 0 }, uncounted, 0],
    ['nothing when it spent more than it took', { day: DAY, taken: 600, before: 0 }, uncounted, 0],
    ['nothing when it took nothing', undefined, uncounted, 0],
  ])('gets back from an ended job %s', (_, dayPool, counted, credit) => {
    const tenant = took(emptyTenant('t'), 'a', 1_000);
    const part = entryOf(ended({ dayPool, counted }), tenant);
    expect(part.credit).toBe(credit);
    expect(part.entry.returned).toBe(counted.returned + credit);
  });

  it('never has less than nothing out', () => {
    const tenant = took(emptyTenant('t'), 'a', 100);
    expect(evolveTenant(tenant, { type: 'page_begun', entries: [], givenBack: 500 }).taken).toBe(0);
  });
});

it('adds what is new of a job to its day with its agent, and to its batch', () => {
  const counted = { page: 4, steps: 2, settled: 500, unsettled: 50, returned: 0 };
  const entries = [
    entryOf(ended({ batchId: 'batch_1', counted }), emptyTenant('t')).entry,
    entryOf(ended({ id: 'job_2' }), emptyTenant('t')).entry,
  ];
  expect(sumsOfPage(entries)).toEqual([
    {
      key: { type: 'day', day: '2027-01-15', agent: 'triage' },
      sums: { jobs: 1, steps: 4, settled: 700, unsettled: 50 },
    },
    { key: { type: 'batch', batchId: 'batch_1' }, sums: { jobs: 0, steps: 1, settled: 100, unsettled: 0 } },
  ]);
});
