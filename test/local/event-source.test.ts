import {
  GetQueueAttributesCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type EventSource,
  type EventSourceSettings,
  startEventSource,
} from '../../src/local/event-source.ts';
import {
  ensureQueues,
  localAwsClients,
  type Queues,
  type StandIns,
  startStandIns,
} from '../../src/local/stand-ins.ts';

let standIns: StandIns;
let client: SQSClient;
const sources: EventSource[] = [];

beforeAll(async () => {
  standIns = await startStandIns();
  client = localAwsClients(standIns).sqs;
});

afterAll(async () => {
  await Promise.all(sources.map((source) => source.stop(0)));
  client.destroy();
  await standIns.close();
});

const visibilityTimeoutSeconds = 1;
const patient = { timeout: 15_000, interval: 20 };

function queuesNamed(name: string, maxReceiveCount = 5): Promise<Queues> {
  const names = { queue: name, deadLetterQueue: `${name}-dead` };
  return ensureQueues(client, { names, visibilityTimeoutSeconds, maxReceiveCount });
}

async function send({ queueUrl }: Queues, ...bodies: string[]): Promise<void> {
  for (const body of bodies) {
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: body,
        MessageAttributes: { kind: { DataType: 'String', StringValue: 'test' } },
      }),
    );
  }
}

function listenTo(queues: Queues, settings: Partial<EventSourceSettings>): EventSource {
  const source = startEventSource({
    client,
    queueUrl: queues.queueUrl,
    queueArn: queues.arns.queue,
    handler: () => undefined,
    maxConcurrency: 2,
    functionTimeoutMs: 1_000,
    visibilityTimeoutSeconds,
    ...settings,
  });
  sources.push(source);
  return source;
}

