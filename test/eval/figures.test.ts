import { describe, expect, it } from 'vitest';
import { accuracyByField, labelledFields, shareOf } from '../../src/eval/accuracy.ts';
import { measuredOf } from '../../src/eval/answered.ts';
import { calibrationOf } from '../../src/eval/calibration.ts';
import { confusionOf } from '../../src/eval/confusion.ts';
import { figuresOf } from '../../src/eval/figures.ts';
import { mcnemarExact } from '../../src/eval/mcnemar.ts';
import { fieldsOf, isRight } from '../../src/eval/measured.ts';
import { spreadOf } from '../../src/eval/spread.ts';
import { unseenLabels } from '../../src/eval/unseen.ts';
import { aMeasured, answered } from './a-measured.ts';

describe('the interval of a share', () => {
  // The table of Newcombe (1998), method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
    [20, 20, 0.8389, 1],
  ])('of %i of %i is as published', (right, of, low, high) => {
    const share = shareOf(right, of);
    expect(share.low).toBeCloseTo(low, 4);
    expect(share.high).toBeCloseTo(high, 4);
    expect(share.share).toBe(right / of);
  });

  it('of nothing says nothing', () => {
    expect(shareOf(0, 0)).toMatchObject({ share: 0, low: 0, high: 1 });
  });
});

/** With whole numbers: twice the tail of the binomial distribution of `b + c` tosses of a coin. */
function byCounting(b: number, c: number): number {
  const n = BigInt(b + c);
  let choose = 1n;
  let tail = 0n;
  for (let k = 0n; k <= BigInt(Math.min(b, c)); k += 1n) {
    tail += choose;
    choose = (choose * (n - k)) / (k + 1n);
  }
  return Math.min(1, Number((2n * tail * 10n ** 15n) / 2n ** n) / 1e15);
}

describe('the exact test of McNemar', () => {
  it.each([
    [0, 0, 1],
    [1, 0, 1],
    [5, 0, 2 / 32],
    [6, 0, 2 / 64],
    [6, 1, 16 / 128],
    [8, 1, 20 / 512],
    [1, 8, 20 / 512],
    [3, 3, 1],
    // As a published calculator has it, to four places.
    [12, 5, 0.1435],
  ])('of %i better and %i worse gives %d', (better, worse, p) => {
    expect(mcnemarExact(better, worse)).toBeCloseTo(p, 4);
  });

  it.each([
    [150, 86],
    [700, 640],
    [40, 41],
    [2_000, 1_900],
  ])('of %i and %i agrees with counting in whole numbers', (better, worse) => {
    expect(mcnemarExact(better, worse)).toBeCloseTo(byCounting(better, worse), 10);
  });
});

describe('an answer is right', () => {
  it.each([
    ['category', 'refund', 'refund', true],
    ['category', ' Refund', 'refund', true],
    ['category', 'refund', 'return', false],
    ['needs_human', 'TRUE', 'true', true],
    ['needs_human', 'ja', 'true', true],
    ['needs_human', ' WAHR ', 'true', true],
    ['needs_human', '1', 'true', true],
    ['needs_human', '0', 'false', true],
    ['needs_human', 'nein', 'true', false],
    ['needs_human', 'maybe', 'true', false],
    ['category', 'yes', 'ja', false],
    ['count', '1', 'yes', false],
    ['amount', '1.50', '1.5', true],
    ['amount', '1.5', '2', false],
    ['language', 'pt', 'pt-BR', true],
    ['language', 'pt-BR', 'pt', false],
    ['category', 'pt', 'pt-BR', false],
    ['language', 'de', 'den', false],
    ['category', 'refund', undefined, false],
    ['category', '0', '', false],
  ])('in %s, labelled %j and answered %j: %s', (field, label, answer, right) => {
    expect(isRight(field, label, answer)).toBe(right);
  });

  it('when the fields of an answer are what a file would have: dots for objects, lines for lists', () => {
    const output = { a: { b: true, c: { d: 1 } }, list: ['x', 2], nothing: null, odd: [{ x: 1 }] };
    expect(fieldsOf(output)).toEqual({
      ...{ 'a.b': 'true', 'a.c.d': '1', list: 'x\n2', nothing: '', odd: '[{"x":1}]' },
    });
    expect([fieldsOf(null), fieldsOf('text'), fieldsOf([1])]).toEqual([{}, {}, {}]);
  });
});

