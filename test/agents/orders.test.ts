import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { orders } from '../../src/agents/orders.ts';
import { defineAgent, defineTool } from '../../src/core/agent.ts';
import { countRows, findRow } from '../../src/tools/orders-data.ts';
import { type DevStack, observations, says, startDev } from '../support/dev-stack.ts';

/** The agent with one tool more, whose fault is its own. */
const clumsy = defineAgent({
  ...{ name: 'clumsy', model: orders.model, system: orders.system },
  tools: [
    ...orders.tools.values(),
    defineTool({
      name: 'trip',
      description: 'Throws',
      input: z.object({}),
      policy: 'pure',
      run: () => {
        throw new RangeError('a row that is not there');
      },
    }),
  ],
});

let dev: DevStack;
beforeAll(async () => {
  dev = await startDev([orders, clumsy]);
});
afterAll(() => dev.close());

const ask = (input: string, agent = 'orders') => dev.run({ agent, input });

describe('the orders agent', () => {
  it('“Where is order 1?” → get_order → “Order 1 is completed.” 2 steps, 4 messages', async () => {
    const job = await ask('Where is order 1?');
    expect(job).toMatchObject({ status: 'succeeded', text: 'Order 1 is completed.', steps: 2 });
    const { items } = await dev.client.messages(job.id);
    expect(items.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    const [call] = await observations(dev, job.id);
    expect(call).toMatchObject({ name: 'get_order', isError: false });
  });

  it('“How many orders does customer 675 have, and where is order 1?” → count_orders, then get_order: 3 steps, 6 messages', async () => {
    const job = await ask('How many orders does customer 675 have, and where is order 1?');
    const text = 'That customer has 14 orders. Order 1 is completed.';
    expect(job).toMatchObject({ status: 'succeeded', text, steps: 3 });
    expect((await dev.client.messages(job.id)).items).toHaveLength(6);
    const { items } = await dev.client.steps(job.id);
    expect(items.map((step) => step.calls.map(({ name, input, output }) => [name, input, output]))).toEqual([
      [['count_orders', { customer_id: 675 }, '{"customer_id":675,"orders":14}']],
      [['get_order', { order_id: 1 }, expect.stringContaining('"status":"completed"')]],
      [],
    ]);
  });

  it('“Where is order 999999?” → the error “order not found” is an observation → “I could not find that order.” The job succeeds', async () => {
    const job = await ask('Where is order 999999?');
    expect(job).toMatchObject({ status: 'succeeded', text: 'I could not find that order.', steps: 2 });
    const output = 'Error: order not found: 999999';
    expect(await observations(dev, job.id)).toEqual([{ name: 'get_order', output, isError: true }]);
  });

  it('a model that asks for the same call for ever → stopped, max_steps, at exactly the limit (default 5), transcript kept', async () => {
    dev.script('for ever', [says('Once more.', ['get_order', { order_id: 1 }])], true);
    const job = await ask('for ever');
    expect(job).toMatchObject({
      ...{ status: 'stopped', steps: 5, text: 'Once more.', limits: { maxSteps: 5 } },
      stop: { reason: 'max_steps', resumable: true },
    });
    const { items } = await dev.client.messages(job.id);
    expect(items).toHaveLength(10);
    expect((await dev.client.steps(job.id)).items).toHaveLength(5);
  });

  it.each([
    [
      'an unknown tool',
      'drop_table',
      {},
      'unknown tool: drop_table. The tools are: count_orders, get_order, trip',
    ],
    ['a missing argument', 'get_order', {}, 'missing argument: order_id'],
    ['a wrong type', 'get_order', { order_id: 'one' }, 'argument order_id: expected integer, got string'],
    ['an unexpected argument', 'get_order', { order_id: 1, force: true }, 'unexpected argument: force'],
    ['a tool that throws, as Name: message', 'trip', {}, 'RangeError: a row that is not there'],
  ])('the dispatcher refuses, as an observation: %s', async (what, name, input, output) => {
    dev.script(what, [says('', [name, input]), says('That did not work.')]);
    const job = await ask(what, 'clumsy');
    expect(job).toMatchObject({ status: 'succeeded', text: 'That did not work.', steps: 2 });
    expect(await observations(dev, job.id)).toEqual([{ name, output, isError: true }]);
  });

  it('NaN arrives at the model as null', async () => {
    expect(findRow(1)).toMatchObject({ customerId: 8, orderDate: '2024-01-03', discountPct: Number.NaN });
    const scripted = dev.script('NaN', [says('', ['get_order', { order_id: 1 }]), says('Seen.')]);
    await ask('NaN');
    expect(scripted.bodies()[1]).toContain(String.raw`\"discount_pct\":null`);
    expect(scripted.bodies()[1]).not.toContain('NaN\\');
  });

  it('only the needed fields are sent, not the whole row', async () => {
    expect(Object.keys(findRow(1) ?? {})).toContain('customerEmail');
    const job = await ask('Where is order 1?');
    const [call] = await observations(dev, job.id);
    expect(JSON.parse(String(call?.output))).toEqual({
      ...{ order_id: 1, status: 'completed', order_date: '2024-01-03', discount_pct: null },
      items: ['teapot'],
    });
  });

  it('long results are cut, and say how much is missing', async () => {
    const job = await ask('Where is order 22?');
    expect(job).toMatchObject({ status: 'succeeded', text: 'Order 22 is completed.' });
    const [call] = await observations(dev, job.id);
    const output = String(call?.output);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(2_000);
    expect(output).toMatch(/\[cut: \d+ of \d+ bytes left out\]$/);
  });

  it('tool schemas are made from the zod definition, never written twice', async () => {
    const scripted = dev.script('schemas', [says('Seen.')]);
    await ask('schemas');
    const { tools } = JSON.parse(scripted.bodies()[0] ?? '') as { readonly tools: readonly object[] };
    const byName = [...orders.tools.values()].sort((a, b) => a.name.localeCompare(b.name));
    const made = byName.map(({ name, schema }) => {
      const { $schema: _, ...json } = z.toJSONSchema(schema.strict(), { io: 'input' });
      return { name, input_schema: json };
    });
    expect(tools).toMatchObject(made);
    for (const folder of ['agents', 'tools']) {
      const place = new URL(`../../src/${folder}/`, import.meta.url);
      for (const file of readdirSync(place))
        expect(readFileSync(new URL(file, place), 'utf8')).not.toMatch(/input_?schema|additionalProperties/i);
    }
  });
});

describe('the orders table', () => {
  it('has order 1 of customer 8, and most orders by customer 675: 14', () => {
    const customers = Array.from({ length: 1_000 }, (_, id) => [id, countRows(id)] as const);
    const [first, second] = customers.sort(([, a], [, b]) => b - a);
    expect(first).toEqual([675, 14]);
    expect(second?.[1]).toBeLessThan(14);
    expect(findRow(1)?.status).toBe('completed');
  });
});
