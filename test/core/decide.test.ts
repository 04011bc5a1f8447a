import { expect, it } from 'vitest';
import { decide } from '../../src/core/decide.ts';
import { ending } from '../../src/core/stop-rules.ts';
import { aJob, aRunningJob, NOW } from '../support/a-job.ts';

const queued = aJob({ turn: 5, from: 'source', claimed: false });
const waiting = aJob({ turn: 5, from: 'source', notBeforeMs: NOW + 20_000 });
const longWait = aJob({ turn: 5, from: 'source', notBeforeMs: NOW + 901_000 });
const running = aRunningJob(0, { turn: 5 });
const lapsed = (lateMs: number) =>
  aRunningJob(0, {
    turn: 5,
    status: { type: 'running', lease: { untilMs: NOW - lateMs, owner: 'o', msg: 'm1' } },
  });
const awaiting = aJob({ turn: 5, status: { type: 'awaiting_approval' } });
const ended = aJob({ turn: 5, status: ending('completed') });

it.each([
  ['a job that does not exist', undefined, 5, 'm1', { type: 'done' }],
  ['the current turn of a ready job', queued, 5, 'm1', { type: 'claim', lapsed: false }],
  ['the current turn before its wait is over', waiting, 5, 'm1', { type: 'send', delaySeconds: 20 }],
  ['a wait longer than a delay can be', longWait, 5, 'm1', { type: 'send', delaySeconds: undefined }],
  [
    'a stale turn from the message that made the commit',
    queued,
    4,
    'source',
    { type: 'send', delaySeconds: 0 },
  ],
  ['a stale turn from that message during a wait', waiting, 4, 'source', { type: 'send', delaySeconds: 20 }],
  ['a stale turn from any other message', queued, 4, 'm1', { type: 'done' }],
  ['a stale turn once the new one is claimed', { ...queued, claimed: true }, 4, 'source', { type: 'done' }],
  ['a turn that is not there yet', queued, 6, 'm1', { type: 'leave' }],
  ['a held step, by its own message', running, 5, 'm1', { type: 'hide', untilMs: NOW + 63_000 }],
  ['a held step, by another message', running, 5, 'm2', { type: 'done' }],
  ['a stale turn of a held step', running, 4, 'm1', { type: 'done' }],
  ['a lease that ended 2 s ago', lapsed(2_000), 5, 'm1', { type: 'hide', untilMs: NOW + 1_000 }],
  ['a lease that ended more than 2 s ago', lapsed(2_001), 5, 'm2', { type: 'claim', lapsed: true }],
  ['a job that waits for a person', awaiting, 5, 'm1', { type: 'done' }],
  ['an ended job', ended, 5, 'm1', { type: 'done' }],
  ['a later turn of an ended job', ended, 6, 'm1', { type: 'done' }],
] as const)('decides about %s', (_, job, turn, id, expected) => {
  expect(decide(job, { turn, id }, NOW)).toEqual(expected);
});

it('treats a wait of exactly 900 s as a delay that a message can have', () => {
  const job = aJob({ turn: 5, notBeforeMs: NOW + 900_000 });
  expect(decide(job, { turn: 5, id: 'm1' }, NOW)).toEqual({ type: 'send', delaySeconds: 900 });
});
