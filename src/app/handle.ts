import { readQueueMessage } from '../core/queue-message.ts';
import { batchTurn } from './batch-turn.ts';
import type { Delivery, Handled } from './delivery.ts';
import { describe } from './describe.ts';
import { step } from './step.ts';
import { tell } from './tell.ts';
import type { World } from './world.ts';

export { describe } from './describe.ts';

/** Handles one record of the step queue. Never rejects: one bad record must not disturb its neighbours. */
export async function handleRecord(world: World, body: string, delivery: Delivery): Promise<Handled> {
  try {
    const read = readQueueMessage(body);
    switch (read.type) {
      case 'newer':
        world.log('warn', 'a message of a newer version is left for a newer worker', {
          version: read.version,
        });
        return 'retry';
      case 'unreadable':
        await world.store.putDeadLetter({
          ...{ id: delivery.id, tenant: '', body, reason: read.reason },
          ...{ atMs: world.clock.now(), redrivenAtMs: 0 },
        });
        world.log('error', 'an unreadable message was set aside', { id: delivery.id, reason: read.reason });
        return 'done';
      case 'message':
        if ('noteOf' in read.message) return await tell(world, read.message);
        return 'jobId' in read.message
          ? await step(world, read.message, delivery)
          : await batchTurn(world, read.message, delivery);
      default:
        return read satisfies never;
    }
  } catch (error) {
    world.log('error', 'a message could not be handled', { id: delivery.id, ...describe(error) });
    return 'retry';
  }
}
