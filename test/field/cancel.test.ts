import { expect, it } from 'vitest';
import { type Cancelled, cancel } from '../../src/app/cancel.ts';
import { submit } from '../../src/app/submit.ts';
import { fromHeadRecord } from '../../src/core/head-format.ts';
import type { Job, Status } from '../../src/core/job.ts';
import { charged } from '../../src/core/ledger.ts';
import type { Model, Table } from '../../src/ports.ts';
import { createRandom } from '../../src/testing/random.ts';
import { deliver, finish, VISIBILITY_MS } from '../support/drive.ts';
import { callsModel, textReply, toolReply } from '../support/fake-model.ts';
import { createHeldTable } from '../support/held-table.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';
import { fieldAgents, newEffects } from './agents.ts';
import { TENANT } from './run-case.ts';

/** What each reply of the fake model costs, in micro-dollars. */
const REPLY_COST = 600;

type Happening = 'asked the model' | 'cancel answered' | Status['type'];

interface Race {
  readonly answer: Cancelled<Job>;
  readonly final: Job | undefined;
  /** Everything that happened, in order; a state is a head that landed. */
  readonly log: readonly Happening[];
}

type Pause = () => Promise<void>;

/** A call whose question and whose answer take a while on their way. */
const slowly =
  <Given extends unknown[], Answer>(pause: Pause, call: (...given: Given) => Promise<Answer>) =>
  async (...given: Given): Promise<Answer> => {
    await pause();
    const answer = await call(...given);
    await pause();
    return answer;
  };

const slowTable = (table: Table, pause: Pause): Table => ({
  get: slowly(pause, table.get),
  getMany: slowly(pause, table.getMany),
  put: slowly(pause, table.put),
  putMany: slowly(pause, table.putMany),
  update: slowly(pause, table.update),
  query: slowly(pause, table.query),
  removeMany: slowly(pause, table.removeMany),
  listIndex: slowly(pause, table.listIndex),
});

/** Receives and handles until nothing has come for 100 ms. */
async function work(world: TestWorld): Promise<void> {
  for (let idleMs = 0; idleMs < 100; idleMs += 1) {
    const [message] = world.queue.receive(1, VISIBILITY_MS);
    if (message === undefined) {
      await world.clock.sleep(1);
    } else {
      idleMs = 0;
      await deliver(world, message);
    }
  }
}

/** Submits a job of three steps to two workers and cancels it 0 to 20 ms later; the seed decides every delay. */
async function race(seed: number): Promise<Race> {
  const random = createRandom(seed).next;
  const log: Happening[] = [];
  const held = createHeldTable();
  const steps = ['a', 'b'].map((query) => toolReply(['search_kb', { query }]));
  const scripted = callsModel([...steps, textReply('Done.')]);
  const late: { pause: Pause } = { pause: async () => undefined };
  const pause: Pause = () => late.pause();
  const ask = slowly(pause, scripted.model.ask);
  const model: Model = {
    ask: (...given) => {
      log.push('asked the model');
      return ask(...given);
    },
  };
  const world = memoryWorld({
    agents: fieldAgents(newEffects()),
    model,
    wrap: (table) => slowTable(held.wrap(table), pause),
  });
  const submitted = await submit(world, { tenant: TENANT, agent: 'field', input: 'help' });
  if (submitted.type !== 'created') throw new Error('the job was not created');
  const { id } = submitted.job;
  held.watch(({ item }) => item.sk === 'JOB' && log.push(fromHeadRecord(id, item).status.type));
  late.pause = () => world.clock.sleep(random() < 0.45 ? 1 : 0);
  const cancelling = world.clock.sleep(Math.floor(random() * 21)).then(async () => {
    const answer = await cancel(world, TENANT, id);
    log.push('cancel answered');
    return answer;
  });
  const all = Promise.all([cancelling, work(world.restarted()), work(world.restarted())]);
  const [answer] = await finish(world, all, 2);
  late.pause = async () => undefined;
  return { answer, final: await world.store.loadJob(id), log };
}

/** Holds one race to its answer; tells how the cancel met the job. */
function judgeRace({ answer, final, log }: Race, seed: number): string {
  const which = `seed ${seed}: ${log.join(', ')}`;
  const after = log.slice(log.indexOf('cancel answered') + 1);
  const calls = log.filter((happening) => happening === 'asked the model').length;
  if (answer.type === 'not_found' || final === undefined) throw new Error(which);
  expect(calls * REPLY_COST, which).toBeLessThanOrEqual(charged(final.ledger));
  expect(final.ledger.reserved, which).toBe(0);
  if (answer.type === 'conflict') {
    expect(answer.head, which).toMatchObject({ status: { type: 'succeeded' } });
    expect(final.status.type, which).toBe('succeeded');
    expect(after, which).toEqual([]);
    return 'too late';
  }
  expect(final.status.type, which).toBe('cancelled');
  if (answer.head.status.type === 'cancelled') {
    expect(after, which).toEqual([]);
    return 'at once';
  }
  // The step under way may end, and its one call with it; it takes the job no further.
  expect(after.filter((happening) => happening === 'asked the model').length, which).toBeLessThanOrEqual(1);
  expect(after, which).not.toContain('queued');
  expect(
    log.findLast((happening) => happening !== 'cancel answered'),
    which,
  ).toBe('cancelled');
  return 'with the step under way';
}

it('H-H4: a job cancelled at any moment of its first 20 ms ends cancelled, or was done before the answer, in 100 races', async () => {
  const met = new Map<string, number>();
  for (let seed = 1; seed <= 100; seed += 1) {
    const how = judgeRace(await race(seed), seed);
    met.set(how, (met.get(how) ?? 0) + 1);
  }
  for (const how of ['at once', 'with the step under way', 'too late']) {
    expect(met.get(how) ?? 0, how).toBeGreaterThanOrEqual(5);
  }
});
