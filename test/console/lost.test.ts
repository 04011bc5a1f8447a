import { describe, expect, it } from 'vitest';
import { ledgerOf } from '../../src/console/model/ledger.ts';
import { attemptsText, lostAmounts, lostMark } from '../../src/console/model/lost.ts';
import { timelineOf } from '../../src/console/model/timeline.ts';
import { aStep } from './a-step.ts';

const each = [0.0037, 0.0041];

describe('attempts of unknown outcome', () => {
  it.each([
    [1, [], ''],
    [2, [], 'after 2 attempts'],
    [2, [0.0037], 'after 2 attempts: $0.003700 left unsettled'],
    [3, each, 'after 3 attempts: $0.003700 + $0.004100 left unsettled'],
    // A job that goes on in another step keeps what was lost, though this one was asked once.
    [1, [0.0037], '$0.003700 left unsettled'],
  ])('are said after %i attempts that left %j', (attempts, eachUsd, text) => {
    expect(attemptsText(attempts, eachUsd)).toBe(text);
  });

  it('are named as far as a line has room, and counted beyond', () => {
    expect(lostAmounts([1, 2, 3])).toBe('$1.0000 + $2.0000 + $3.0000 left unsettled');
    expect(lostAmounts([1, 2, 3, 4, 5])).toBe('$1.0000 + $2.0000 + $3.0000 + 2 more left unsettled');
  });

  it('have a mark', () => {
    expect([lostMark([]), lostMark([1]), lostMark(each)]).toEqual(['', '1 attempt lost', '2 attempts lost']);
  });

  it('stand in the ledger and in the timeline at the step whose reply came after them', () => {
    const model = { unsettledUsd: 0.0078, unsettledEachUsd: each, attempts: 3 };
    const steps = [aStep(1), aStep(2, { model })];
    const cost = {
      spentUsd: 0.0098,
      reservedUsd: 0,
      unsettledUsd: 0.0078,
      ceilingUsd: 1,
      savedByCacheUsd: 0,
    };
    expect(ledgerOf({ cost }, steps).lines.map(({ lostUsd }) => lostUsd)).toEqual([[], each]);
    expect(timelineOf(steps, steps[0]?.at ?? '').rows.map(({ lostUsd }) => lostUsd)).toEqual([[], each]);
  });
});
