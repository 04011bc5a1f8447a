import { describe, expect, it } from 'vitest';
import type { Approval } from '../../src/client.ts';
import {
  argumentsOf,
  countdown,
  keyOf,
  nextOpen,
  type Outcome,
  withDecided,
} from '../../src/console/model/approvals.ts';

const approval = (jobId: string): Approval => ({
  ...{ jobId, callId: 'call_1_0', tool: 'issue_refund', input: {}, inputHash: 'h', status: 'pending' },
  ...{ requestedAt: '', expiresAt: '', agent: 'triage', batchId: null, rowId: null, metadata: {} },
});
const list = (ids: string): readonly Approval[] => [...ids].map(approval);
const decided = (ids: string): ReadonlyMap<string, Outcome> =>
  new Map([...ids].map((id) => [keyOf(approval(id)), { type: 'approved' }]));
const ids = (approvals: readonly Approval[]): string => approvals.map(({ jobId }) => jobId).join('');

describe('the inbox', () => {
  it.each([
    ['keeps what was decided here in its place', 'ac', 'abc', 'b', 'abc'],
    ['lets go of what was decided elsewhere', 'ac', 'abc', '', 'ac'],
    ['puts what is new behind what is shown', 'xac', 'abc', 'b', 'abcx'],
  ])('%s', (_, pending, shown, here, result) => {
    expect(ids(withDecided(list(pending), list(shown), decided(here)))).toBe(result);
  });

  it.each([
    [0, '', 1],
    [2, '', 0],
    [0, 'ab', 2],
    [1, 'abc', 1],
  ])('goes on from place %i, with "%s" decided, to %i', (from, done, next) => {
    expect(nextOpen(list('abc'), decided(done), from)).toBe(next);
  });
});

describe('the time that is left', () => {
  it.each([
    ['2026-11-30T12:00:00.000Z', '2 h left', false, false],
    ['2026-11-30T10:59:59.000Z', '59 min 59 s left', true, false],
    ['2026-11-30T10:00:00.000Z', 'the time to decide is over', true, true],
  ])('until %s is "%s"', (expiresAt, text, urgent, over) => {
    expect(countdown(expiresAt, Date.parse('2026-11-30T10:00:00.000Z'))).toEqual({ text, urgent, over });
  });
});

it.each([
  [
    { orderId: 'A-1', amountCents: 5 },
    [
      { name: 'orderId', text: 'A-1' },
      { name: 'amountCents', text: '5' },
    ],
  ],
  ['text', [{ name: 'input', text: 'text' }]],
  [{}, []],
])('shows the arguments %j line by line', (input, lines) => {
  expect(argumentsOf(input)).toEqual(lines);
});
