import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DescribeTableCommand,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ensureQueues,
  ensureTable,
  localAwsClients,
  type StandIns,
  startStandIns,
} from '../../src/local/stand-ins.ts';

let folder: string;
const closers: (() => Promise<void> | void)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'treadle-stand-ins-'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closers.splice(0).reverse()) await close();
  await rm(folder, { recursive: true, force: true });
});

async function start(dataDir?: string) {
  const standIns: StandIns = await startStandIns(dataDir === undefined ? {} : { dataDir });
  closers.push(standIns.close);
  const clients = localAwsClients(standIns);
  closers.push(() => {
    clients.sqs.destroy();
    clients.dynamodb.destroy();
  });
  return { ...standIns, ...clients };
}

const names = { queue: 'steps', deadLetterQueue: 'steps-dead' };
const settings = { names, visibilityTimeoutSeconds: 30, maxReceiveCount: 5 };

describe('the table', () => {
  it('has the keys and indexes of the one constant, however many create it at once', async () => {
    const { dynamodb } = await start();
    await Promise.all(Array.from({ length: 5 }, () => ensureTable(dynamodb, 'treadle')));
    await ensureTable(dynamodb, 'treadle');
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: 'treadle' }));
    expect(Table).toMatchObject({
      TableStatus: 'ACTIVE',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    });
    const indexes = (Table?.GlobalSecondaryIndexes ?? []).map(({ IndexName, KeySchema, Projection }) => ({
      name: IndexName,
      keys: KeySchema?.map(({ AttributeName }) => AttributeName),
      projection: Projection?.ProjectionType,
    }));
    expect(indexes.sort((a, b) => (a.name ?? '').localeCompare(b.name ?? ''))).toEqual([
      { name: 'due', keys: ['ds', 'du'], projection: 'KEYS_ONLY' },
      { name: 'list', keys: ['lt', 'lc'], projection: 'KEYS_ONLY' },
      { name: 'open', keys: ['ot', 'oc'], projection: 'KEYS_ONLY' },
    ]);
  });

  it('is still there, items and indexes, after the stand-ins were closed and started again', async () => {
    const dataDir = join(folder, 'state');
    const first = await start(dataDir);
    await ensureTable(first.dynamodb, 'treadle');
    const item = { pk: { S: 'JOB#1' }, sk: { S: 'JOB' }, ds: { S: 'due#3' }, du: { N: '1700000000000' } };
    await first.dynamodb.send(new PutItemCommand({ TableName: 'treadle', Item: item }));
    await first.close();
    closers.splice(0, 1);

    const { dynamodb } = await start(dataDir);
    await ensureTable(dynamodb, 'treadle');
    const key = { pk: item.pk, sk: item.sk };
    const { Item } = await dynamodb.send(new GetItemCommand({ TableName: 'treadle', Key: key }));
    expect(Item).toEqual(item);
    const due = await dynamodb.send(
      new QueryCommand({
        TableName: 'treadle',
        IndexName: 'due',
        KeyConditionExpression: 'ds = :s AND du <= :now',
        ExpressionAttributeValues: { ':s': item.ds, ':now': item.du },
      }),
    );
    expect(due.Items).toEqual([item]);
  });
});

describe('the queues', () => {
  it('are made once, however many create them at once, and linked to each other', async () => {
    const { sqs, sqsEndpoint } = await start();
    const made = await Promise.all(
      Array.from({ length: 5 }, (_, n) =>
        ensureQueues(sqs, { ...settings, visibilityTimeoutSeconds: 30 + n }),
      ),
    );
    expect(new Set(made.map((queues) => JSON.stringify(queues))).size).toBe(1);
    expect(made[0]).toEqual({
      queueUrl: `${sqsEndpoint}/000000000000/steps`,
      deadLetterQueueUrl: `${sqsEndpoint}/000000000000/steps-dead`,
      arns: {
        queue: 'arn:aws:sqs:us-east-1:000000000000:steps',
        deadLetterQueue: 'arn:aws:sqs:us-east-1:000000000000:steps-dead',
      },
    });
    const { QueueUrls } = await sqs.send(new ListQueuesCommand({}));
    expect(QueueUrls?.sort()).toEqual([made[0]?.queueUrl, made[0]?.deadLetterQueueUrl]);
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: made[0]?.queueUrl, AttributeNames: ['RedrivePolicy'] }),
    );
    expect(JSON.parse(Attributes?.['RedrivePolicy'] ?? '')).toEqual({
      deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:steps-dead',
      maxReceiveCount: 5,
    });
  });
});

