import { expect, it } from 'vitest';
import { peopleText } from '../../src/tickets/need.ts';
import { exactUsd, usd } from '../../src/tickets/summary.ts';
import { aResult, besideOf, summarise } from './a-result.ts';

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
  [-0.000035, '-$0.000035'],
])('writes %s dollars as %s', (dollars, text) => {
  expect(usd(dollars)).toBe(text);
});

it.each([
  [0.000001, '$0.000001'],
  [0.0003, '$0.0003'],
  [0.015, '$0.015'],
  [0.5, '$0.50'],
  [3, '$3.00'],
  [1000, '$1000.00'],
])('writes an amount of %s dollars as %s', (dollars, text) => {
  expect(exactUsd(dollars)).toBe(text);
});

it('counts who needs a person, and what had no text', () => {
  const noText = { steps: 0, needsReview: true, output: { needs_human: true, confidence: 0 } };
  const { people } = besideOf([
    aResult(),
    aResult({ needsReview: true }),
    aResult({ output: { needs_human: true } }),
    aResult(noText),
    aResult({ status: 'awaiting_approval', stop: null, output: null }),
    aResult({ status: 'failed', needsReview: true, output: null }),
    aResult({ status: 'stopped', output: null }),
    aResult({ status: 'not_started', steps: 0, output: null }),
  ]);
  expect(people).toEqual({ waiting: 1, unanswered: 2, review: 3, withoutText: 1 });
  expect(peopleText(people)).toBe('1 to approve, 3 to check, 2 without an answer');
});
