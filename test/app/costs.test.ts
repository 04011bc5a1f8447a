import { expect, it } from 'vitest';
import { type CostPage, type CostsBy, costsBy } from '../../src/app/costs.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { uncountedOf } from '../../src/app/uncounted.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { startBatch } from '../support/a-batch.ts';
import { endAgain, putEnded, reopen } from '../support/ended-jobs.ts';
import { callsModel } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const { model } = callsModel([]);
const TENANT = 'default';

/** Jobs of two agents on two days, of two batches and of none; and one of somebody else. */
async function setup(): Promise<{ world: TestWorld; batchIds: readonly string[] }> {
  const world = memoryWorld({ agents: fieldAgents(newEffects()), model });
  const first = await startBatch(world);
  await world.clock.advance(1_000);
  const second = await startBatch(world, { key: 'k2' });
  const batchId = first.id;
  await putEnded(world, {
    id: 'job_1',
    agent: 'a',
    steps: 2,
    ledger: { settled: 100, unsettled: 5 },
    batchId,
  });
  await putEnded(world, { id: 'job_2', agent: 'b', steps: 1, ledger: { settled: 10 }, batchId: second.id });
  await putEnded(world, { id: 'job_3', tenant: 'other', ledger: { settled: 7_777 }, batchId: 'batch_x' });
  await world.clock.advance(86_400_000);
  await putEnded(world, { id: 'job_4', agent: 'a', steps: 4, ledger: { settled: 1_000 } });
  await reconcile(world);
  return { world, batchIds: [second.id, first.id] };
}

async function everyPage(world: TestWorld, by: CostsBy): Promise<CostPage['items']> {
  const items: CostPage['items'][number][] = [];
  let after: string | undefined;
  for (let pages = 0; pages < 10; pages += 1) {
    const page: CostPage = await costsBy(world, TENANT, by, {
      limit: 1,
      ...(after === undefined ? {} : { after }),
    });
    items.push(...page.items);
    if (page.next === undefined) return items;
    after = page.next;
  }
  throw new Error('there is no last page');
}

it('lists what a tenant’s own jobs have cost by tenant, agent, day and batch', async () => {
  const { world, batchIds } = await setup();
  const cost = (key: string, jobs: number, steps: number, spentUsd: number, unsettledUsd = 0) => ({
    ...{ key, jobs, steps, spentUsd, unsettledUsd },
  });
  expect(await everyPage(world, 'tenant')).toEqual([cost(TENANT, 3, 7, 0.001115, 0.000005)]);
  expect(await everyPage(world, 'agent')).toEqual([
    cost('a', 2, 6, 0.001105, 0.000005),
    cost('b', 1, 1, 0.00001),
  ]);
  expect(await everyPage(world, 'day')).toEqual([
    cost('2027-01-16', 1, 4, 0.001),
    cost('2027-01-15', 2, 3, 0.000115, 0.000005),
  ]);
  expect(await everyPage(world, 'batch')).toEqual([
    cost(batchIds[0] ?? '', 1, 1, 0.00001),
    cost(batchIds[1] ?? '', 1, 2, 0.000105, 0.000005),
  ]);
});

it('lists nothing of a tenant that has spent nothing, and takes no cursor that it did not give', async () => {
  const { world } = await setup();
  expect(await costsBy(world, 'nobody', 'tenant', { limit: 9 })).toEqual({ items: [], next: undefined });
  expect(await costsBy(world, 'nobody', 'batch', { limit: 9 })).toEqual({ items: [], next: undefined });
  expect((await costsBy(world, TENANT, 'batch', { limit: 9, after: 'x' })).items).toHaveLength(2);
});

it('says which of the newest jobs have ended and are in no sum yet, and what of their money', async () => {
  const { world } = await setup();
  expect(await uncountedOf(world, TENANT)).toBeUndefined();
  await putEnded(world, { id: 'job_5', ledger: { settled: 30, unsettled: 4 } });
  await putEnded(world, { id: 'job_6', ledger: { settled: 0 } });
  await putEnded(world, { id: 'job_7', tenant: 'other' });
  expect(await uncountedOf(world, TENANT)).toEqual({ jobs: 2, spentUsd: 0.000034 });
  await reopen(world, 'job_4');
  expect(await uncountedOf(world, TENANT)).toMatchObject({ jobs: 2 });
  await endAgain(world, 'job_4', 500);
  expect(await uncountedOf(world, TENANT)).toEqual({ jobs: 3, spentUsd: 0.000534 });
  await reconcile(world);
  expect(await uncountedOf(world, TENANT)).toBeUndefined();
});
