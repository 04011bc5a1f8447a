import { describe, expect, it } from 'vitest';
import { failedIds, lambdaContext, sqsEvent } from '../../src/local/sqs-event.ts';

const batch = ['a', 'b', 'c'];
const failures = (...ids: unknown[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});
const circular: Record<string, unknown> = {};
circular['self'] = circular;

describe("what a function's answer says about its batch", () => {
  it.each([
    ['nothing', undefined, []],
    ['null', null, []],
    ['an empty object', {}, []],
    ['an empty list', { batchItemFailures: [] }, []],
    ['no list', { batchItemFailures: null }, []],
    ['one failure', failures('b'), ['b']],
    ['the same failure twice', failures('b', 'b'), ['b']],
    ['every failure', failures('a', 'b', 'c'), batch],
    ['an empty id', failures('a', ''), batch],
    ['an id of null', failures('a', null), batch],
    ['an id that is a number', failures(1), batch],
    ['an id under another name', { batchItemFailures: [{ messageId: 'a' }] }, batch],
    ['an id that is not in the batch', failures('a', 'd'), batch],
    ['an entry that is no object', { batchItemFailures: ['a'] }, batch],
    ['a list that is no list', { batchItemFailures: 'a' }, batch],
    ['text', 'done', batch],
    ['a list', [], batch],
    ['what cannot be written as JSON', circular, batch],
  ])('%s', (_, answer, failed) => {
    expect([...failedIds(answer, batch)].sort()).toEqual(failed);
  });
});

it('writes records as Lambda does, attributes of every kind included', () => {
  const event = sqsEvent(
    [
      {
        MessageId: 'm',
        ReceiptHandle: 'h',
        Body: 'text',
        MD5OfBody: '5',
        MD5OfMessageAttributes: '6',
        Attributes: { ApproximateReceiveCount: '2', SentTimestamp: '1700000000000', SenderId: 's' },
        MessageAttributes: {
          word: { DataType: 'String', StringValue: 'yes' },
          bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2, 3]) },
        },
      },
    ],
    'arn:aws:sqs:eu-west-1:000000000000:steps',
  );
  const lists = { stringListValues: [], binaryListValues: [] };
  expect(event.Records).toEqual([
    {
      messageId: 'm',
      receiptHandle: 'h',
      body: 'text',
      attributes: {
        ApproximateReceiveCount: '2',
        SentTimestamp: '1700000000000',
        SenderId: 's',
        ApproximateFirstReceiveTimestamp: '0',
      },
      messageAttributes: {
        word: { stringValue: 'yes', dataType: 'String', ...lists },
        bytes: { binaryValue: 'AQID', dataType: 'Binary', ...lists },
      },
      md5OfBody: '5',
      md5OfMessageAttributes: '6',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:eu-west-1:000000000000:steps',
      awsRegion: 'eu-west-1',
    },
  ]);
});

it('never says that less than no time remains', () => {
  expect(lambdaContext('worker', -1).getRemainingTimeInMillis()).toBe(0);
  expect(lambdaContext('worker', 60_000).getRemainingTimeInMillis()).toBeGreaterThan(0);
});
