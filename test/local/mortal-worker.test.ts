import { expect, it } from 'vitest';
import { reconcile } from '../../src/app/reconcile.ts';
import { createMortalWorker } from '../../src/local/mortal-worker.ts';
import { createRandom } from '../../src/testing/random.ts';
import { scriptOf } from '../field/scripts.ts';
import { VISIBILITY_MS } from '../support/drive.ts';
import { lapse, openStage } from '../support/stage.ts';

/** What Lambda gives a worker of one of the stage's messages. */
const eventOf = (message: { readonly id: string; readonly body: string }) => ({
  Records: [{ messageId: message.id, receiptHandle: message.id, body: message.body, attributes: {} }],
});

it('dies in the middle of its work and tells nobody, and the job is carried on by the next: one effect', async () => {
  let died = 0;
  for (let seed = 1; seed <= 30; seed += 1) {
    const script = { ...scriptOf([['pay', { amount: 5 }]]), repeat_last: true };
    const stage = await openStage({ script });
    const { world, paid, strict } = stage;
    const worker = createMortalWorker(world, 0.3, createRandom(seed).next);
    for (let rounds = 0; (await stage.view()).finishedAt === null; rounds += 1) {
      expect(rounds).toBeLessThan(60);
      for (const message of world.queue.receive(10, VISIBILITY_MS)) {
        try {
          const context = { getRemainingTimeInMillis: () => 120_000 };
          const { batchItemFailures } = await worker(eventOf(message), context);
          if (batchItemFailures.length === 0) world.queue.remove(message.id);
        } catch (error) {
          expect(error).toMatchObject({ code: 'crashed' });
          died += 1;
        }
      }
      await lapse(world);
      await reconcile(world);
    }
    expect(await stage.view()).toMatchObject({ status: 'succeeded' });
    expect(paid.length).toBeLessThanOrEqual(1);
    expect(strict.calls().every(({ status }) => status === 200)).toBe(true);
  }
  expect(died).toBeGreaterThan(5);
});
