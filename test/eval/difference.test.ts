import { describe, expect, it } from 'vitest';
import { TerminalError } from '../../src/core/errors.ts';
import { differenceOf } from '../../src/eval/difference.ts';
import { readSavedRun, type SavedRun, savedRunOf, savedText } from '../../src/eval/saved-run.ts';
import { aMeasured, answered } from './a-measured.ts';

const about = {
  ...{ at: '2026-03-05T00:00:00.000Z', agent: { name: 'triage', version: 'v1', model: 'm' } },
  ...{ scripted: null, casesHash: 'h' },
};

/** A run that was right (`+`) or wrong (`-`) in the cases E-1, E-2, … */
function runOf(outcomes: string, given: Partial<SavedRun> = {}): SavedRun {
  const pairs = [...outcomes].map((one) => ['a', one === '+' ? 'a' : 'b'] as const);
  return { ...savedRunOf(answered('category', pairs), about), ...given };
}

describe('a saved run', () => {
  const cases = [
    aMeasured({
      id: '注文 1',
      labels: { category: 'refund', priority: 'P1' },
      answers: { category: 'x', priority: 'P1' },
    }),
    aMeasured({ id: '2', confidence: undefined, costMicroUsd: 12, steps: 4 }),
  ];

  it('is read as it was written', () => {
    const run = savedRunOf(cases, about);
    expect(readSavedRun('b.json', savedText(run))).toEqual(run);
    expect(run.cases).toEqual([
      {
        id: '注文 1',
        right: { category: false, priority: true },
        confidence: 0.9,
        costUsd: 0.0001,
        steps: 2,
      },
      { id: '2', right: { category: true }, confidence: null, costUsd: 0.000012, steps: 4 },
    ]);
  });

  it.each([
    ['', 'is no JSON'],
    ['{"type":"treadle-eval"', 'is no JSON'],
    ['[]', 'is no baseline'],
    ['{"v":1}', 'is no baseline'],
    ['{"type":"treadle-eval","v":2}', 'is a baseline of version 2, this command reads 1'],
    ['{"type":"treadle-eval"}', 'is no baseline'],
    [savedText(runOf('+')).replace('"steps":2', '"steps":-2'), 'is a broken baseline, at cases.0.steps'],
    [savedText(runOf('+')).replace('"casesHash":"h",', ''), 'is a broken baseline, at casesHash'],
  ])('that is %j is refused with the reason', (text, words) => {
    const read = () => readSavedRun('b.json', text);
    expect(read).toThrow(TerminalError);
    expect(read).toThrow(`b.json: ${words}`);
  });
});

describe('the difference of two runs', () => {
  it.each([
    ['+++++', '+++++', [], [], 1, 'same'],
    ['-----+', '++++++', 5, [], 0.0625, 'same'],
    ['------+', '+++++++', 6, [], 0.03125, 'better'],
    ['++++++', '------', [], 6, 0.03125, 'worse'],
    ['++--', '--++', 2, 2, 1, 'same'],
  ])('from %s to %s', (before, now, right, wrong, p, verdict) => {
    const [field] = differenceOf(runOf(before), runOf(now)).fields;
    expect(field).toMatchObject({ field: 'category', of: before.length, p: expect.closeTo(p, 10), verdict });
    expect(field?.newlyRight).toHaveLength(Number(right));
    expect(field?.newlyWrong).toHaveLength(Number(wrong));
  });

  it('names the cases that changed, and those that only one run has, which count for neither', () => {
    const now = runOf('-++++');
    const difference = differenceOf(runOf('+-+'), {
      ...now,
      cases: now.cases.filter(({ id }) => id !== 'E-3'),
    });
    expect(difference).toMatchObject({ cases: 2, onlyBefore: ['E-3'], onlyNow: ['E-4', 'E-5'] });
    expect(difference.fields).toMatchObject([
      { of: 2, before: 1, now: 1, newlyRight: ['E-2'], newlyWrong: ['E-1'] },
    ]);
  });

  it('has cost and steps over the cases of both', () => {
    const dearer = savedRunOf([aMeasured({ costMicroUsd: 150, steps: 3 }), aMeasured({ id: 'new' })], about);
    const { costUsd, steps } = differenceOf(savedRunOf([aMeasured()], about), dearer);
    expect(costUsd.more).toBeCloseTo(0.00005, 12);
    expect(steps).toEqual({ before: 2, now: 3, more: 1 });
  });

  it.each<[Partial<SavedRun>, string]>([
    [{ casesHash: 'other' }, 'the cases or their labels are not those'],
    [{ agent: { name: 'other', version: 'v', model: 'm' } }, 'the agent triage, this run of other'],
    [{ scripted: 'scripted by rules' }, 'by a model, those of this run scripted by rules'],
  ])('warns where the runs are %j', (given, words) => {
    expect(differenceOf(runOf('+'), runOf('+', given)).cautions.join()).toContain(words);
    expect(differenceOf(runOf('+'), runOf('+')).cautions).toEqual([]);
  });

  it('judges a field that only one run has in no case', () => {
    const before = runOf('+', { fields: ['category', 'gone'] });
    expect(differenceOf(before, runOf('+')).fields[1]).toMatchObject({
      field: 'gone',
      of: 0,
      verdict: 'same',
    });
  });
});