describe.skipIf(process.platform === 'win32')('the local clients', () => {
  const canary = () => join(folder, 'canary');

  async function aHome(fill: (file: string) => Promise<void> | void): Promise<void> {
    const aws = join(folder, '.aws');
    await mkdir(aws);
    await fill(join(aws, 'config'));
    await fill(join(aws, 'credentials'));
    vi.stubEnv('HOME', folder);
    vi.stubEnv('AWS_PROFILE', 'mine');
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:1');
    for (const name of ['ACCESS_KEY_ID', 'SECRET_ACCESS_KEY', 'CONFIG_FILE', 'SHARED_CREDENTIALS_FILE']) {
      vi.stubEnv(`AWS_${name}`, undefined);
    }
  }

  function withCanary(file: string): Promise<void> {
    const settings = `credential_process = /bin/sh -c "touch '${canary()}'"\nregion = eu-west-1\n`;
    return writeFile(file, `[default]\n${settings}[profile mine]\n${settings}[mine]\n${settings}`);
  }

  // First, because the SDK remembers what it has once read.
  it("never read the user's AWS files", async () => {
    const { sqs, dynamodb } = await start();
    await aHome((file) => {
      // Whoever opens a pipe that nobody writes to waits, here until the test has failed.
      execFileSync('mkfifo', [file]);
      closers.push(() => closeSync(openSync(file, 'r+')));
    });
    await ensureTable(dynamodb, 'treadle');
    await ensureQueues(sqs, settings);
  }, 5_000);

  it("never ask for the credentials of the user's AWS account", async () => {
    const { sqsEndpoint, sqs, dynamodb } = await start();
    await aHome(withCanary);
    await ensureTable(dynamodb, 'treadle');
    await ensureQueues(sqs, settings);
    expect(existsSync(canary())).toBe(false);

    // The canary does sing: a client that was given nothing but the address does ask.
    const naive = new SQSClient({ endpoint: sqsEndpoint, region: 'us-east-1', maxAttempts: 1 });
    await naive.send(new ListQueuesCommand({})).catch(() => {});
    naive.destroy();
    expect(existsSync(canary())).toBe(true);
  });
});

describe('the servers', () => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

  it.runIf(outside !== undefined)('listen on loopback only', async () => {
    const { sqsEndpoint, dynamodbEndpoint } = await start();
    for (const endpoint of [sqsEndpoint, dynamodbEndpoint]) {
      const result = new Promise((resolve) => {
        const socket = connect(Number(new URL(endpoint).port), outside, () => resolve('connected'));
        socket.on('error', () => resolve('refused'));
        closers.push(() => void socket.destroy());
      });
      expect(await result).toBe('refused');
    }
  });

  it.each([{ origin: 'https://example.com' }, { host: 'example.com' }])(
    'turn a web page away: %o',
    async (headers) => {
      const { sqsEndpoint, dynamodbEndpoint } = await start();
      for (const endpoint of [sqsEndpoint, dynamodbEndpoint]) {
        const status = new Promise((resolve) => {
          httpRequest(endpoint, { headers }, (response) => {
            response.resume();
            resolve(response.statusCode);
          }).end();
        });
        expect(await status).toBe(403);
      }
    },
  );

  it('survive a client that dies in the middle of a request', async () => {
    const { dynamodb, dynamodbEndpoint } = await start();
    const { host, port } = new URL(dynamodbEndpoint);
    const target =
      'X-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Type: application/x-amz-json-1.0\r\n';
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(`POST / HTTP/1.1\r\nHost: ${host}\r\n${target}Content-Length: 999\r\n\r\n{"half":`, () =>
          socket.resetAndDestroy(),
        );
      });
      socket.on('close', () => resolve());
    });
    expect((await dynamodb.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  });
});
