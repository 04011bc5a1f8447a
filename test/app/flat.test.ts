import { expect, it } from 'vitest';
import * as z from 'zod';
import { submit } from '../../src/app/submit.ts';
import { defineTool } from '../../src/core/agent.ts';
import type { ModelOutcome, Table } from '../../src/ports.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { runUntilIdle } from '../support/drive.ts';
import { textReply, toolReply } from '../support/fake-model.ts';
import { memoryWorld } from '../support/world.ts';

interface Operation {
  readonly name: string;
  readonly bytes: number;
}

/** Counts what each step asks of the table: `mark` starts a new step. */
function counting(): { wrap: (table: Table) => Table; steps: Operation[][]; mark: () => void } {
  const steps: Operation[][] = [[]];
  const note = (name: string, value: unknown): void => {
    steps.at(-1)?.push({ name, bytes: JSON.stringify(value ?? null).length });
  };
  const wrap = (table: Table): Table => ({
    ...table,
    get: async (key) => {
      const item = await table.get(key);
      note('get', item);
      return item;
    },
    query: async (...args) => {
      const items = await table.query(...args);
      note('query', items);
      return items;
    },
    put: (item, condition) => {
      note('put', item);
      return table.put(item, condition);
    },
    update: (key, values, condition) => {
      note('update', values);
      return table.update(key, values, condition);
    },
  });
  return { wrap, steps, mark: () => void steps.push([]) };
}

async function stepsOf(
  outcomes: readonly ModelOutcome[],
  tool = 'search_kb',
): Promise<readonly Operation[][]> {
  const { wrap, steps, mark } = counting();
  const ledgerTool = defineTool({
    name: 'book',
    description: 'Books something once',
    input: z.object({ query: z.string() }),
    run: () => 'booked',
  });
  const queue = [...outcomes];
  const world = memoryWorld({
    agents: fieldAgents(newEffects(), {
      limits: { maxSteps: 400, maxCostUsd: 100 },
      tools: [ledgerTool],
      // As long as an article of a knowledge base: counters that grow by a digit weigh nothing beside it.
      search: () => 'What the knowledge base says about it. '.repeat(60),
    }),
    model: { ask: async () => queue.shift() ?? textReply('Done.') },
    wrap,
  });
  await submit(world, { tenant: 'default', agent: 'field', input: `use ${tool}` });
  mark();
  await runUntilIdle(world, {
    each: () => {
      mark();
      return world;
    },
  });
  // The first mark is the time between submission and the first message.
  return steps.slice(2);
}

const names = (operations: readonly Operation[] | undefined): string =>
  (operations ?? []).map((one) => one.name).join(' ');
const bytes = (operations: readonly Operation[] | undefined): number =>
  (operations ?? []).reduce((sum, one) => sum + one.bytes, 0);
const likeSteps = (count: number): readonly ModelOutcome[] =>
  Array.from({ length: count }, (_, n) =>
    toolReply(['search_kb', { query: `question ${String(n).padStart(4, '0')}` }]),
  );

it('does the same reads, writes and bytes in step 300 as in step 3 on a warm worker', {
  timeout: 60_000,
}, async () => {
  const steps = await stepsOf(likeSteps(310));
  expect(steps).toHaveLength(311);
  expect(names(steps[299])).toBe(names(steps[2]));
  expect(Math.abs(bytes(steps[299]) / bytes(steps[2]) - 1)).toBeLessThan(0.02);
});

it('makes one read and three writes in a step with pure tools', async () => {
  const steps = await stepsOf(likeSteps(3));
  expect(names(steps[1])).toBe('get put put put');
});

it('makes five writes in a step with one once call: its intent and its result come on top', async () => {
  const steps = await stepsOf([toolReply(['book', { query: 'a' }]), textReply('Done.')]);
  expect(names(steps[1])).toBe('get put put update put put');
});
