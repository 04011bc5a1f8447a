import { describe, expect, it } from 'vitest';
import { countEnded } from '../../src/app/count.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { createStore } from '../../src/app/table-store.ts';
import type { Table } from '../../src/ports.ts';
import { allTotals, endAgain, loaded, putEnded, reopen } from '../support/ended-jobs.ts';
import { callsModel } from '../support/fake-model.ts';
import { createHeldTable, type Held, type Write } from '../support/held-table.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const { model } = callsModel([]);
const TENANT = 'default';

function stage() {
  const held = createHeldTable();
  return { held, world: memoryWorld({ agents: [], model, wrap: held.wrap }) };
}

/** The writes of one page with one job of a batch, in order. */
const writes: readonly (readonly [name: string, matches: (write: Write) => boolean])[] = [
  ['the page', ({ item }) => item.sk === 'TENANT' && (item['entries'] as unknown[]).length > 0],
  ['the total of the day', ({ item }) => item.sk.startsWith('DAY#')],
  ['the total of the batch', ({ item }) => item.sk.startsWith('BATCH#')],
  ['the job', ({ item }) => item.sk === 'JOB'],
  ['the cleared page', ({ item }) => item.sk === 'TENANT' && (item['entries'] as unknown[]).length === 0],
];

/** Two jobs of a batch; whatever happens, this is what they add up to. */
async function twoJobs(world: TestWorld): Promise<readonly string[]> {
  const batchId = 'batch_1';
  await putEnded(world, { id: 'job_1', batchId, steps: 3, ledger: { settled: 500, unsettled: 20 } });
  await putEnded(world, { id: 'job_2', batchId, steps: 1, ledger: { settled: 7 } });
  return ['job_1', 'job_2'];
}
const bothJobs = { jobs: 2, steps: 4, settled: 507, unsettled: 20 };

async function expectCounted(world: TestWorld, sums = bothJobs): Promise<void> {
  expect(await allTotals(world)).toEqual(sums);
  expect((await world.store.readBatchTotals(TENANT, ['batch_1'])).get('batch_1')).toMatchObject(sums);
  for (const id of ['job_1', 'job_2']) expect((await loaded(world, id)).dueAtMs).toBe(0);
  expect((await world.store.loadTenant(TENANT)).entries).toEqual([]);
}

describe('an ended job', () => {
  it('is added to the totals of its day, agent and batch, and is due no more', async () => {
    const { world } = stage();
    await twoJobs(world);
    await putEnded(world, { id: 'job_3', agent: 'other', ledger: { settled: 1 } });
    await world.clock.advance(86_400_000);
    await putEnded(world, { id: 'job_4', ledger: { settled: 10 } });
    await reconcile(world);
    expect((await world.store.listDayTotals(TENANT)).map(({ key, total }) => [key, total.settled])).toEqual([
      [{ type: 'day', day: '2027-01-15', agent: 'other' }, 1],
      [{ type: 'day', day: '2027-01-15', agent: 'triage' }, 507],
      [{ type: 'day', day: '2027-01-16', agent: 'triage' }, 10],
    ]);
    expect(await allTotals(world)).toEqual({ jobs: 4, steps: 6, settled: 518, unsettled: 20 });
    const [batch] = [...(await world.store.readBatchTotals(TENANT, ['batch_1', 'batch_none'])).values()];
    expect(batch).toMatchObject(bothJobs);
    expect(await loaded(world, 'job_1')).toMatchObject({
      dueAtMs: 0,
      counted: { page: 1, steps: 3, settled: 500, unsettled: 20, returned: 0 },
    });
  });

  it('is counted as one job, and with what is new alone, when it goes on and ends again', async () => {
    const { world } = stage();
    await putEnded(world, { id: 'job_1', steps: 3, ledger: { settled: 500 } });
    await reconcile(world);
    await reopen(world, 'job_1');
    await endAgain(world, 'job_1', 40);
    await reconcile(world);
    expect(await allTotals(world)).toEqual({ jobs: 1, steps: 4, settled: 540, unsettled: 0 });
  });

  it('of another tenant is in that tenant’s totals alone', async () => {
    const { world } = stage();
    await putEnded(world, { id: 'job_1', ledger: { settled: 500 } });
    await putEnded(world, { id: 'job_2', tenant: 'other', ledger: { settled: 3 } });
    await reconcile(world);
    expect(await allTotals(world)).toMatchObject({ jobs: 1, settled: 500 });
    expect(await allTotals(world, 'other')).toMatchObject({ jobs: 1, settled: 3 });
  });
});

