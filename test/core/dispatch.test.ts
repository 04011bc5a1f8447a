import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type ApprovalRule, defineTool } from '../../src/core/agent.ts';
import { answerProblem, checkCall, errorText, needsApproval } from '../../src/core/dispatch.ts';

const getOrder = defineTool({
  name: 'get_order',
  description: '',
  input: z.object({
    order_id: z.int(),
    limit: z.number().optional(),
    where: z.object({ city: z.string().optional() }).optional(),
  }),
  run: () => 'ok',
});
const tools = new Map([['get_order', getOrder]]);
const problemOf = (name: string, input: unknown) => {
  const checked = checkCall(tools, name, input);
  return checked.ok ? 'ok' : checked.problem;
};

describe('a call', () => {
  it.each([
    ['an unknown tool', 'get_orders', {}, 'unknown tool: get_orders. The tools are: get_order'],
    ['a missing argument', 'get_order', {}, 'missing argument: order_id'],
    ['a null for a required argument', 'get_order', { order_id: null }, 'missing argument: order_id'],
    ['a wrong type', 'get_order', { order_id: 'one' }, 'argument order_id: expected number, got string'],
    ['an unexpected argument', 'get_order', { order_id: 1, foo: 2 }, 'unexpected argument: foo'],
    ['input that is no object', 'get_order', 'x', 'the input must be an object'],
    ['a good input', 'get_order', { order_id: 1 }, 'ok'],
    ['null for an optional argument', 'get_order', { order_id: 1, limit: null }, 'ok'],
    ['null for a nested optional argument', 'get_order', { order_id: 1, where: { city: null } }, 'ok'],
  ])('with %s is answered by name', (_, name, input, expected) => {
    expect(problemOf(name, input)).toBe(expected);
  });

  it('reaches its tool without the arguments that were null', () => {
    const checked = checkCall(tools, 'get_order', { order_id: 1, limit: null });
    expect(checked).toMatchObject({ ok: true, input: { order_id: 1 } });
    expect(checked.ok && 'limit' in checked.input).toBe(false);
  });
});

const rules: readonly (readonly [string, ApprovalRule<{ a: number }>, boolean])[] = [
  ['true', true, true],
  ['false', false, false],
  ['a rule that says no', () => false, false],
  ['a rule that throws', () => JSON.parse('{'), true],
  ['a rule in an object', { when: ({ a }) => a > 5 }, false],
];

it.each(rules)('asks a person when the approval is %s: right', (_, approval, expected) => {
  const tool = defineTool({
    name: 't',
    description: '',
    input: z.object({ a: z.number() }),
    approval,
    run: () => 1,
  });
  expect(needsApproval(tool, { a: 5 })).toBe(expected);
});

it('says which part of an answer is wrong', () => {
  expect(answerProblem(z.object({ answer: z.string(), score: z.number().max(1) }), { score: 2 })).toEqual({
    ok: false,
    problem: 'missing argument: answer; argument score: Too big: expected number to be <=1',
  });
});

it.each([
  [new RangeError('far'), 'RangeError: far'],
  [new Error(''), 'Error: no message'],
  ['plain', 'Error: plain'],
  [undefined, 'Error: no message'],
])('tells the model what was thrown', (thrown, expected) => {
  expect(errorText(thrown)).toBe(expected);
});
