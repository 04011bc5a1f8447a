import { expect, it } from 'vitest';
import type { ModelScript } from '../../src/adapters/scripted-model/script.ts';
import { cancel } from '../../src/app/cancel.ts';
import { extend } from '../../src/app/extend.ts';
import { followUp } from '../../src/app/follow-up.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { retry } from '../../src/app/retry.ts';
import { viewSteps } from '../../src/app/views.ts';
import { createRandom } from '../../src/testing/random.ts';
import { deliverOne, expectNoRefusal, killOne, pairing, TENANT } from '../field/run-case.ts';
import { answer, callTurns, inTurns, locked } from '../field/scripts.ts';
import { finish, VISIBILITY_MS } from '../support/drive.ts';
import { expectMoney, openStage, type Stage } from '../support/stage.ts';

type Draw = () => number;
const oneOf = <T>(draw: Draw, list: readonly T[]): T => list[Math.floor(draw() * list.length)] as T;

/** Answers in a random order: calls, texts, cut and empty replies, and errors that end the job. */
function turns(draw: Draw): ModelScript {
  return inTurns(
    ...Array.from({ length: 120 }, (_, n) => {
      const search = ['search_kb', { query: `q${n}` }] as const;
      const calls = oneOf(draw, [
        [search],
        [search, ['pay', { amount: n }]],
        [['pay', { amount: n }]],
      ] as const);
      const [asked] = callTurns(calls);
      const text = { type: 'text', text: `Text ${n}.` };
      return oneOf(draw, [
        ...[asked, asked, asked],
        ...[answer([text], 'end_turn'), answer([text], 'max_tokens'), answer([], 'end_turn')],
        ...[answer([text], 'refusal'), locked, locked],
      ]);
    }).filter((turn) => turn !== undefined),
  );
}

/** Delivers what is there, kills some of the workers, and moves on until the job has ended. */
async function runDown(stage: Stage, draw: Draw): Promise<void> {
  const { world } = stage;
  for (let rounds = 0; rounds < 200; rounds += 1) {
    const next = world.queue.nextVisibleMs();
    if (next === undefined) return;
    await world.clock.advance(Math.max(0, next - world.clock.now()));
    await reconcile(world);
    if (world.queue.nextVisibleMs() !== next) continue;
    if (draw() < 0.1) await Promise.race([killOne(stage, 'model has answered'), idle(stage)]);
    else await deliverOne(stage, draw() < 0.5 ? world.restarted() : world);
  }
  throw new Error('the job does not come to rest');
}

/** A message that needs no model kills nobody: then the worker has long been done. */
async function idle({ world }: Stage): Promise<void> {
  for (let quiet = 0; quiet < 300; quiet += 1) await new Promise((resolve) => setImmediate(resolve));
  await world.clock.advance(VISIBILITY_MS);
}

it('a job that is let go on in every way, at random, breaks no rule of the API, of money or of once', async () => {
  const done = new Map<string, number>();
  for (let seed = 1; seed <= 30; seed += 1) {
    const draw = createRandom(seed).next;
    const stage = await openStage({ script: turns(draw), submission: { limits: { maxSteps: 4 } } });
    const { world, jobId } = stage;
    const job = { tenant: TENANT, jobId };
    for (let goes = 0; goes < 12; goes += 1) {
      if (draw() < 0.1) await cancel(world, TENANT, jobId);
      await runDown(stage, draw);
      const steps = (await viewSteps(world, TENANT, jobId))?.length ?? 0;
      const fromStep = 1 + Math.floor(draw() * (steps + 1));
      const wishes = [
        () => retry(world, job),
        () => retry(world, { ...job, fromStep }),
        () => followUp(world, { ...job, content: `more ${goes}`, key: `k${goes}` }),
        () => extend(world, { ...job, addSteps: 3 }),
      ];
      const results = await finish(world, Promise.all([oneOf(draw, wishes)(), oneOf(draw, wishes)()]));
      for (const { type } of results) done.set(type, (done.get(type) ?? 0) + 1);
    }
    await runDown(stage, draw);
    expectNoRefusal(stage);
    expectMoney(stage);
    expect(new Set(stage.paid).size, `seed ${seed}`).toBe(stage.paid.length);
    for (const body of stage.requests()) {
      const { calls, results } = pairing(body);
      expect(results).toEqual(calls);
    }
  }
  for (const type of ['retried', 'accepted', 'extended', 'conflict']) {
    expect(done.get(type) ?? 0, type).toBeGreaterThan(20);
  }
});
