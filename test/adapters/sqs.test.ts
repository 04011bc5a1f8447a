import { createServer, type Server } from 'node:http';
import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, expect, it, vi } from 'vitest';
import { createSqsClient, createSqsQueue } from '../../src/adapters/sqs.ts';
import { listen } from '../../src/local/local-server.ts';

const queueUrl = 'https://sqs.us-east-1.amazonaws.com/123456789012/steps';
const message = { v: 1, jobId: 'job_7', turn: 3 } as const;

function aQueue() {
  const client = new SQSClient({ region: 'us-east-1' });
  return { sqs: mockClient(client), queue: createSqsQueue({ client, queueUrl }) };
}

function refusal(name: string): Error {
  return Object.assign(new Error('the customer wrote: secret'), { name, $metadata: { requestId: 'r-1' } });
}

let server: Server | undefined;
afterEach(() => {
  vi.unstubAllEnvs();
  server?.close();
  server?.closeAllConnections();
  server = undefined;
});

it('sends the message as JSON with its delay and group', async () => {
  const { sqs, queue } = aQueue();
  sqs.on(SendMessageCommand).resolves({});
  await queue.send(message, { delaySeconds: 900, group: 'default' });
  expect(sqs.commandCalls(SendMessageCommand).map(({ args }) => args[0].input)).toEqual([
    {
      QueueUrl: queueUrl,
      MessageBody: '{"v":1,"jobId":"job_7","turn":3}',
      DelaySeconds: 900,
      MessageGroupId: 'default',
    },
  ]);
});

it.each([
  { delaySeconds: 901, group: 'default' },
  { delaySeconds: -1, group: 'default' },
  { delaySeconds: 0.5, group: 'default' },
  { delaySeconds: Number.NaN, group: 'default' },
  { delaySeconds: 0, group: '' },
  { delaySeconds: 0, group: 'x'.repeat(129) },
])('refuses to send with %o', async (options) => {
  const { sqs, queue } = aQueue();
  await expect(queue.send(message, options)).rejects.toMatchObject({ code: 'invalid_queue_request' });
  expect(sqs.calls()).toHaveLength(0);
});

it('names the job when sending fails, and repeats nothing that AWS said', async () => {
  const { sqs, queue } = aQueue();
  sqs.on(SendMessageCommand).rejects(refusal('RequestThrottled'));
  const failure = await queue
    .send(message, { delaySeconds: 0, group: 'default' })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({
    name: 'RetryableError',
    message: 'sending job job_7: RequestThrottled (request r-1)',
  });
});

it.each(['MessageNotInflight', 'AWS.SimpleQueueService.MessageNotInflight', 'ReceiptHandleIsInvalid'])(
  'takes it calmly when a message can no longer be hidden: %s',
  async (name) => {
    const { sqs, queue } = aQueue();
    sqs.on(ChangeMessageVisibilityCommand).rejects(refusal(name));
    await expect(queue.hide('handle', 30)).resolves.toBeUndefined();
  },
);

it('reports a hide that never reached the queue, and refuses one over twelve hours', async () => {
  const { sqs, queue } = aQueue();
  sqs.on(ChangeMessageVisibilityCommand).rejects(refusal('TimeoutError'));
  await expect(queue.hide('handle', 43_200)).rejects.toMatchObject({ name: 'RetryableError' });
  await expect(queue.hide('handle', 43_201)).rejects.toMatchObject({ code: 'invalid_queue_request' });
});

it('stays with the server of AWS_ENDPOINT_URL_SQS, whatever host the queue URL names', async () => {
  const hosts: (string | undefined)[] = [];
  server = createServer((request, response) => {
    hosts.push(request.headers.host);
    request
      .resume()
      .on('end', () => response.setHeader('content-type', 'application/x-amz-json-1.0').end('{}'));
  });
  const port = await listen(server);
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', `http://127.0.0.1:${port}`);
  const client = createSqsClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
    maxAttempts: 1,
  });
  await createSqsQueue({ client, queueUrl }).hide('handle', 0);
  client.destroy();
  expect(hosts).toEqual([`127.0.0.1:${port}`]);
});