describe.each(writes)('counting that stops at %s', (_, matches) => {
  const began = async (): Promise<{ world: TestWorld; write: Held; counting: Promise<unknown> }> => {
    const { world, held } = stage();
    const jobIds = await twoJobs(world);
    const write = held.hold(matches);
    const counting = countEnded(world.restarted(), TENANT, jobIds).catch((error: unknown) => error);
    await write.reached;
    return { world, write, counting };
  };

  it('before it lands, is made up for by the next run, and adds nothing when it lands at last', async () => {
    const { world, write } = await began();
    await reconcile(world);
    await write.land();
    await reconcile(world);
    await expectCounted(world);
  });

  it('after it has landed, is made up for by the next run', async () => {
    const { world, write } = await began();
    await write.land();
    await reconcile(world);
    // Where all but the clearing of the page is done, nothing is due that would lead to it: the next job does.
    if ((await world.store.loadTenant(TENANT)).entries.length > 0) await countEnded(world, TENANT, ['job_1']);
    await expectCounted(world);
  });

  it('and goes on after others have counted, adds nothing twice', async () => {
    const { world, write, counting } = await began();
    await reconcile(world);
    await endAgainAndCount(world);
    await write.answer();
    await counting;
    await expectCounted(world, { jobs: 2, steps: 5, settled: 516, unsettled: 20 });
    await endAgainAndCount(world);
    await expectCounted(world, { jobs: 2, steps: 6, settled: 525, unsettled: 20 });
  });

  it('and gets no answer, looks whether it has landed', async () => {
    const { world, write, counting } = await began();
    await write.land();
    write.timeOut();
    for (let turns = 0; turns < 50; turns += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await world.clock.advance(100);
    }
    await counting;
    await expectCounted(world);
  });

  it('while a job goes on and ends again, counts what is new in the next page', async () => {
    const { world, write } = await began();
    await reopen(world, 'job_1');
    await reconcile(world);
    await endAgain(world, 'job_1', 9);
    await write.land();
    await reconcile(world);
    await reconcile(world);
    await expectCounted(world, { jobs: 2, steps: 5, settled: 516, unsettled: 20 });
  });
});

async function endAgainAndCount(world: TestWorld): Promise<void> {
  await reopen(world, 'job_1');
  await endAgain(world, 'job_1', 9);
  await reconcile(world);
}

it('leaves the page that others have begun meanwhile to them', async () => {
  const { world, held } = stage();
  const jobIds = await twoJobs(world);
  const [, , , ofJob, ofCleared] = writes.map(([, matches]) => matches);
  const cleared = held.hold(ofCleared ?? (() => false));
  const sleeper = countEnded(world.restarted(), TENANT, jobIds);
  await cleared.reached;
  await reconcile(world);
  await reopen(world, 'job_1');
  await endAgain(world, 'job_1', 9);
  // Whoever counts it dies when it is in the totals, and the job not yet cleared.
  const dying = held.hold(ofJob ?? (() => false));
  const died = countEnded(world.restarted(), TENANT, ['job_1', 'job_2']);
  await dying.reached;
  await cleared.answer();
  await sleeper;
  await reconcile(world);
  await expectCounted(world, { jobs: 2, steps: 5, settled: 516, unsettled: 20 });
  await dying.answer();
  await died;
  await expectCounted(world, { jobs: 2, steps: 5, settled: 516, unsettled: 20 });
});

it('counts thousands of jobs in pages, with a handful of writes beside the clearing of each job', async () => {
  const counts = { put: 0, get: 0, getMany: 0 };
  const counting = (table: Table): Table => ({
    ...table,
    get: (key) => {
      counts.get += 1;
      return table.get(key);
    },
    getMany: (keys) => {
      counts.getMany += 1;
      return table.getMany(keys);
    },
    put: (item, condition) => {
      counts.put += 1;
      return table.put(item, condition);
    },
  });
  const world = memoryWorld({ agents: [], model });
  for (let n = 0; n < 3_000; n += 1) await putEnded(world, { id: `job_${n}`, batchId: 'batch_1' });
  const store = createStore(counting(world.table), { now: world.clock.now });
  await reconcile({ ...world, store });
  expect(await allTotals(world)).toEqual({ jobs: 3_000, steps: 3_000, settled: 300_000, unsettled: 0 });
  expect(counts.put).toBeLessThanOrEqual(3_000 + 4 * 31);
  expect(counts.get).toBeLessThanOrEqual(5 * 31);
  expect(counts.getMany).toBeLessThanOrEqual(3 * 31 + 16);
});
