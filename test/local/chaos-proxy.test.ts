import { createServer, type IncomingMessage, type Server } from 'node:http';
import { DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createClaude } from '../../src/adapters/claude.ts';
import { createSqsClient } from '../../src/adapters/sqs.ts';
import { type ChaosProxy, type ProxyFaults, startChaosProxy } from '../../src/local/chaos-proxy.ts';
import { listen } from '../../src/local/local-server.ts';
import {
  ensureQueues,
  ensureTable,
  localAwsClients,
  type StandIns,
  startStandIns,
} from '../../src/local/stand-ins.ts';
import type { ModelRequest } from '../../src/ports.ts';

let standIns: StandIns;
let direct: ReturnType<typeof localAwsClients>;
const proxies: ChaosProxy[] = [];
const certain = 0.999;

beforeAll(async () => {
  standIns = await startStandIns();
  direct = localAwsClients(standIns);
  await ensureTable(direct.dynamodb, 'things');
});
afterEach(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
});
afterAll(async () => {
  direct.sqs.destroy();
  direct.dynamodb.destroy();
  await standIns.close();
});

async function behind(
  upstream: string,
  service: 'sqs' | 'dynamodb' | 'model',
  faults: ProxyFaults,
  random: () => number = () => 0,
): Promise<ChaosProxy> {
  const proxy = await startChaosProxy({ upstream, service, faults, random });
  proxies.push(proxy);
  return proxy;
}

/** Clients that ask once and tell what they met. */
async function clientsThrough(faults: ProxyFaults, random?: () => number) {
  const sqs = await behind(standIns.sqsEndpoint, 'sqs', faults, random);
  const dynamodb = await behind(standIns.dynamodbEndpoint, 'dynamodb', faults, random);
  const once = {
    region: 'us-east-1',
    maxAttempts: 1,
    credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
  };
  return {
    sqs: createSqsClient({ ...once, endpoint: sqs.endpoint }),
    dynamodb: new DynamoDBClient({ ...once, endpoint: dynamodb.endpoint }),
    counts: () => ({ sqs: sqs.counts(), dynamodb: dynamodb.counts() }),
  };
}

const put = (id: string) =>
  new PutItemCommand({ TableName: 'things', Item: { pk: { S: id }, sk: { S: 'X' } } });

async function stored(id: string): Promise<number> {
  const query = {
    TableName: 'things',
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: id } },
  };
  return (await direct.dynamodb.send(new QueryCommand(query))).Count ?? 0;
}

async function queueNamed(name: string): Promise<string> {
  const names = { queue: name, deadLetterQueue: `${name}-dead` };
  return (await ensureQueues(direct.sqs, { names, visibilityTimeoutSeconds: 30 })).queueUrl;
}

async function received(
  client: typeof direct.sqs,
  QueueUrl: string,
  WaitTimeSeconds = 0,
): Promise<readonly Message[]> {
  const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds, MaxNumberOfMessages: 10 });
  return (await client.send(command)).Messages ?? [];
}

it('hands everything on unchanged when nothing is to go wrong', async () => {
  const { sqs, dynamodb, counts } = await clientsThrough({});
  const QueueUrl = await queueNamed('calm');
  await dynamodb.send(put('calm'));
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'Grüße' }));
  const [message] = await received(sqs, QueueUrl);
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }));
  expect(message?.Body).toBe('Grüße');
  expect(await stored('calm')).toBe(1);
  const quiet = { lostAnswers: 0, throttles: 0, duplicates: 0, slowed: 0 };
  expect(counts()).toEqual({ sqs: { requests: 3, ...quiet }, dynamodb: { requests: 1, ...quiet } });
});

it('lets the server do what was asked and breaks the connection before the answer', async () => {
  const { sqs, dynamodb, counts } = await clientsThrough({ lostAnswer: certain });
  const QueueUrl = await queueNamed('lost');
  await expect(dynamodb.send(put('lost'))).rejects.toMatchObject({ code: 'ECONNRESET' });
  const command = new SendMessageCommand({ QueueUrl, MessageBody: 'lost' });
  await expect(sqs.send(command)).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(await stored('lost')).toBe(1);
  expect(await received(direct.sqs, QueueUrl)).toHaveLength(1);
  expect([counts().sqs.lostAnswers, counts().dynamodb.lostAnswers]).toEqual([1, 1]);
});

