import {
  ChangeMessageVisibilityCommand,
  SendMessageCommand,
  SQSClient,
  type SQSClientConfig,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { TerminalError } from '../core/errors.ts';
import type { QueueMessage, SendOptions, StepQueue } from '../ports.ts';
import { awsErrorName, awsFailure } from './aws-errors.ts';

/**
 * A client for the region's own endpoint, or for `endpoint` or `AWS_ENDPOINT_URL_SQS` where one is set: never for the
 * host inside a queue URL, which by the SDK's default would pull calls meant for a local server out to AWS.
 * Three tries of at most 5 seconds each; a caller that polls for long passes its own `requestHandler`.
 */
export function createSqsClient(settings: SQSClientConfig = {}): SQSClient {
  return new SQSClient({
    maxAttempts: 3,
    retryMode: 'standard',
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
    ...settings,
    useQueueUrlAsEndpoint: false,
  });
}

const sendShape = z.object({
  delaySeconds: z.number().int().min(0).max(900),
  group: z.string().regex(/^[!-~]{1,128}$/, 'must be 1 to 128 visible ASCII characters'),
});
const hideShape = z.object({ seconds: z.number().int().min(0).max(43_200) });

// Checked here because the local stand-in takes values that AWS refuses.
function check(shape: z.ZodObject, values: object): void {
  const { error } = shape.safeParse(values);
  if (error === undefined) return;
  throw new TerminalError('invalid_queue_request', `the queue cannot do this: ${z.prettifyError(error)}`);
}

function subjectOf(message: QueueMessage): string {
  if ('noteOf' in message) return `notice ${message.note} of ${message.noteOf}`;
  return 'jobId' in message ? `job ${message.jobId}` : `batch ${message.batchId}`;
}

// The message is no longer ours to hide, or has reached the twelve hours that SQS allows.
const hideRefusals = /MessageNotInflight|ReceiptHandleIsInvalid|InvalidParameterValue/;

/** The step queue over SQS. Failures are `RetryableError`s without any text of AWS's; values out of bounds are refused before sending. */
export function createSqsQueue({
  client,
  queueUrl,
}: {
  readonly client: SQSClient;
  readonly queueUrl: string;
}): StepQueue {
  const send = async (body: string, { delaySeconds, group }: SendOptions, subject: string): Promise<void> => {
    check(sendShape, { delaySeconds, group });
    const command = new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: body,
      DelaySeconds: delaySeconds,
      MessageGroupId: group,
    });
    await client.send(command).catch((error: unknown) => {
      throw awsFailure(error, `sending ${subject}`);
    });
  };
  return {
    send: (message: QueueMessage, options: SendOptions) =>
      send(JSON.stringify(message), options, subjectOf(message)),
    sendBody: (body: string, options: SendOptions) => send(body, options, 'a dead letter again'),
    hide: async (receiptHandle: string, seconds: number) => {
      check(hideShape, { seconds });
      const command = new ChangeMessageVisibilityCommand({
        QueueUrl: queueUrl,
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      });
      await client.send(command).catch((error: unknown) => {
        if (!hideRefusals.test(awsErrorName(error))) throw awsFailure(error, 'hiding a message');
      });
    },
  };
}
