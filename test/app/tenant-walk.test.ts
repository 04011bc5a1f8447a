import { expect, it } from 'vitest';
import { extend } from '../../src/app/extend.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { submit } from '../../src/app/submit.ts';
import { createStore } from '../../src/app/table-store.ts';
import type { World } from '../../src/app/world.ts';
import { RetryableError } from '../../src/core/errors.ts';
import { fromHeadRecord } from '../../src/core/head-format.ts';
import { isEnded, type Job } from '../../src/core/job.ts';
import { charged } from '../../src/core/ledger.ts';
import { fromTenantRecord } from '../../src/core/tenant-format.ts';
import { createRandom, type Random } from '../../src/testing/random.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { allTotals } from '../support/ended-jobs.ts';
import { callsModel } from '../support/fake-model.ts';
import { type Faults, faultyTable, turns } from '../support/faulty-table.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const TENANT = 'default';
const LIMIT = 10_000;
const CEILING = 1_000;
const DAY_MS = 86_400_000;
const agents = fieldAgents(newEffects());
const { model } = callsModel([]);

interface Walk {
  readonly world: TestWorld;
  readonly random: Random;
  readonly faults: Faults;
  readonly broken: string[];
  /** The world of a process of its own, which may die. */
  readonly process: () => World;
}

function jobsIn(world: TestWorld): readonly Job[] {
  return world.table
    .all()
    .filter((item) => item['sk'] === 'JOB')
    .map((item) => fromHeadRecord(String(item['pk']).slice('JOB#'.length), item));
}

/** What a job has spent of the pool of its day, and while it lives may spend of it. */
const exposure = (job: Job): number =>
  (isEnded(job) ? charged(job.ledger) : job.ledger.ceiling) - (job.dayPool?.before ?? 0);

/** Whatever is charged to the jobs of a day and still held for them is out of its pool, and within the limit. */
function poolProblem(world: TestWorld): string | undefined {
  const stored = world.table.all().find((item) => item['sk'] === 'TENANT');
  if (stored === undefined) return undefined;
  const { day, taken } = fromTenantRecord(TENANT, stored);
  const ofDay = (of: number): number =>
    jobsIn(world)
      .filter(({ dayPool }) => dayPool?.day === of)
      .reduce((sum, job) => sum + exposure(job), 0);
  if (taken > LIMIT) return `${taken} are taken, the limit is ${LIMIT}`;
  if (ofDay(day) > taken) return `${ofDay(day)} are charged and held on day ${day}, ${taken} are taken`;
  if (ofDay(day - 1) > LIMIT) return `${ofDay(day - 1)} are charged and held on the day before`;
  return undefined;
}

function begin(seed: number): Walk {
  const random = createRandom(seed);
  const faults: Faults = { rate: random.pick([0, 0.01, 0.04]) };
  const broken: string[] = [];
  const world = memoryWorld({ agents, model, dailyMicroUsd: LIMIT });
  const landed = (): void => {
    const problem = poolProblem(world);
    if (problem !== undefined) broken.push(problem);
  };
  const process = (): World => ({
    ...world.restarted(),
    ids: { ...world.ids, random: random.next },
    store: createStore(faultyTable(world.table, random, faults, landed), { now: world.clock.now }),
    clock: { ...world.clock, sleep: () => turns(3) },
  });
  return { world, random, faults, broken, process };
}

/** A worker's step as far as money goes: the job goes on, or ends by its limit of steps. */
async function work({ world, random }: Walk, job: Job): Promise<void> {
  const left = job.ledger.ceiling - charged(job.ledger);
  const cost = random.whole(0, Math.min(left, 300));
  const unsettled = random.chance(0.2) ? Math.min(left - cost, 50) : 0;
  const nowMs = world.clock.now();
  const ends = random.chance(0.5);
  const { settled, unsettled: before } = job.ledger;
  await world.store.commitJob({
    ...job,
    version: job.version + 1,
    steps: job.steps + 1,
    ledger: { ...job.ledger, settled: settled + cost, unsettled: before + unsettled },
    ...(ends
      ? {
          status: { type: 'stopped', stop: { reason: 'max_steps', detail: '' } },
          ...{ endedAtMs: nowMs, dueAtMs: nowMs + 30_000 },
        }
      : {}),
  });
}

const somebody = async (work: Promise<unknown>): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!(error instanceof RetryableError)) throw error;
  });
};

/** One thing that happens; what it begins goes on beside the next. */
async function happen(walk: Walk, at: number): Promise<void> {
  const { world, random, process } = walk;
  const jobs = jobsIn(world);
  const what = random.whole(0, 9);
  if (what < 2) {
    const key = `k${random.chance(0.3) ? random.whole(0, at) : at}`;
    const submission = { tenant: TENANT, agent: 'field', input: 'help', key, ceilingMicroUsd: CEILING };
    void somebody(submit(process(), submission));
  } else if (what < 5) {
    for (const job of jobs.filter((one) => !isEnded(one))) if (random.chance(0.6)) await work(walk, job);
  } else if (what < 7) {
    const ended = jobs.filter(isEnded);
    if (ended.length > 0) {
      const addMicroUsd = random.pick([0, 100, 500]);
      const job = random.pick(ended);
      void somebody(extend(process(), { tenant: TENANT, jobId: job.id, addMicroUsd, addSteps: 1 }));
    }
  } else if (what < 9) {
    void somebody(reconcile(process()));
    if (random.chance(0.5)) void somebody(reconcile(process()));
  }
  const toMidnight = DAY_MS - (world.clock.now() % DAY_MS);
  await world.clock.advance(random.chance(0.03) ? toMidnight - random.whole(0, 1) : random.whole(0, 40_000));
  await turns(random.whole(0, 25));
}

async function settleDown(walk: Walk): Promise<void> {
  const { world, faults } = walk;
  faults.rate = 0;
  await turns(300);
  for (let left = 60; left > 0; left -= 1) {
    for (const job of jobsIn(world).filter((one) => !isEnded(one))) await work(walk, job);
    await world.clock.advance(120_000);
    await reconcile(walk.process());
  }
}

it('adds every job to the totals once, and keeps within the pool of the day, whatever crashes, sleeps or lands late', {
  timeout: 120_000,
}, async () => {
  let counted = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const walk = begin(seed);
    for (let at = 0; at < 60; at += 1) await happen(walk, at);
    await settleDown(walk);
    const jobs = jobsIn(walk.world);
    const sum = (of: (job: Job) => number): number => jobs.reduce((all, job) => all + of(job), 0);
    expect(walk.broken.slice(0, 1), `seed ${seed}`).toEqual([]);
    expect(
      jobs.filter((job) => !isEnded(job) || job.dueAtMs > 0),
      `seed ${seed}`,
    ).toEqual([]);
    expect(await allTotals(walk.world), `seed ${seed}`).toEqual({
      jobs: jobs.length,
      steps: sum((job) => job.steps),
      settled: sum((job) => job.ledger.settled),
      unsettled: sum((job) => job.ledger.unsettled),
    });
    counted += jobs.length;
  }
  expect(counted).toBeGreaterThan(5 * SEEDS);
});

const SEEDS = 40;
