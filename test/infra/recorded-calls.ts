import { AsyncLocalStorage } from 'node:async_hooks';
import { createApi } from '../../src/api/app.ts';
import { routes } from '../../src/api/routes.ts';
import { apiFiles } from '../../src/api-files.ts';
import { judge } from '../../src/app/approve.ts';
import { rowKeyAt } from '../../src/app/batch-turn.ts';
import { stop } from '../../src/app/control.ts';
import { takeDeadLetter } from '../../src/app/dead-letter.ts';
import { measure } from '../../src/app/measure.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { submit } from '../../src/app/submit.ts';
import { createStore } from '../../src/app/table-store.ts';
import { callId } from '../../src/core/approvals.ts';
import { identifyLocally } from '../../src/local/api-server.ts';
import type { Table } from '../../src/ports.ts';
import { requestOf } from '../api/examples.ts';
import { worldGiven } from '../api/given.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { startBatch } from '../support/a-batch.ts';
import { anItem } from '../support/a-job.ts';
import { runFor, runUntilIdle } from '../support/drive.ts';
import { callsModel, textReply, toolReply } from '../support/fake-model.ts';
import { HOOK, listener } from '../support/listener.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

export interface RecordedCalls {
  /** For each method of the store, what it calls of the table, an index with its name: `put`, `listIndex due`. */
  readonly methods: ReadonlyMap<string, ReadonlySet<string>>;
  /** Every place in the sources of the store that called the table: `table-store.ts put 12:34`. */
  readonly places: ReadonlySet<string>;
}

interface Calls {
  readonly methods: Map<string, Set<string>>;
  readonly places: Set<string>;
}
type Methods = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

/** The method of the store in which a call of the table is made. */
const inMethod = new AsyncLocalStorage<string>();

/** What a call is known by: one of an index or a list by which of them, because each takes a permission of its own. */
export const nameOf = (method: string, first: unknown): string =>
  method === 'listIndex' || method === 'listOf' ? `${method} ${String(first)}` : method;

function spied<T extends object>(object: T, around: (name: string, call: () => unknown) => unknown): T {
  const entries = Object.entries(object as Methods).map(([method, call]) => [
    method,
    (...args: readonly unknown[]) => around(nameOf(method, args[0]), () => call(...args)),
  ]);
  return Object.fromEntries(entries) as T;
}

/** The same world, whose store notes what it calls. */
function recorded(calls: Calls, world: TestWorld): TestWorld {
  const { methods, places } = calls;
  const table: Table = spied(world.table, (name, call) => {
    methods.get(inMethod.getStore() ?? '')?.add(name);
    const [, file, place] = /src\/app\/([\w-]+\.ts):(\d+:\d+)/.exec(new Error('where').stack ?? '') ?? [];
    places.add(`${file} ${name.split(' ')[0]} ${place}`);
    return call();
  });
  const store = spied(createStore(table, { now: world.clock.now }), (name, call) => {
    if (!methods.has(name)) methods.set(name, new Set());
    return inMethod.run(name, call);
  });
  return { ...world, store };
}

/** Runs every example of the API and what follows from it, and what only workers come by. */
export async function recordCalls(): Promise<RecordedCalls> {
  const calls: Calls = { methods: new Map(), places: new Set() };
  for (const route of routes) {
    for (const example of route.examples) {
      const world = recorded(calls, await worldGiven(example.given));
      const api = createApi({ world, identify: identifyLocally, files: apiFiles });
      const { method, path, headers, body, text } = requestOf(route, example);
      const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
      await api.request(path, {
        ...(method === undefined ? {} : { method }),
        headers: { 'content-type': 'application/json', ...headers },
        ...(payload === undefined ? {} : { body: payload }),
      });
      await runFor(world, 2);
    }
  }
  await approveAndTell(calls);
  return calls;
}

/** A refund that a person approves, told to a listener; a batch; what the reconciler finds and measures. */
async function approveAndTell(calls: Calls): Promise<void> {
  const refund = toolReply(['issue_refund', { orderId: 'A-1', amountCents: 500 }]);
  const { model } = callsModel([refund, textReply('Done.')]);
  const agents = fieldAgents(newEffects());
  const world = recorded(calls, memoryWorld({ agents, model, notifier: listener().notifier }));
  const submitted = await submit(world, { tenant: 'default', agent: 'field', input: 'help', webhook: HOOK });
  if (!('job' in submitted)) throw new Error(submitted.type);
  await runUntilIdle(world);
  const { id } = submitted.job;
  const born = (await world.store.loadJob(id))?.pending?.born ?? 0;
  const verdict = { jobId: id, tenant: 'default', callId: callId(born, 0), who: 'a', reason: '' };
  await judge(world, { ...verdict, decision: 'approve' });
  const batch = await startBatch(world);
  await runFor(world, 5);
  await measure(world, await reconcile(world));
  await takeDeadLetter(world, 'd1', 'junk');
  await stop(world, 'everything');
  // What only a crash, a restart or a deletion comes by.
  await world.store.readCall({ jobId: id, born, place: 0 });
  await world.store.readAgent('field', 'none');
  await world.store.stripRow(batch.id, await rowKeyAt(world, batch, 0));
  await world.store.readBatchTotals('default', [batch.id]);
  // What is too long for one item.
  const long = anItem({ user: 'x'.repeat(400_000) });
  const info = await world.store.readInfo(id);
  if (info === undefined) throw new Error('the job has no facts');
  await world.store.putItem('job_long', 2, long);
  await world.store.putInput('job_long', long, info);
}
