import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EventSource, startEventSource } from '../../src/local/event-source.ts';
import { listen, readBody } from '../../src/local/local-server.ts';
import { ensureQueues, ensureTable, localAwsClients, startStandIns } from '../../src/local/stand-ins.ts';
import { eventOf, roleOf, sessionOf } from '../api/senders.ts';
import { fuzz, projectFile, startModel } from './processes.ts';

/** The functions as `npm run build` makes them, between stand-ins: nothing here is loaded from sources but what AWS would be. */

const built = (name: string): string => projectFile(`dist/functions/${name}/index.mjs`);
const closers: (() => Promise<unknown>)[] = [];
let gateway: string;

type Handler = (event: object, context?: object) => Promise<never>;
const handlerOf = async (name: string): Promise<Handler> =>
  ((await import(pathToFileURL(built(name)).href)) as { readonly handler: Handler }).handler;

/** What API Gateway does: each request becomes an event, signed by the role of its tenant. */
function createGateway(api: Handler): Server {
  const serve = async (request: IncomingMessage) => {
    const bytes = (await readBody(request)) ?? Buffer.alloc(0);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(',')]),
    );
    const { 'x-treadle-tenant': tenant = 'default', ...rest } = headers;
    const asked = { method: request.method ?? 'GET', path: request.url ?? '/', headers: rest };
    const body = bytes.length === 0 ? {} : { bytes };
    return (await api(eventOf({ ...asked, ...body }, { iam: { userArn: sessionOf(tenant) } }))) as {
      readonly statusCode: number;
      readonly headers: Record<string, string>;
      readonly body: string;
    };
  };
  return createServer((request, response) => {
    serve(request).then(
      ({ statusCode, headers, body }) => response.writeHead(statusCode, headers).end(body),
      () => response.writeHead(500).end(),
    );
  });
}

beforeAll(async () => {
  expect(existsSync(built('api')), 'run `npm run build` first').toBe(true);
  const standIns = await startStandIns();
  const model = await startModel();
  const clients = localAwsClients(standIns);
  await ensureTable(clients.dynamodb, 'built-table');
  const names = { queue: 'built-steps', deadLetterQueue: 'built-dead' };
  const queues = await ensureQueues(clients.sqs, { names, visibilityTimeoutSeconds: 180 });
  Object.assign(process.env, {
    ...{ TABLE_NAME: 'built-table', QUEUE_URL: queues.queueUrl, AWS_REGION: 'us-east-1' },
    ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
    ...{ AWS_ENDPOINT_URL_SQS: standIns.sqsEndpoint, AWS_ENDPOINT_URL_DYNAMODB: standIns.dynamodbEndpoint },
    ...{ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'placeholder' },
    TENANT_ROLES: JSON.stringify({ [roleOf('default')]: 'default', [roleOf('a')]: 'a' }),
    CONTROL_ROLES: JSON.stringify([roleOf('default'), roleOf('a')]),
  });
  const common = { client: clients.sqs, functionTimeoutMs: 120_000, visibilityTimeoutSeconds: 180 };
  const sources: EventSource[] = [
    startEventSource({
      ...{ ...common, queueUrl: queues.queueUrl, queueArn: queues.arns.queue, maxConcurrency: 8 },
      handler: await handlerOf('worker'),
    }),
    startEventSource({
      ...{ ...common, queueUrl: queues.deadLetterQueueUrl, queueArn: queues.arns.deadLetterQueue },
      ...{ handler: await handlerOf('dead-letter'), maxConcurrency: 1, pollers: 1 },
    }),
  ];
  const reconciler = await handlerOf('reconciler');
  const minutely = setInterval(() => void reconciler({}).catch(() => undefined), 2_000);
  const server = createGateway(await handlerOf('api'));
  gateway = `http://127.0.0.1:${await listen(server)}`;
  closers.push(
    async () => clearInterval(minutely),
    async () => server.close(),
    ...sources.map((source) => () => source.stop(1_000)),
    () => model.stop(),
    () => standIns.close(),
  );
});
afterAll(async () => {
  for (const close of closers) await close();
});

it('run jobs that come in as events of API Gateway, and answer whatever is sent, never with a fault of their own', async () => {
  const asked = { method: 'POST', body: JSON.stringify({ agent: 'triage', input: 'Where is my parcel?' }) };
  const headers = { 'content-type': 'application/json' };
  const submitted = await fetch(`${gateway}/jobs`, { ...asked, headers });
  expect(submitted.status).toBe(202);
  const { id } = (await submitted.json()) as { readonly id: string };
  let job = { status: 'queued' };
  for (let looks = 0; looks < 300 && !['succeeded', 'failed', 'stopped'].includes(job.status); looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    job = (await (await fetch(`${gateway}/jobs/${id}`)).json()) as { readonly status: string };
  }
  expect(job.status).toBe('succeeded');
  const stranger = await fetch(`${gateway}/jobs/${id}`, { headers: { 'x-treadle-tenant': 'a' } });
  expect(stranger.status).toBe(404);
  expect((await fetch(`${gateway}/jobs/${id}`, { headers: { 'x-treadle-tenant': 'b' } })).status).toBe(403);
  const { code, text } = await fuzz(gateway, 1_000);
  expect({ code, text: code === 0 ? '' : text.slice(-2_000) }).toEqual({ code: 0, text: '' });
});
