import { describe, expect, it } from 'vitest';
import { amountOf } from '../../src/console/model/actions.ts';

describe('a number that a person typed', () => {
  it.each([
    ['1', 1],
    [' 1000 ', 1000],
    ['0.5', 0.5],
    ['0.000001', 0.000_001],
    ['0012', 12],
  ])('reads %j of dollars as it stands', (text, value) => expect(amountOf(text, false)).toBe(value));

  it.each(['1,000', '1,5', '0,5', '1,000.50', '1.000,50', ',', '1,'])('guesses no dollars from %j', (text) =>
    expect(amountOf(text, false)).toBe('has a comma: write 1000 or 0.5'),
  );

  it.each(['1,000', '1,5', '12,'])('guesses no count from %j', (text) =>
    expect(amountOf(text, true)).toBe('has a comma: write 1000'),
  );

  it.each(['1.5', '1.000', '1.0', '0.5'])('takes no fraction for a count: %j', (text) =>
    expect(amountOf(text, true)).toBe('must be a whole number, without a point'),
  );

  it.each(['1e3', '$5', '1 000', "1'000", '-1', '+1', '.5', '5.', '1.0000001', 'ten', '٣'])(
    'takes %j for no number',
    (text) => expect(amountOf(text, false)).toBe('is not a number'),
  );

  it.each([false, true])('takes nothing for nothing, and zero for too little (a count: %j)', (whole) => {
    expect(amountOf('  ', whole)).toBeUndefined();
    expect(amountOf('0', whole)).toBe('must be above 0');
  });

  it('reads a count', () => expect(amountOf('1000', true)).toBe(1000));
});
