import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqsQueue } from '../../src/adapters/sqs.ts';
import { systemClock } from '../../src/adapters/system.ts';
import { ensureQueues, localAwsClients, type StandIns, startStandIns } from '../../src/local/stand-ins.ts';
import type { QueueMessage, StepQueue } from '../../src/ports.ts';
import { createMemoryQueue } from '../../src/testing/memory-queue.ts';

interface Received {
  readonly body: string;
  readonly receipt: string;
}

/** A queue with the receiving end that the event source has. */
interface Ends {
  readonly queue: StepQueue;
  readonly receive: () => Promise<Received | undefined>;
  readonly remove: (message: Received) => Promise<void>;
}

let standIns: StandIns;
let sqs: Ends;
beforeAll(async () => {
  standIns = await startStandIns();
  const { sqs: client } = localAwsClients(standIns);
  const names = { queue: 'suite', deadLetterQueue: 'suite-dead' };
  const { queueUrl: QueueUrl } = await ensureQueues(client, { names, visibilityTimeoutSeconds: 60 });
  sqs = {
    queue: createSqsQueue({ client, queueUrl: QueueUrl }),
    receive: async () => {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 0 }),
      );
      const [message] = Messages;
      return message && { body: message.Body ?? '', receipt: message.ReceiptHandle ?? '' };
    },
    remove: async ({ receipt }) => {
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receipt }));
    },
  };
});
afterAll(() => standIns.close());

const inMemory = createMemoryQueue(systemClock);
const memory: Ends = {
  queue: inMemory,
  receive: async () => {
    const [message] = inMemory.receive(1, 60_000);
    return message && { body: message.body, receipt: message.id };
  },
  remove: async ({ receipt }) => inMemory.remove(receipt),
};

const message: QueueMessage = { v: 1, jobId: 'job_1', turn: 3 };
const now = { delaySeconds: 0, group: 'default' };

describe.each([
  ['in memory', () => memory],
  ['on SQS', () => sqs],
] as const)('the step queue %s', (_, ends) => {
  it('delivers what was sent, hides it meanwhile, and forgets it once it is removed', async () => {
    await ends().queue.send(message, now);
    const received = await ends().receive();
    expect(JSON.parse(received?.body ?? '')).toEqual(message);
    expect(await ends().receive()).toBeUndefined();
    if (received !== undefined) await ends().remove(received);
  });

  it('delivers a body as it was, whatever it is', async () => {
    await ends().queue.sendBody('{"no message of ours', now);
    const received = await ends().receive();
    expect(received?.body).toBe('{"no message of ours');
    if (received !== undefined) await ends().remove(received);
  });

  it('delivers again at once what is hidden for no time', async () => {
    await ends().queue.send(message, now);
    const received = await ends().receive();
    await ends().queue.hide(received?.receipt ?? '', 0);
    const again = await ends().receive();
    expect(again?.body).toBe(received?.body);
    if (again !== undefined) await ends().remove(again);
  });

  it('keeps a delayed message back', async () => {
    await ends().queue.send(message, { ...now, delaySeconds: 900 });
    expect(await ends().receive()).toBeUndefined();
  });

  it.each([901, -1, 0.5])('refuses a delay of %d s, which no message can have', async (delaySeconds) => {
    const sent = ends().queue.send(message, { ...now, delaySeconds });
    await expect(sent).rejects.toMatchObject({ name: 'TerminalError', code: 'invalid_queue_request' });
  });
});
