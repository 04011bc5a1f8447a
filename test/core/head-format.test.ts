import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { itemBytes } from '../../scripts/cost/sizes.ts';
import { fromHeadRecord, HEAD_VERSION, toHeadRecord } from '../../src/core/head-format.ts';
import type { Job } from '../../src/core/job.ts';
import { shardOf } from '../../src/core/table.ts';
import { aJob, aRunningJob, NOW } from '../support/a-job.ts';

const uuid = '123e4567-e89b-42d3-a456-426614174000';
const largest: Job = aRunningJob(999_999_999, {
  id: `job_${'x'.repeat(36)}`,
  tenant: 't'.repeat(64),
  batchId: `batch_${'b'.repeat(22)}`,
  webhook: true,
  agent: 'a'.repeat(64),
  turn: 99_999,
  version: 999_999,
  fence: 99_999,
  by: `${'o'.repeat(16)}.model_unavailable`,
  apiBy: 'o'.repeat(16),
  from: uuid,
  status: { type: 'running', lease: { untilMs: NOW, owner: 'o'.repeat(16), msg: uuid } },
  attempts: 6,
  waits: 39,
  nudges: 9,
  notBeforeMs: NOW,
  count: 99_999,
  steps: 99_999,
  failures: 99,
  lastReply: 'bad',
  observed: true,
  cancelRequested: true,
  pending: {
    item: 99_999,
    born: 99_999,
    states: 'RWADXVRWAD',
    sinceMs: NOW,
    expiresAtMs: NOW,
    decidedAtMs: NOW,
  },
  ledger: { ceiling: 999_999_999, settled: 999_999_999, reserved: 999_999_999, unsettled: 999_999_999 },
  usage: { input: 99_999_999, output: 99_999_999, cacheWrite: 99_999_999, cacheRead: 99_999_999 },
  savedByCacheMicroUsd: -99_999_999,
  textAt: 99_999,
  needsReview: true,
  poolCut: true,
  transcriptHash: 'h'.repeat(22),
  counted: {
    page: 999_999,
    steps: 99_999,
    settled: 999_999_999,
    unsettled: 999_999_999,
    returned: 999_999_999,
  },
  dayPool: { day: 20_833, taken: 999_999_999, before: 999_999_999 },
});

/** What a table keeps of it: undefined attributes are left out. */
const stored = (job: Job) =>
  JSON.parse(
    JSON.stringify({
      ...toHeadRecord(job),
      pk: `JOB#${job.id}`,
      sk: 'JOB',
      ds: shardOf(job.id),
      // An ended job has the time of its removal, a waiting one its place in the index of what is open.
      ...(job.endedAtMs > 0 ? { ex: 1_900_000_000 } : { ot: `W#${job.tenant}`, oc: NOW }),
    }),
  );

it('keeps the largest head, with ten pending calls, under one write unit', () => {
  expect(itemBytes(stored(largest))).toBeLessThan(1_024);
  expect(
    itemBytes(
      stored({
        ...largest,
        status: { type: 'stopped', stop: { reason: 'consecutive_failures', detail: 'd'.repeat(120) } },
        endedAtMs: NOW,
        deleted: true,
      }),
    ),
  ).toBeLessThan(1_024);
});

it.each([
  ['a new job', aJob()],
  ['the largest job', largest],
  [
    'an ended job',
    aJob({
      status: { type: 'failed', stop: { reason: 'internal', detail: 'x' } },
      dueAtMs: 0,
      endedAtMs: NOW,
      deleted: true,
    }),
  ],
  ['a waiting job', aJob({ status: { type: 'awaiting_approval' } })],
])('reads %s back as it was written', (_, job) => {
  expect(fromHeadRecord(job.id, JSON.parse(JSON.stringify(toHeadRecord(job))))).toEqual(job);
});

it('refuses a head of a newer version, naming both versions', () => {
  expect(() => fromHeadRecord('job_1', { ...toHeadRecord(aJob()), v: HEAD_VERSION + 1 })).toThrow(
    'job job_1: version 3 stored, this code reads up to 2',
  );
});

it('reads the frozen sample of every published version', () => {
  for (let v = 1; v <= HEAD_VERSION; v += 1) {
    const sample: unknown = JSON.parse(
      readFileSync(new URL(`../fixtures/head-v${v}.json`, import.meta.url), 'utf8'),
    );
    expect(fromHeadRecord('job_1', sample)).toMatchObject({
      tenant: 'default',
      agent: 'triage',
      steps: 3,
      turn: 4,
    });
  }
});