async function left({ queueUrl }: Queues): Promise<number> {
  const AttributeNames = [
    'ApproximateNumberOfMessages' as const,
    'ApproximateNumberOfMessagesNotVisible' as const,
  ];
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames }),
  );
  return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe.concurrent('the event source', () => {
  it('deletes what was handled and delivers again, with its count, what was reported as failed', async () => {
    const queues = await queuesNamed('partial');
    await send(queues, 'good', 'bad', 'fine');
    const seen: SQSRecord[] = [];
    const source = listenTo(queues, {
      maxConcurrency: 1,
      handler: ({ Records }: SQSEvent) => {
        seen.push(...Records);
        const failed = Records.filter(
          (r) => r.body === 'bad' && r.attributes.ApproximateReceiveCount === '1',
        );
        return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
      },
    });
    await vi.waitFor(() => expect(source.stats().deleted).toBe(3), patient);
    await source.stop();
    expect(seen.map(({ body }) => body)).toEqual(['good', 'bad', 'fine', 'bad']);
    expect(seen[3]).toMatchObject({
      messageId: seen[1]?.messageId,
      attributes: { ApproximateReceiveCount: '2', SentTimestamp: expect.stringMatching(/^\d{13}$/) },
      messageAttributes: { kind: { stringValue: 'test', dataType: 'String' } },
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:partial',
      awsRegion: 'us-east-1',
    });
    expect(await left(queues)).toBe(0);
    expect(source.stats()).toMatchObject({ received: 4, failed: 0, running: 0 });
  });

  it('delivers a message whose handler throws as often as the queue allows, then to the dead-letter queue', async () => {
    const queues = await queuesNamed('poison', 2);
    await send(queues, 'poison');
    const errors: unknown[] = [];
    const dead: SQSRecord[] = [];
    const source = listenTo(queues, {
      handler: () => {
        throw new Error('boom');
      },
      onInvocationError: (error) => errors.push(error),
    });
    listenTo(queues, {
      queueUrl: queues.deadLetterQueueUrl,
      queueArn: queues.arns.deadLetterQueue,
      handler: ({ Records }: SQSEvent) => void dead.push(...Records),
    });
    await vi.waitFor(() => expect(dead).toHaveLength(1), patient);
    expect(dead[0]?.body).toBe('poison');
    expect(errors).toEqual([new Error('boom'), new Error('boom')]);
    expect(source.stats()).toMatchObject({ failed: 2, deleted: 0 });
  });

  it('gives up an invocation that takes too long, and lets its late answer delete nothing', async () => {
    const queues = await queuesNamed('slow');
    await send(queues, 'slow');
    const late = deferred();
    const second = deferred();
    const counts: (string | undefined)[] = [];
    const source = listenTo(queues, {
      functionTimeoutMs: 900,
      maxConcurrency: 1,
      handler: async ({ Records }: SQSEvent) => {
        counts.push(Records[0]?.attributes.ApproximateReceiveCount);
        if (counts.length === 1) return late.promise;
        late.resolve();
        await second.promise;
        return { batchItemFailures: [{ itemIdentifier: '' }] };
      },
    });
    await vi.waitFor(() => expect(counts).toEqual(['1', '2']), patient);
    expect(source.stats()).toMatchObject({ failed: 1, deleted: 0, running: 1 });
    expect(await left(queues)).toBe(1);
    second.resolve();
    await source.stop();
    expect(source.stats()).toMatchObject({ failed: 1, deleted: 0 });
    expect(await left(queues)).toBe(1);
  });

  it('runs as many invocations at once as it may, never more, with ten records at most', async () => {
    const queues = await queuesNamed('many');
    await send(queues, ...Array.from({ length: 55 }, (_, n) => `m${n}`));
    const full = deferred();
    const sizes: number[] = [];
    const bodies = new Set<string>();
    let running = 0;
    let most = 0;
    const source = listenTo(queues, {
      maxConcurrency: 3,
      visibilityTimeoutSeconds: 30,
      handler: async ({ Records }: SQSEvent) => {
        running += 1;
        most = Math.max(most, running);
        sizes.push(Records.length);
        for (const { body } of Records) bodies.add(body);
        if (running === 3) full.resolve();
        await full.promise;
        running -= 1;
      },
    });
    await vi.waitFor(() => expect(source.stats().deleted).toBe(55), patient);
    await source.stop();
    expect({ most, bodies: bodies.size, largest: Math.max(...sizes) }).toEqual({
      most: 3,
      bodies: 55,
      largest: 10,
    });
    expect(await left(queues)).toBe(0);
  });

  it('waits at its stop for what runs, and then receives nothing more', async () => {
    const queues = await queuesNamed('drain');
    await send(queues, 'one');
    const began = deferred();
    const finish = deferred();
    const source = listenTo(queues, {
      handler: async () => {
        began.resolve();
        await finish.promise;
      },
    });
    await began.promise;
    const stopped = source.stop();
    finish.resolve();
    await stopped;
    expect(source.stats()).toMatchObject({ invocations: 1, deleted: 1, running: 0 });
    await send(queues, 'two');
    expect(await left(queues)).toBe(1);
  });

  it('gives up at its stop, after the grace, what still runs: the message comes back', async () => {
    const queues = await queuesNamed('grace');
    await send(queues, 'stuck');
    const began = deferred();
    const never = deferred();
    const source = listenTo(queues, {
      handler: async () => {
        began.resolve();
        await never.promise;
      },
    });
    await began.promise;
    await source.stop(0);
    never.resolve();
    expect(source.stats()).toMatchObject({ failed: 1, deleted: 0, running: 0 });
    const { Messages } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: queues.queueUrl, WaitTimeSeconds: 5 }),
    );
    expect(Messages?.[0]?.Body).toBe('stuck');
  });

  it('gives back at once what a poll still brings after the stop', async () => {
    const queues = await queuesNamed('after-stop');
    const source = listenTo(queues, { pollers: 1 });
    const stopped = source.stop();
    await send(queues, 'too late');
    await stopped;
    const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl: queues.queueUrl }));
    expect(Messages?.[0]?.Body).toBe('too late');
    expect(source.stats().invocations).toBe(0);
  });

  it('delivers twice, loses answers and changes the order when asked to', async () => {
    const queues = await queuesNamed('faults');
    await send(queues, 'one', 'two');
    const bodies: string[] = [];
    const source = listenTo(queues, {
      maxConcurrency: 1,
      batchSize: 1,
      visibilityTimeoutSeconds: 30,
      faults: { random: () => 0.4, duplicate: 0.5, reorder: 0.5, lostAnswer: 0.3 },
      handler: ({ Records }: SQSEvent) => void bodies.push(...Records.map(({ body }) => body)),
    });
    await vi.waitFor(() => expect(source.stats().received).toBe(4), patient);
    await source.stop();
    expect([...bodies].sort()).toEqual(['one', 'one', 'two', 'two']);
    const forgetful = await queuesNamed('forgetful');
    await send(forgetful, 'kept');
    const lossy = listenTo(forgetful, { faults: { random: () => 0, lostAnswer: 1 } });
    await vi.waitFor(() => expect(lossy.stats().invocations).toBe(1), patient);
    await lossy.stop();
    expect(lossy.stats()).toMatchObject({ failed: 0, deleted: 0 });
    await client.send(new PurgeQueueCommand({ QueueUrl: forgetful.queueUrl }));
  });

  it('goes on polling after the queue could not be reached, and reports it without its words', async () => {
    const gone = localAwsClients({ ...standIns, sqsEndpoint: 'http://127.0.0.1:1' }).sqs;
    const queues = await queuesNamed('gone');
    const errors: unknown[] = [];
    const source = listenTo(queues, {
      client: gone,
      onInvocationError: (error) => errors.push(error),
      pollers: 1,
    });
    await vi.waitFor(() => expect(errors.length).toBeGreaterThanOrEqual(2), patient);
    await source.stop();
    gone.destroy();
    expect(errors[0]).toMatchObject({ message: 'receiving messages: ECONNREFUSED (request none)' });
  });
});

it.each([{ batchSize: 11 }, { maxConcurrency: 0 }, { waitTimeSeconds: 0 }, { functionTimeoutMs: 1_001 }])(
  'refuses %o',
  (settings) => {
    const queues = { queueUrl: 'u', deadLetterQueueUrl: 'd', arns: { queue: 'a', deadLetterQueue: 'b' } };
    expect(() => listenTo(queues, settings)).toThrow(
      expect.objectContaining({ code: 'invalid_event_source' }),
    );
  },
);
