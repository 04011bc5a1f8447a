import { expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent, defineTool } from '../../src/index.ts';
import { callsTools, says, scriptedBrain, simulate } from '../../src/testing/index.ts';

/** What a payment provider in memory has charged, by order. */
const charges: { order: string; key: string }[] = [];

const charge = (name: string, mind: (key: string) => boolean) =>
  defineTool({
    name,
    description: 'Charges the card of an order.',
    input: z.object({ order: z.string() }),
    policy: 'idempotent',
    run: ({ order }, { idempotencyKey: key }) => {
      const known = mind(key) && charges.some((charged) => charged.key === key);
      if (!known) charges.push({ order, key });
      return { charged: order };
    },
  });

const prove = (tool: ReturnType<typeof charge>) => ({
  agents: [defineAgent({ name: 'shop', model: 'claude-sonnet-5', system: 'Charge orders.', tools: [tool] })],
  brain: scriptedBrain([callsTools([tool.name, { order: 'A-1' }]), says('Charged.')]),
  reset: () => charges.splice(0),
  judge: () => {
    const keys = new Set(charges.map(({ key }) => key));
    return keys.size < charges.length ? `${charges.length} charges for ${keys.size} calls` : undefined;
  },
});

it('shows that a tool which minds its key charges once, whatever crashes', async () => {
  const { found, schedules } = await simulate({ ...prove(charge('charge', () => true)), seeds: 60 });
  expect(found).toBeUndefined();
  expect(schedules).toBe(60);
});

it('finds the crash after which a tool that forgets its key charges twice, and plays it again', async () => {
  const options = prove(charge('charge', () => false));
  const { found } = await simulate(options);
  expect(found?.violation.invariant).toBe('a rule of the tools');
  const { seed = 0, faults = [] } = found ?? {};
  expect((await simulate({ ...options, from: seed, faults })).found?.violation).toEqual(found?.violation);
});
