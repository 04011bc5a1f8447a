import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { awsFailure } from '../adapters/aws-errors.ts';
import { RetryableError } from '../core/errors.ts';

/** Shares from 0 to 1, drawn from `random`; all of it is what a standard queue may do on any day. */
export interface EventSourceFaults {
  /** At least 0, below 1. */
  readonly random: () => number;
  /** Of messages: delivered once more, at once or later. @default 0 */
  readonly duplicate?: number;
  /** Of invocations: the work is done, but the answer is lost and nothing is deleted. @default 0 */
  readonly lostAnswer?: number;
  /** Of batches: delivered after later ones. @default 0 */
  readonly reorder?: number;
}

/** The receiving end of a queue. Its failures hold no text of AWS's. */
export interface Inbox {
  /** The next messages, at most one batch; none when the poll ends without any. */
  readonly receive: () => Promise<readonly Message[]>;
  readonly remove: (messages: readonly Message[]) => Promise<void>;
  /** Makes messages visible again at once. */
  readonly giveBack: (messages: readonly Message[]) => Promise<void>;
}

export interface InboxSettings {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly batchSize: number;
  readonly waitTimeSeconds: number;
  readonly visibilityTimeoutSeconds: number;
}

function entriesOf(messages: readonly Message[]) {
  return messages.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
}

function failWith(doing: string): (error: unknown) => never {
  return (error) => {
    throw awsFailure(error, doing);
  };
}

export function openInbox({ client, queueUrl, ...settings }: InboxSettings): Inbox {
  return {
    receive: async () => {
      const command = new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: settings.batchSize,
        WaitTimeSeconds: settings.waitTimeSeconds,
        VisibilityTimeout: settings.visibilityTimeoutSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      });
      const { Messages } = await client.send(command).catch(failWith('receiving messages'));
      return Messages ?? [];
    },
    remove: async (messages) => {
      if (messages.length === 0) return;
      const command = new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries: entriesOf(messages) });
      const { Failed = [] } = await client.send(command).catch(failWith('deleting messages'));
      if (Failed.length === 0) return;
      throw new RetryableError('aws_request', `${Failed.length} handled messages were not deleted`);
    },
    giveBack: async (messages) => {
      const Entries = entriesOf(messages).map((entry) => ({ ...entry, VisibilityTimeout: 0 }));
      const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries });
      await client.send(command).catch(failWith('giving messages back'));
    },
  };
}

/** The same inbox, delivering more often and in another order than it should. */
export function withFaults(inbox: Inbox, faults: EventSourceFaults): Inbox {
  const { random, duplicate = 0, reorder = 0 } = faults;
  const held: (readonly Message[])[] = [];
  return {
    ...inbox,
    receive: async () => {
      const old = held.length > 0 && random() < 0.5 ? held.shift() : undefined;
      if (old !== undefined) return old;
      const messages = await inbox.receive();
      for (const message of messages) {
        if (random() < duplicate) held.push([message]);
      }
      if (messages.length === 0 || random() >= reorder) return messages;
      held.push(messages);
      return [];
    },
  };
}
