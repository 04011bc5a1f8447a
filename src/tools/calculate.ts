import * as z from 'zod';
import { defineTool } from '../core/agent.ts';
import { evaluate } from './arithmetic.ts';

/** A pocket calculator. */
export const calculate = defineTool({
  name: 'calculate',
  description: 'Work out an expression of numbers, + - * / and parentheses, for example 12 * (3 + 4).',
  input: z.object({ expression: z.string() }),
  policy: 'pure',
  run: ({ expression }) => ({ expression, value: evaluate(expression) }),
});