describe('accuracy by field', () => {
  it('counts a job that did not succeed as wrong in every field, and a missing label as neither', () => {
    const cases = [
      ...answered('category', [
        ['refund', 'refund'],
        ['refund', undefined],
        ['return', 'refund'],
      ]),
      aMeasured({ labels: { priority: 'P1' }, answers: { category: 'refund', priority: 'P1' } }),
    ];
    expect(accuracyByField(cases, ['category', 'priority'])).toMatchObject([
      { field: 'category', right: 1, of: 3 },
      { field: 'priority', right: 1, of: 1 },
    ]);
  });

  it('leaves a field out that no answer has, and says how many cases name it', () => {
    const labels = { category: 'refund', categroy: 'refund', toString: 'x' };
    expect(labelledFields([aMeasured({ labels }), aMeasured()])).toEqual({
      fields: ['category'],
      unknown: [
        { field: 'categroy', cases: 1 },
        { field: 'toString', cases: 1 },
      ],
    });
  });

  it('takes all labels as they are where nothing was answered at all', () => {
    const cases = [aMeasured({ answers: undefined, stop: 'refusal' })];
    expect(labelledFields(cases)).toEqual({ fields: ['category'], unknown: [] });
    expect(accuracyByField(cases, ['category'])).toMatchObject([{ right: 0, of: 1 }]);
  });
});

describe('confusion', () => {
  it('has labels down and answers across, the most frequent mistakes by name with three ids each', () => {
    const cases = answered('category', [
      ['a', 'a'],
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
      ['b', 'B'],
      ['b', 'new'],
      ['b', undefined],
    ]);
    expect(confusionOf(cases, 'category')).toEqual({
      field: 'category',
      values: ['a', 'b', 'new', '(none)'],
      counts: [
        [1, 4, 0, 0],
        [0, 1, 1, 1],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
      ],
      mistakes: [
        { expected: 'a', answered: 'b', count: 4, ids: ['E-2', 'E-3', 'E-4'] },
        { expected: 'b', answered: 'new', count: 1, ids: ['E-7'] },
        { expected: 'b', answered: '(none)', count: 1, ids: ['E-8'] },
      ],
    });
  });

  it('has one row for each value, spelled as the agent answers it, in the order of yes and no', () => {
    const cases = answered('needs_human', [
      ...(['TRUE', 'true', 'yes ', 'ja', '1'] as const).map((label) => [label, 'true'] as const),
      ...[['No', 'false'] as const, ['nein', 'true'] as const, ['0', undefined] as const],
    ]);
    expect(confusionOf(cases, 'needs_human')).toMatchObject({
      values: ['true', 'false', '(none)'],
      counts: [
        [5, 0, 0],
        [1, 1, 1],
        [0, 0, 0],
      ],
    });
  });

  it('knows yes and no also where only one of them was answered', () => {
    const cases = answered('needs_human', [
      ['yes', 'false'],
      ['TRUE', 'false'],
    ]);
    expect(confusionOf(cases, 'needs_human')?.values).toEqual(['true', 'false']);
  });

  it('takes what differs by case, blanks or the form of a number for one value', () => {
    const cases = answered('category', [
      [' Refund', 'refund'],
      ['REFUND', 'return'],
      ['2.50', 'refund'],
      ['return', '2.5'],
      ['Never', 'refund'],
      ['never ', 'return'],
    ]);
    expect(confusionOf(cases, 'category')?.values).toEqual(['Never', 'refund', '2.5', 'return']);
  });

  it('has numbered levels in their own order, and no answer at the end', () => {
    const cases = answered('priority', [
      ['p3', 'P3'],
      ['P3', 'P10'],
      ['P2', 'P1'],
      ['P2', undefined],
    ]);
    expect(confusionOf(cases, 'priority')?.values).toEqual(['P1', 'P2', 'P3', 'P10', '(none)']);
  });

  it('is not made of free text', () => {
    const texts = Array.from({ length: 61 }, (_, at) => [`text ${at}`, `text ${at}`] as const);
    expect(confusionOf(answered('summary', texts), 'summary')).toBeUndefined();
    expect(confusionOf(answered('summary', texts.slice(1)), 'summary')?.values).toHaveLength(60);
  });
});

describe('labels that were never answered', () => {
  it('are named with their cases, the most frequent first', () => {
    const cases = answered('category', [
      ['invoice', 'billing'],
      ['Lieferung', 'delivery'],
      ['INVOICE ', 'billing'],
      ['Delivery', 'billing'],
      ['billing', undefined],
    ]);
    expect(unseenLabels(cases, ['category'])).toEqual([
      { field: 'category', label: 'invoice', cases: 2 },
      { field: 'category', label: 'Lieferung', cases: 1 },
    ]);
  });

  it.each<[string, string, readonly (readonly [string, string | undefined])[]]>([
    ['are none where a language has a region', 'language', [['pt', 'pt-BR']]],
    ['are none of yes and no', 'needs_human', [['yes', 'false']]],
    [
      'are not looked for in free text',
      'summary',
      [['It is late.', 'The customer asks where the parcel is now.']],
    ],
    ['are not looked for where nothing was answered', 'category', [['invoice', undefined]]],
  ])('%s', (_, field, pairs) => {
    expect(unseenLabels(answered(field, pairs), [field])).toEqual([]);
  });
});

