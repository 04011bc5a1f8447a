import { readQueueMessage } from '../core/queue-message.ts';
import { batchTurn } from './batch-turn.ts';
import type { Delivery, Handled } from './delivery.ts';
import { step } from './step.ts';
import type { World } from './world.ts';

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

/** What of an error may be logged: never the message of an error that is not ours, which may quote content. */
export function describe(error: unknown): { readonly error: string; readonly message?: string } {
  if (!(error instanceof Error)) return { error: 'unknown' };
  const ours = error.name === 'RetryableError' || error.name === 'TerminalError';
  const code = 'code' in error ? `${error.name} ${String(error.code)}` : error.name;
  return ours ? { error: code, message: error.message } : { error: code };
}
