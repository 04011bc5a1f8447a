import { describe, expect, it } from 'vitest';
import { heldAt, ledgerOf } from '../../src/console/model/ledger.ts';
import { chartOf } from '../../src/console/model/ledger-chart.ts';
import { aStep } from './a-step.ts';

const cost = { spentUsd: 0, reservedUsd: 0, unsettledUsd: 0, ceilingUsd: 0.05, savedByCacheUsd: 0 };

describe('the ledger of a job', () => {
  it('adds up what was settled and left unsettled, line by line', () => {
    const steps = [
      aStep(1),
      aStep(2, { model: { unsettledUsd: 0.01, unsettledEachUsd: [0.01], attempts: 2 } }),
      aStep(3),
    ];
    const { lines } = ledgerOf({ cost: { ...cost, spentUsd: 0.013, unsettledUsd: 0.01 } }, steps);
    expect(lines.map(({ name, runningUsd }) => [name, Number(runningUsd.toFixed(6))])).toEqual([
      ['Step 1', 0.001],
      ['Step 2', 0.012],
      ['Step 3', 0.013],
    ]);
    expect(lines[1]).toMatchObject({ settledUsd: 0.001, unsettledUsd: 0.01 });
    expect(lines.map(({ tries }) => tries)).toEqual([
      ...['', 'after 2 attempts, 1 attempt of unknown outcome left $0.0100 unsettled', ''],
    ]);
  });

  it('has a line for what was left unsettled after the last step', () => {
    const { lines } = ledgerOf({ cost: { ...cost, spentUsd: 0.011, unsettledUsd: 0.01 } }, [aStep(1)]);
    expect(lines.at(-1)).toMatchObject({ name: 'Since the last step', settledUsd: 0 });
    expect(lines.at(-1)?.runningUsd).toBeCloseTo(0.011, 9);
  });

  it('has a line for what was charged and is in no step any more, as after a retry from a step', () => {
    const { lines } = ledgerOf({ cost: { ...cost, spentUsd: 0.004 } }, [aStep(1)]);
    expect(lines.at(-1)).toMatchObject({ name: 'Not in the trace', step: undefined });
    expect(lines.at(-1)?.settledUsd).toBeCloseTo(0.003, 9);
  });

  it('has a line for the request under way, and no others of its own making', () => {
    const { lines } = ledgerOf({ cost: { ...cost, spentUsd: 0.001, reservedUsd: 0.02 } }, [aStep(1)]);
    expect(lines.map(({ name }) => name)).toEqual(['Step 1', 'Under way']);
    expect(
      ledgerOf({ cost: { ...cost, spentUsd: 0.1 + 0.2 } }, [aStep(1, { model: { costUsd: 0.3 } })]).lines,
    ).toHaveLength(1);
  });

  it('says of a line what was charged and held at once', () => {
    const [first, second] = ledgerOf({ cost: { ...cost, spentUsd: 0.002 } }, [aStep(1), aStep(2)]).lines;
    expect([first, second].map((line) => line && Number(heldAt(line).toFixed(6)))).toEqual([0.01, 0.011]);
  });
});

describe('the picture of a ledger', () => {
  const ledgerWith = (ceilingUsd: number) =>
    ledgerOf({ cost: { ...cost, spentUsd: 0.002, ceilingUsd } }, [aStep(1), aStep(2)]);

  it.each([
    [0.05, 0.05],
    [0.0549, 0.0549],
    [0.056, undefined],
  ])('under a ceiling of %d draws it at %s', (ceilingUsd, drawn) => {
    expect(chartOf(ledgerWith(ceilingUsd)).ceilingUsd).toBe(drawn);
  });

  it('has no column above what it has room for', () => {
    const { data, topUsd } = chartOf(ledgerWith(1));
    expect(Math.max(...data.slice(1).flat())).toBeLessThanOrEqual(topUsd);
    expect(data.map((row) => row.length)).toEqual([2, 2, 2, 2]);
  });
});
