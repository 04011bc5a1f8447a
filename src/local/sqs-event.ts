import { randomUUID } from 'node:crypto';
import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent, SQSMessageAttribute, SQSRecord } from 'aws-lambda';

function attributeOf(value: MessageAttributeValue): SQSMessageAttribute {
  const { StringValue, BinaryValue, DataType } = value;
  return {
    ...(StringValue === undefined ? {} : { stringValue: StringValue }),
    ...(BinaryValue === undefined ? {} : { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
    stringListValues: [],
    binaryListValues: [],
    dataType: DataType ?? 'String',
  };
}

function recordOf(message: Message, queueArn: string): SQSRecord {
  const attributes = Object.entries(message.MessageAttributes ?? {});
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: '',
      ApproximateFirstReceiveTimestamp: '0',
      ...message.Attributes,
    },
    messageAttributes: Object.fromEntries(attributes.map(([name, value]) => [name, attributeOf(value)])),
    md5OfBody: message.MD5OfBody ?? '',
    ...(message.MD5OfMessageAttributes === undefined
      ? {}
      : { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  };
}

/** Received messages as Lambda hands them to a function. */
export function sqsEvent(messages: readonly Message[], queueArn: string): SQSEvent {
  return { Records: messages.map((message) => recordOf(message, queueArn)) };
}

/** The context of one invocation that may last `timeoutMs` from now on. */
export function lambdaContext(functionName: string, timeoutMs: number): Context {
  const endsAt = performance.now() + timeoutMs;
  const awsRequestId = randomUUID();
  const nothing = () => {};
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
    memoryLimitInMB: '1024',
    awsRequestId,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: awsRequestId,
    getRemainingTimeInMillis: () => Math.max(0, Math.floor(endsAt - performance.now())),
    done: nothing,
    fail: nothing,
    succeed: nothing,
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Which messages of a batch the function's answer reports as failed, by Lambda's rules: nothing, an empty object or an
 * empty list is success; an answer it cannot read, or an id that is empty, missing or not in the batch, fails them all.
 */
export function failedIds(answer: unknown, batchIds: readonly string[]): ReadonlySet<string> {
  const all = new Set(batchIds);
  let response: unknown;
  try {
    // What a real function returns travels as JSON: what does not survive that is not there.
    response = JSON.parse(JSON.stringify(answer) ?? 'null');
  } catch {
    return all;
  }
  if (response === null) return new Set();
  if (!isObject(response)) return all;
  const failures = response['batchItemFailures'] ?? [];
  if (!Array.isArray(failures)) return all;
  const failed = new Set<string>();
  for (const failure of failures) {
    const id = isObject(failure) ? failure['itemIdentifier'] : undefined;
    if (typeof id !== 'string' || !all.has(id)) return all;
    failed.add(id);
  }
  return failed;
}
