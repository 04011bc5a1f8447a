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
    rows: z.array(z.object({ id: z.string(), note: z.string().optional() })).optional(),
    until: z
      .string()
      .nullish()
      .refine((until) => until !== null, 'must be a day'),
    odd: z
      .string()
      .refine(() => JSON.parse('{') === 1)
      .optional(),
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
    ['a wrong type', 'get_order', { order_id: 'one' }, 'argument order_id: expected integer, got string'],
    ['a fraction', 'get_order', { order_id: 1.5 }, 'argument order_id: expected integer, got number'],
    [
      'several problems',
      'get_order',
      { limit: 'all', where: [], foo: 2 },
      'missing argument: order_id; argument limit: expected number, got string; argument where: expected object, got array; unexpected argument: foo',
    ],
    ['a missing nested argument', 'get_order', { order_id: 1, rows: [{}] }, 'missing argument: rows.0.id'],
    [
      'a null in a list',
      'get_order',
      { order_id: 1, rows: [null] },
      'argument rows.0: expected object, got null',
    ],
    [
      'a null that only a rule of the author refuses',
      'get_order',
      { order_id: 1, until: null },
      'argument until: must be a day',
    ],
    ['an unexpected argument', 'get_order', { order_id: 1, foo: 2 }, 'unexpected argument: foo'],
    ['input that is no object', 'get_order', 'x', 'the input must be an object'],
    ['a good input', 'get_order', { order_id: 1 }, 'ok'],
    ['null for an optional argument', 'get_order', { order_id: 1, limit: null }, 'ok'],
    [
      'null beside an unknown key further down',
      'get_order',
      { order_id: 1, where: { city: null, x: 1 } },
      'ok',
    ],
    ['null inside a list', 'get_order', { order_id: 1, rows: [{ id: 'a', note: null }] }, 'ok'],
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

it('keeps the input as the model sent it, but for the nulls that were dropped at any depth', () => {
  const input = { rows: [{ note: null, id: 'a' }], order_id: 1, where: { city: null } };
  const checked = checkCall(tools, 'get_order', input);
  expect(checked.ok && JSON.stringify(checked.input)).toBe('{"rows":[{"id":"a"}],"order_id":1,"where":{}}');
  expect(input.rows[0]).toHaveProperty('note');
});

it('answers a rule that throws, and never throws itself', () => {
  expect(problemOf('get_order', { order_id: 1, odd: 'x' })).toMatch(
    /^the input could not be checked: SyntaxError: /,
  );
});

it('keeps what it says short and free of control characters, whatever the names', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`${'k'.repeat(500)}${at}`, 1]));
  expect(problemOf('get_order', { order_id: 1, ...many }).length).toBeLessThan(2_000);
  expect(problemOf(`\u001b${'x'.repeat(5_000)}`, {})).toMatch(
    /^unknown tool: x{99}…\. The tools are: get_order$/,
  );
});

it('says so when there are no tools', () => {
  const checked = checkCall(new Map(), 'x', {});
  expect(!checked.ok && checked.problem).toBe('unknown tool: x. The tools are: none');
});

it('never repeats a value', () => {
  for (const order_id of ['hunter2', ['hunter2'], { hunter2: 'hunter2' }]) {
    expect(problemOf('get_order', { order_id })).not.toContain('hunter2');
  }
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

it('reads null in an answer as absent and refuses keys that the schema does not name', () => {
  const schema = z.object({ answer: z.string(), note: z.string().optional() });
  expect(answerProblem(schema, { answer: 'a', note: null })).toEqual({ ok: true, value: { answer: 'a' } });
  expect(answerProblem(schema, { answer: 'a', extra: 1 })).toEqual({
    ok: false,
    problem: 'unexpected argument: extra',
  });
});

it.each([
  [new RangeError('far'), 'RangeError: far'],
  [new Error(''), 'Error: no message'],
  ['plain', 'Error: plain'],
  [undefined, 'Error: no message'],
  ['  ', 'Error: no message'],
  [{ message: 'from another realm' }, 'Error: from another realm'],
  [Object.assign(new Error('x'), { name: '' }), 'Error: x'],
  [Object.defineProperty(new Error('x'), 'message', { get: () => JSON.parse('{') }), 'Error: no message'],
  [new Error('\u001b[31m\u0000red'), 'Error: [31mred'],
  [new Error('😀'.repeat(600)), `Error: ${'😀'.repeat(493)}`],
])('tells the model what was thrown', (thrown, expected) => {
  expect(errorText(thrown)).toBe(expected);
});
