import { expect, it } from 'vitest';
import { usd } from '../../src/tickets/summary.ts';
import { aResult, summarise } from './a-result.ts';

const tally = { read: 7, accepted: 4, rejected: 1, skipped: 1, duplicates: 1 };

it('sums up a run as the object of --json', () => {
  const stopped = { reason: 'max_steps', message: 'it stopped', resumable: true };
  const rows = [
    aResult(),
    aResult({ status: 'stopped', stop: stopped }),
    aResult({ status: 'awaiting_approval', stop: null }),
    aResult({ status: 'not_started', stop: null, jobId: null }),
  ];
  const summary = summarise({ tally, rows, budgetUsd: 1, modelCalls: 9, scripted: true, out: 'triage-out' });
  expect(summary).toEqual({
    ...tally,
    jobs: { succeeded: 1, stopped: 1, failed: 0, cancelled: 0, awaitingApproval: 1, notStarted: 1 },
    stopReasons: { max_steps: 1 },
    usage: { inputTokens: 40, outputTokens: 80, cacheWriteTokens: 120, cacheReadTokens: 160 },
    cost: { spentUsd: 0.0492, unsettledUsd: 0, savedByCacheUsd: 0.004, budgetUsd: 1 },
    modelCalls: 9,
    scripted: true,
    out: 'triage-out',
  });
});

it('adds money exactly', () => {
  const cost = { ...aResult().cost, spentUsd: 0.1 };
  const rows = [aResult({ cost }), aResult({ cost }), aResult({ cost })];
  const summary = summarise({ tally, rows, budgetUsd: 1, modelCalls: 0, scripted: false, out: '' });
  expect(summary.cost.spentUsd).toBe(0.3);
});

it.each([
  [0, '$0.0000'],
  [0.0123, '$0.0123'],
  [0.009999, '$0.009999'],
  [0.01, '$0.0100'],
  [12.34567, '$12.3457'],
])('writes %s dollars as %s', (dollars, text) => {
  expect(usd(dollars)).toBe(text);
});
