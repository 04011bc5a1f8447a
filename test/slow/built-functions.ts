import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { pathToFileURL } from 'node:url';
import { type EventSource, startEventSource } from '../../src/local/event-source.ts';
import { listen, readBody } from '../../src/local/local-server.ts';
import { ensureQueues, ensureTable, localAwsClients, startStandIns } from '../../src/local/stand-ins.ts';
import { eventOf, roleOf, sessionOf } from '../api/senders.ts';
import { projectFile } from './processes.ts';

const built = (name: string): string => projectFile(`dist/functions/${name}/index.mjs`);

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

export interface BuiltOptions {
  readonly modelUrl: string;
  /** Each has a role of its own; the roles of all others belong to no tenant. */
  readonly tenants: readonly string[];
  /** @default none */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Built {
  /** Of the gateway. */
  readonly url: string;
  readonly sqs: string;
  readonly close: () => Promise<void>;
}

export const builtQueues = { queue: 'built-steps', deadLetterQueue: 'built-dead' } as const;

/**
 * The functions as `npm run build` makes them, between stand-ins: nothing here is loaded from sources but what AWS would
 * be. They read the environment of this very process, so that one process can have them once.
 */
export async function startBuilt({ modelUrl, tenants, environment = {} }: BuiltOptions): Promise<Built> {
  if (!existsSync(built('api'))) throw new Error('run `npm run build` first');
  const standIns = await startStandIns();
  const clients = localAwsClients(standIns);
  await ensureTable(clients.dynamodb, 'built-table');
  const queues = await ensureQueues(clients.sqs, { names: builtQueues, visibilityTimeoutSeconds: 180 });
  Object.assign(process.env, {
    ...{ TABLE_NAME: 'built-table', QUEUE_URL: queues.queueUrl, AWS_REGION: 'us-east-1' },
    ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
    ...{ AWS_ENDPOINT_URL_SQS: standIns.sqsEndpoint, AWS_ENDPOINT_URL_DYNAMODB: standIns.dynamodbEndpoint },
    ...{ ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: 'placeholder' },
    TENANT_ROLES: JSON.stringify(Object.fromEntries(tenants.map((tenant) => [roleOf(tenant), tenant]))),
    CONTROL_ROLES: JSON.stringify(tenants.map(roleOf)),
    ...environment,
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
  const gateway = createGateway(await handlerOf('api'));
  return {
    url: `http://127.0.0.1:${await listen(gateway)}`,
    sqs: standIns.sqsEndpoint,
    close: async () => {
      clearInterval(minutely);
      gateway.close();
      await Promise.all(sources.map((source) => source.stop(1_000)));
      await standIns.close();
    },
  };
}
