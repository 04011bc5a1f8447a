import { describe, expect, it } from 'vitest';
import { differenceText } from '../../src/cli/difference-text.ts';
import { differenceOf } from '../../src/eval/difference.ts';
import type { Measured } from '../../src/eval/measured.ts';
import { savedRunOf } from '../../src/eval/saved-run.ts';
import { aMeasured } from '../eval/a-measured.ts';

const about = {
  ...{ at: '2026-03-05T00:00:00.000Z', agent: { name: 'triage', version: 'v1', model: 'm' } },
  ...{ scripted: null, casesHash: 'h' },
};
const text = (before: Partial<Measured>, now: Partial<Measured>): string =>
  differenceText(
    'b.json',
    differenceOf(savedRunOf([aMeasured(before)], about), savedRunOf([aMeasured(now)], about)),
  );

describe('the difference to a baseline', () => {
  it('is nothing where no case is in both runs', () => {
    expect(text({ id: 'a' }, { id: 'b' })).toBe(
      'baseline b.json: nothing to compare, because no case is in both runs\n',
    );
  });

  it('has no table where no field was measured in both', () => {
    const other = { labels: { priority: 'P1' }, answers: { priority: 'P1' } };
    const said = text({}, other);
    expect(said).toContain('baseline b.json: 1 case is in both runs\nno field was measured in both runs\n');
    expect(said).not.toContain('newly right');
  });

  it('says beside another cost that the prompt cache varies, and nothing beside the same', () => {
    const varies = 'the hits of the prompt cache vary from run to run';
    expect(text({}, { costMicroUsd: 150 })).toMatch(
      new RegExp(
        `^dollars a ticket: \\$0\\.000100 before, \\$0\\.000150 now \\(\\+50\\.0 %\\), and ${varies}$`,
        'm',
      ),
    );
    expect(text({}, {})).not.toContain(varies);
  });
});
