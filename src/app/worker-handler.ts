import { takeDeadLetter } from './dead-letter.ts';
import { type Delivery, type Handled, timeLeft } from './delivery.ts';
import { describe, handleRecord } from './handle.ts';
import { flushTelemetry } from './observe.ts';
import type { World } from './world.ts';

/** What of an SQS record as Lambda delivers it is read. */
export interface QueueRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: { readonly SentTimestamp?: string };
}

export interface QueueEvent {
  readonly Records: readonly QueueRecord[];
}

export interface InvocationContext {
  readonly getRemainingTimeInMillis: () => number;
}

export interface BatchResponse {
  readonly batchItemFailures: { readonly itemIdentifier: string }[];
}

export type QueueHandler = (event: QueueEvent, context: InvocationContext) => Promise<BatchResponse>;

/** The worker: up to ten records, all awaited together; those to be delivered again are named as failures. */
export function createWorkerHandler(world: World): QueueHandler {
  return async (event, context) => {
    const answer = await handleAll(event, async (record) => {
      const startedMs = world.clock.now();
      const delivery: Delivery = {
        id: record.messageId,
        receiptHandle: record.receiptHandle,
        sentMs: Number(record.attributes.SentTimestamp ?? startedMs),
        startedMs,
        deadlineMs: startedMs + context.getRemainingTimeInMillis(),
      };
      return timeLeft(delivery, world.clock) <= 0 ? 'retry' : handleRecord(world, record.body, delivery);
    });
    await flushTelemetry(world, context.getRemainingTimeInMillis());
    return answer;
  };
}

/** The consumer of the dead-letter queue. */
export function createDeadLetterHandler(world: World): QueueHandler {
  return (event) =>
    handleAll(event, async (record) => {
      try {
        await takeDeadLetter(world, record.messageId, record.body);
        return 'done';
      } catch (error) {
        world.log('error', 'a dead letter could not be kept', { id: record.messageId, ...describe(error) });
        return 'retry';
      }
    });
}

async function handleAll(
  event: QueueEvent,
  handle: (record: QueueRecord) => Promise<Handled>,
): Promise<BatchResponse> {
  const handled = await Promise.all(event.Records.map(handle));
  const failed = event.Records.filter((_, at) => handled[at] === 'retry');
  return { batchItemFailures: failed.map((record) => ({ itemIdentifier: record.messageId })) };
}
