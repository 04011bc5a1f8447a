import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type KeySchemaElement,
} from '@aws-sdk/client-dynamodb';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { awsErrorName, awsFailure } from '../adapters/aws-errors.ts';
import { createSqsClient } from '../adapters/sqs.ts';
import { RetryableError } from '../core/errors.ts';
import { type KeyPair, tableShape } from '../core/table.ts';

/**
 * Clients for servers at explicit endpoints. Whatever the SDK would look up in the user's environment, profile or
 * `~/.aws` is given here, so that it has no reason to look: the credentials are made up, and no real account is reached.
 */
export function localAwsClients({
  sqsEndpoint,
  dynamodbEndpoint,
}: {
  readonly sqsEndpoint: string;
  readonly dynamodbEndpoint: string;
}): { readonly sqs: SQSClient; readonly dynamodb: DynamoDBClient } {
  const sealed = () => ({
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 3,
    retryMode: 'standard',
    authSchemePreference: ['sigv4'],
    disableClockSkewCorrection: true,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    userAgentAppId: 'treadle-local',
    // Longer than the longest long poll (20 s): a poll given up on our side would still swallow the next message.
    requestHandler: {
      httpAgent: { keepAlive: true, maxSockets: 100 },
      connectionTimeout: 2_000,
      requestTimeout: 30_000,
      throwOnRequestTimeout: true,
    },
  });
  return {
    sqs: createSqsClient({ ...sealed(), endpoint: sqsEndpoint }),
    dynamodb: new DynamoDBClient({
      ...sealed(),
      endpoint: dynamodbEndpoint,
      accountIdEndpointMode: 'disabled',
    }),
  };
}

function keySchema({ partition, sort }: KeyPair): KeySchemaElement[] {
  return [
    { AttributeName: partition.name, KeyType: 'HASH' },
    { AttributeName: sort.name, KeyType: 'RANGE' },
  ];
}

function createTable(tableName: string): CreateTableCommand {
  const { key, indexes } = tableShape;
  const pairs = [key, ...Object.values(indexes)];
  return new CreateTableCommand({
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keySchema(key),
    AttributeDefinitions: pairs
      .flatMap(({ partition, sort }) => [partition, sort])
      .map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
    GlobalSecondaryIndexes: Object.entries(indexes).map(([name, pair]) => ({
      IndexName: name,
      KeySchema: keySchema(pair),
      Projection: { ProjectionType: 'KEYS_ONLY' },
    })),
  });
}

async function tableStatus(client: DynamoDBClient, tableName: string): Promise<string | undefined> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    return Table?.TableStatus;
  } catch (error) {
    if (awsErrorName(error) === 'ResourceNotFoundException') return undefined;
    throw awsFailure(error, `looking for table ${tableName}`);
  }
}

/** Creates the table with its indexes if it is missing and waits, at most 30 seconds, until it can be used. Several processes may do so at once. */
export async function ensureTable(client: DynamoDBClient, tableName: string): Promise<void> {
  for (let tries = 0; tries < 150; tries += 1) {
    const status = await tableStatus(client, tableName);
    if (status === 'ACTIVE') return;
    if (status !== undefined) {
      await sleep(200);
      continue;
    }
    await client.send(createTable(tableName)).catch((error: unknown) => {
      if (awsErrorName(error) === 'ResourceInUseException') return;
      throw awsFailure(error, `creating table ${tableName}`);
    });
  }
  throw new RetryableError('aws_request', `table ${tableName} is still not active`);
}

async function queueUrlOf(client: SQSClient, name: string): Promise<string | undefined> {
  try {
    return (await client.send(new GetQueueUrlCommand({ QueueName: name }))).QueueUrl;
  } catch (error) {
    if (/QueueDoesNotExist|NonExistentQueue/.test(awsErrorName(error))) return undefined;
    throw awsFailure(error, `looking for queue ${name}`);
  }
}

async function ensureQueue(
  client: SQSClient,
  name: string,
  attributes: Readonly<Record<string, string>>,
): Promise<{ readonly url: string; readonly arn: string }> {
  const found = await queueUrlOf(client, name);
  if (found === undefined) {
    await client
      .send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }))
      .catch((error: unknown) => {
        if (/QueueNameExists|QueueAlreadyExists/.test(awsErrorName(error))) return;
        throw awsFailure(error, `creating queue ${name}`);
      });
  }
  const url = found ?? (await queueUrlOf(client, name));
  if (url === undefined) throw new RetryableError('aws_request', `queue ${name} is not there yet`);
  const { Attributes } = await client
    .send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }))
    .catch((error: unknown) => {
      throw awsFailure(error, `reading queue ${name}`);
    });
  return { url, arn: Attributes?.['QueueArn'] ?? '' };
}

export interface QueueSettings {
  readonly names: { readonly queue: string; readonly deadLetterQueue: string };
  /** 1 to 43200; longer than a step may take. */
  readonly visibilityTimeoutSeconds: number;
  /** Receives before a message goes to the dead-letter queue. @default 5 */
  readonly maxReceiveCount?: number;
}

export interface Queues {
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  readonly arns: { readonly queue: string; readonly deadLetterQueue: string };
}

/** Creates the step queue and its dead-letter queue if they are missing; existing ones are taken as they are. Several processes may do so at once. */
export async function ensureQueues(
  client: SQSClient,
  { names, visibilityTimeoutSeconds, maxReceiveCount = 5 }: QueueSettings,
): Promise<Queues> {
  const VisibilityTimeout = String(visibilityTimeoutSeconds);
  const dead = await ensureQueue(client, names.deadLetterQueue, {
    VisibilityTimeout,
    MessageRetentionPeriod: '1209600',
  });
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount });
  const queue = await ensureQueue(client, names.queue, { VisibilityTimeout, RedrivePolicy });
  return {
    queueUrl: queue.url,
    deadLetterQueueUrl: dead.url,
    arns: { queue: queue.arn, deadLetterQueue: dead.arn },
  };
}