describe('calibration', () => {
  it('sorts by confidence, each bin with its lower bound in it, and 1 in the last', () => {
    const edges = [0, 0.49, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 0.1 + 0.5];
    const found = calibrationOf(edges.map((confidence) => ({ confidence, right: true })));
    expect(found?.bins.map(({ from, of }) => [from, of])).toEqual([
      ...[
        [0, 2],
        [0.5, 1],
        [0.6, 2],
        [0.7, 1],
        [0.8, 1],
        [0.9, 2],
      ],
    ]);
    expect(found?.bins.map(({ kept }) => kept.of)).toEqual([9, 7, 6, 4, 3, 2]);
  });

  it('has the weighted distance of confidence and share right as its error', () => {
    const claims = [
      ...[true, true, true, false].map((right) => ({ confidence: 0.95, right })),
      ...[true, false].map((right) => ({ confidence: 0.3, right })),
    ];
    // (4/6)·|0.75 − 0.95| + (2/6)·|0.5 − 0.3|
    expect(calibrationOf(claims)).toMatchObject({ expectedError: expect.closeTo(0.2, 10) });
    expect(calibrationOf(claims)?.meanConfidence).toBeCloseTo((4 * 0.95 + 2 * 0.3) / 6, 10);
  });

  it('is not there without any confidence', () => {
    expect(calibrationOf([])).toBeUndefined();
  });
});

describe('the spread of a quantity', () => {
  it.each<[readonly number[], number, number, number, number]>([
    [[], 0, 0, 0, 0],
    [[7], 7, 7, 7, 7],
    [[4, 1, 3, 2], 2.5, 2.5, 4, 4],
    [Array.from({ length: 20 }, (_, at) => at + 1), 10.5, 10.5, 19, 20],
    [Array.from({ length: 21 }, (_, at) => at + 1), 11, 11, 20, 21],
  ])('of %j', (values, mean, median, p95, max) => {
    expect(spreadOf(values)).toMatchObject({ mean, median, p95, max });
  });
});

describe('the figures of a run', () => {
  const both = { category: 'refund', route_to: 'payments', priority: 'P2' };
  const cases = [
    aMeasured({ id: '1', labels: both, answers: { ...both, priority: 'P1' } }),
    aMeasured({ id: '2', labels: both, answers: { ...both, route_to: 'returns' }, needsReview: true }),
    aMeasured({ id: '3', labels: both, answers: undefined, stop: 'refusal', confidence: undefined }),
    aMeasured({ id: '4', labels: both, answers: undefined, stop: 'refusal', confidence: undefined }),
  ];

  it('count a case as right by category and route, as the agent means its confidence', () => {
    const figures = figuresOf(cases, undefined);
    expect(figures.rightFields).toEqual(['category', 'route_to']);
    expect(figures.right).toMatchObject({ right: 1, of: 4 });
    expect(figures.calibration?.all).toMatchObject({ right: 1, of: 2 });
    expect(figures.review).toMatchObject({
      needed: 1,
      right: { right: 0, of: 1 },
      others: { right: 1, of: 3 },
    });
    expect(figures.notSucceeded).toEqual([{ stop: 'refusal', ids: ['3', '4'] }]);
    expect(figures.perCase.costUsd).toMatchObject({ mean: 0.0001, total: 0.0004 });
  });

  it.each([
    [['priority'], ['priority']],
    [['absent'], ['category', 'route_to']],
  ])('count by the fields %j where they are measured', (wanted, fields) => {
    expect(figuresOf(cases, wanted).rightFields).toEqual(fields);
  });

  it('count by all labels where the answers have neither category nor route', () => {
    const other = aMeasured({ labels: { team: 'a' }, answers: { team: 'a' } });
    expect(figuresOf([other], undefined).rightFields).toEqual(['team']);
  });
});

describe('a result', () => {
  const result = {
    ...{
      status: 'succeeded',
      stop: { reason: 'completed' },
      output: { category: 'refund', confidence: 0.4 },
    },
    ...{ text: 'done', steps: 3, needsReview: true, cost: { spentUsd: 0.000123 } },
    usage: { inputTokens: 1, outputTokens: 2, cacheWriteTokens: 3, cacheReadTokens: 4 },
  };
  it('becomes a measured case', () => {
    expect(measuredOf('1', { category: 'refund' }, result)).toEqual({
      ...{ id: '1', labels: { category: 'refund' }, answers: { category: 'refund', confidence: '0.4' } },
      ...{ stop: undefined, confidence: 0.4, needsReview: true, steps: 3, costMicroUsd: 123, tokens: 10 },
    });
  });

  it('that is no success has no answer, whatever output is there', () => {
    const stopped = { ...result, status: 'stopped', stop: { reason: 'max_steps' } };
    expect(measuredOf('1', {}, stopped)).toMatchObject({
      ...{ answers: undefined, confidence: undefined, stop: 'max_steps' },
    });
  });

  it('of an agent without a schema answers in one field, text', () => {
    expect(measuredOf('1', {}, { ...result, output: null }).answers).toEqual({ text: 'done' });
  });

  it.each([-0.1, 1.1, Number.NaN, '0.5', null])('with the confidence %j has none', (confidence) => {
    expect(measuredOf('1', {}, { ...result, output: { confidence } }).confidence).toBeUndefined();
  });
});
