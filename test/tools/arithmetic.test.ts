import { expect, it } from 'vitest';
import { evaluate } from '../../src/tools/arithmetic.ts';

it.each([
  ['12 * (3 + 4)', 84],
  ['2 + 3 * 4', 14],
  ['2 * 3 + 4', 10],
  ['10 - 4 - 3', 3],
  ['100 / 10 / 5', 2],
  ['-3 * -(2 - 5)', -9],
  ['2 - -2', 4],
  ['+5', 5],
  ['0.1 + 0.2', 0.3],
  ['.5 * 4', 2],
  ['1.5e3 / 3', 500],
  ['((((7))))', 7],
])('%s is %d', (expression, value) => {
  expect(evaluate(expression)).toBe(value);
});

it.each([
  ['', 'the expression is empty'],
  ['   ', 'the expression is empty'],
  ['1 / 0', 'division by zero'],
  ['1 / (2 - 2)', 'division by zero'],
  ['1 +', 'the expression ends too early'],
  ['(1 + 2', 'a parenthesis is not closed'],
  ['1 + 2)', 'unexpected )'],
  ['2 (3)', 'unexpected ('],
  ['1 2', 'unexpected 2'],
  ['1.2.3', 'unexpected .3'],
  ['* 3', 'unexpected *'],
  ['.', 'unexpected .'],
  ['process.exit()', 'unexpected p'],
  ['constructor', 'unexpected c'],
  ['1 constructor 2', 'unexpected c'],
  ['9e999', 'the result is too large'],
  ['1e308 * 10', 'the result is too large'],
  [`${'('.repeat(60)}1${')'.repeat(60)}`, 'nested more than 50 levels deep'],
  [`${'-'.repeat(60)}1`, 'nested more than 50 levels deep'],
  ['1+'.repeat(300), 'the expression has 600 characters, at most 500 are read'],
])('%s: an error that says why', (expression, why) => {
  expect(() => evaluate(expression)).toThrow(new Error(why));
});
