import { expect, it } from 'vitest';
import { standingOf } from '../../src/console/model/batch.ts';

const none = { queued: 0, running: 0, awaiting_approval: 0, succeeded: 9, stopped: 0 };
const counts = { ...none, failed: 0, cancelled: 0, rejected: 0 };
const stop = { reason: 'pool_exhausted' as const, message: '', resumable: true };

it.each([
  ['running', { awaiting_approval: 5 }, 'waits for 5 approvals', undefined],
  ['running', { awaiting_approval: 1 }, 'waits for 1 approval', undefined],
  ['running', { awaiting_approval: 5, queued: 1 }, 'running', undefined],
  ['running', { awaiting_approval: 5, running: 1 }, 'running', undefined],
  ['open', { awaiting_approval: 2 }, 'waits for 2 approvals', 'open'],
  ['open', {}, 'open', undefined],
  ['done', {}, 'done', undefined],
] as const)('a %s batch with %j stands as "%s"', (status, some, text, reason) => {
  expect(standingOf({ status, stop: null, counts: { ...counts, ...some } })).toMatchObject({ text, reason });
});

it('a batch that was stopped says why, whatever waits', () => {
  const paused = { status: 'paused', stop, counts: { ...counts, awaiting_approval: 2 } } as const;
  expect(standingOf(paused)).toEqual({ tone: 'paused', text: 'paused', reason: 'pool_exhausted' });
});
