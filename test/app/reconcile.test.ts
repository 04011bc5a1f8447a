import { describe, expect, it } from 'vitest';
import { stop } from '../../src/app/control.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { RetryableError } from '../../src/core/errors.ts';
import { HEAD_VERSION, toHeadRecord } from '../../src/core/head-format.ts';
import { dueShards, shardOf } from '../../src/core/table.ts';
import { aJob } from '../support/a-job.ts';
import { allTotals, putEnded } from '../support/ended-jobs.ts';
import { callsModel } from '../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const setup = (): TestWorld => memoryWorld({ agents: [], model: callsModel([]).model });

/** The first so many ids of a shard. */
function idsIn(shard: string, count: number): readonly string[] {
  const ids: string[] = [];
  for (let n = 0; ids.length < count; n += 1) if (shardOf(`job_${n}`) === shard) ids.push(`job_${n}`);
  return ids;
}

const putDue = (world: TestWorld, id: string, tenant = 'default'): Promise<unknown> =>
  world.store.createJob(aJob({ id, tenant, dueAtMs: world.clock.now() }));

describe('a run of the reconciler', () => {
  it('looks at everything in a shard, also what its first page does not hold', async () => {
    const world = setup();
    for (const id of idsIn('due#3', 450)) await putDue(world, id);
    expect(await reconcile(world)).toMatchObject({ looked: 450, failed: 0 });
    expect(world.queue.messages()).toHaveLength(450);
  });

  it('comes to an end in time, and gives every shard its turn before', async () => {
    const world = setup();
    await stop(world, { tenant: 'stopped' });
    for (const id of idsIn('due#0', 9_000)) await putDue(world, id, 'stopped');
    for (const shard of dueShards) for (const id of idsIn(shard, 9_001).slice(9_000)) await putDue(world, id);
    let listed = 0;
    const slow: TestWorld = {
      ...world,
      store: {
        ...world.store,
        listDue: async (...given) => {
          listed += 1;
          await world.clock.advance(1_000);
          return world.store.listDue(...given);
        },
      },
    };
    await reconcile(slow);
    expect(listed).toBe(30);
    expect(world.queue.messages()).toHaveLength(15);
  });

  it('is not disturbed by a head that it cannot read', async () => {
    const world = setup();
    const [newer = '', ended = '', live = ''] = idsIn('due#5', 3);
    await putDue(world, newer);
    await world.table.put({
      ...toHeadRecord(aJob({ id: newer, dueAtMs: world.clock.now() })),
      ...{ pk: `JOB#${newer}`, sk: 'JOB', ds: 'due#5', v: HEAD_VERSION + 1 },
    });
    await putEnded(world, { id: ended });
    await putDue(world, live);
    expect(await reconcile(world)).toMatchObject({ looked: 3, failed: 1 });
    expect(world.queue.messages()).toHaveLength(1);
    expect(await allTotals(world)).toMatchObject({ jobs: 1 });
  });

  it('goes on when a tenant cannot be counted, and counts it the next time', async () => {
    const world = setup();
    await putEnded(world, { id: 'job_1' });
    await putEnded(world, { id: 'job_2', tenant: 'other' });
    const broken: TestWorld = {
      ...world,
      store: {
        ...world.store,
        loadTenant: (tenant) =>
          tenant === 'default'
            ? Promise.reject(new RetryableError('throttled', 'too much'))
            : world.store.loadTenant(tenant),
      },
    };
    expect(await reconcile(broken)).toMatchObject({ looked: 2, failed: 1 });
    expect(await allTotals(world, 'other')).toMatchObject({ jobs: 1 });
    expect(await reconcile(world)).toMatchObject({ looked: 1, failed: 0 });
    expect(await allTotals(world)).toMatchObject({ jobs: 1 });
  });
});