it('refuses as the services do when they are asked too often, and asks the server nothing', async () => {
  const { sqs, dynamodb, counts } = await clientsThrough({ throttle: certain });
  const QueueUrl = await queueNamed('throttled');
  await expect(dynamodb.send(put('throttled'))).rejects.toMatchObject({
    name: 'ProvisionedThroughputExceededException',
  });
  const command = new SendMessageCommand({ QueueUrl, MessageBody: 'throttled' });
  await expect(sqs.send(command)).rejects.toMatchObject({ name: 'RequestThrottled' });
  expect(await stored('throttled')).toBe(0);
  expect(await received(direct.sqs, QueueUrl)).toEqual([]);
  expect([counts().sqs.throttles, counts().dynamodb.throttles]).toEqual([1, 1]);
});

it('has a message that somebody received delivered to another receiver at once', async () => {
  const { sqs, counts } = await clientsThrough({ duplicate: 0.5 });
  const QueueUrl = await queueNamed('twice');
  await direct.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'twice' }));
  const [first] = await received(sqs, QueueUrl);
  const [second] = await received(sqs, QueueUrl, 5);
  expect(second?.MessageId).toBe(first?.MessageId);
  expect(second?.ReceiptHandle).not.toBe(first?.ReceiptHandle);
  await vi.waitFor(() => expect(counts().sqs.duplicates).toBe(1));
});

it('counts no duplicate of a message that was gone before it came again', async () => {
  const draws = [0.9, 0.9, 0.9, 0];
  const { sqs, counts } = await clientsThrough({ duplicate: 0.5 }, () => draws.shift() ?? 0.9);
  const QueueUrl = await queueNamed('gone');
  await direct.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'gone' }));
  expect(await received(sqs, QueueUrl)).toHaveLength(1);
  const [again] = await received(direct.sqs, QueueUrl, 5);
  await direct.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: again?.ReceiptHandle }));
  expect(await received(sqs, QueueUrl)).toEqual([]);
  expect(counts().sqs.duplicates).toBe(0);
});

it('turns away what a web page asks, as the server behind it does', async () => {
  const proxy = await behind(standIns.dynamodbEndpoint, 'dynamodb', {});
  const { status } = await fetch(proxy.endpoint, { headers: { origin: 'https://example.com' } });
  expect(status).toBe(403);
});

it('breaks the connection when the server behind it does not answer', async () => {
  const proxy = await behind('http://127.0.0.1:1', 'dynamodb', {});
  await expect(fetch(proxy.endpoint)).rejects.toThrow('fetch failed');
});

async function modelServer(
  answer: (request: IncomingMessage) => void,
): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    answer(request);
    request.resume().on('end', () => response.writeHead(500).end('{}'));
  });
  return { server, url: `http://127.0.0.1:${await listen(server)}` };
}

const request: ModelRequest = {
  ...{
    model: 'scripted-1',
    maxTokens: 256,
    system: 'x',
    effort: undefined,
    dropBoundThinking: false,
    tools: [],
    conversation: 'c',
  },
  messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
};

it.each([
  [0.1, { problem: '429 rate_limit_error', billed: 'no', retryAfterMs: 1_000 }],
  [0.9, { problem: '529 overloaded_error', billed: 'no', retryAfterMs: undefined }],
])('answers for a model that is asked too often (drawn: %d)', async (drawn, outcome) => {
  let asked = 0;
  const { server, url } = await modelServer(() => {
    asked += 1;
  });
  const proxy = await behind(url, 'model', { throttle: certain }, () => drawn);
  const model = createClaude({ apiKey: 'x', baseURL: proxy.endpoint });
  expect(await model.ask(request, new AbortController().signal)).toMatchObject({ type: 'wait', ...outcome });
  expect(asked).toBe(0);
  server.close();
});

it('holds answers back', async () => {
  const { server, url } = await modelServer(() => undefined);
  const proxy = await behind(url, 'model', { slow: certain, slowMs: 60_000 }, () => 0.5);
  const waiting = new AbortController();
  const asked = fetch(proxy.endpoint, { signal: waiting.signal }).catch((error: unknown) => error);
  await vi.waitFor(() => expect(proxy.counts().slowed).toBe(1));
  waiting.abort();
  expect(await asked).toBeInstanceOf(Error);
  server.close();
  server.closeAllConnections();
});
