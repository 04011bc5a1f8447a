import { type EventSource, startEventSource } from '../../../src/local/event-source.ts';
import {
  ensureQueues,
  ensureTable,
  localAwsClients,
  type Queues,
  startStandIns,
} from '../../../src/local/stand-ins.ts';
import { type ApiReply, type ApiRequest, eventOf, sessionOf } from '../../api/senders.ts';
import { type DeployedFunction, deploy } from './function.ts';
import { detectRecursion, type RecursiveLoop, type SourceOfEvents, startTracingQueue } from './lineage.ts';

export type FunctionName = 'worker' | 'api' | 'reconciler' | 'dead-letter';

export interface AccountSettings {
  readonly archiveOf: (name: FunctionName) => Buffer;
  /** What the worker reaches its model by. */
  readonly model: Readonly<Record<string, string>>;
  readonly recursiveLoop: RecursiveLoop;
  /** What every function is told beside what it needs. @default nothing */
  readonly environment?: Readonly<Record<string, string>>;
  /** Invocations of the worker at once. @default 1 */
  readonly maxConcurrency?: number;
  /** Whether overdue jobs are looked at, every two seconds. @default true */
  readonly reconciled?: boolean;
}

/** All four functions as they are deployed, between stand-ins for the services of AWS. */
export interface Account {
  readonly send: (request: ApiRequest) => Promise<ApiReply>;
  readonly worker: DeployedFunction;
  readonly functions: Readonly<Record<FunctionName, DeployedFunction>>;
  readonly source: SourceOfEvents;
  /** Bodies of the messages that the step queue gave up. */
  readonly deadLetters: readonly string[];
  readonly close: () => Promise<void>;
}

const FUNCTION_MS = 20_000;
const VISIBILITY_SECONDS = 21;
/** A refused invocation leaves its message hidden: where loops are to be stopped, nobody wants to wait long for that. */
const SHORT = { functionMs: 5_000, visibilitySeconds: 5 } as const;

export async function openAccount(settings: AccountSettings): Promise<Account> {
  const standIns = await startStandIns();
  const tracing = await startTracingQueue(standIns.sqsEndpoint);
  const clients = localAwsClients({ ...standIns, sqsEndpoint: tracing.endpoint });
  await ensureTable(clients.dynamodb, 'table');
  const stops = settings.recursiveLoop === 'Terminate';
  const timing = stops ? SHORT : { functionMs: FUNCTION_MS, visibilitySeconds: VISIBILITY_SECONDS };
  const queues = await ensureQueues(clients.sqs, {
    ...{ names: { queue: 'steps', deadLetterQueue: 'dead' } },
    ...{ visibilityTimeoutSeconds: timing.visibilitySeconds, maxReceiveCount: stops ? 2 : 5 },
  });
  const common = {
    ...{ TABLE_NAME: 'table', QUEUE_URL: queues.queueUrl, AWS_ENDPOINT_URL_SQS: tracing.endpoint },
    AWS_ENDPOINT_URL_DYNAMODB: standIns.dynamodbEndpoint,
    ...settings.environment,
  };
  const deployed = (name: FunctionName, environment = {}) =>
    deploy(settings.archiveOf(name), {
      ...{ name, handler: 'index.handler', memoryMb: 256, timeoutMs: timing.functionMs },
      environment: { ...common, ...environment },
    });
  const worker = deployed('worker', settings.model);
  const functions = {
    ...{ worker, api: deployed('api'), reconciler: deployed('reconciler') },
    'dead-letter': deployed('dead-letter'),
  };
  const source = detectRecursion(worker, settings.recursiveLoop);
  const deadLetters: string[] = [];
  const dead = functions['dead-letter'];
  const sources = startSources({ settings, clients, queues, timing, source, dead, deadLetters });
  const minutely = setInterval(() => {
    if (settings.reconciled ?? true) functions.reconciler.invoke({}).catch(() => undefined);
  }, 2_000);
  return {
    ...{ functions, worker, source, deadLetters },
    send: async (request) => replyOf(await functions.api.invoke(gatewayEvent(request))),
    close: async () => {
      clearInterval(minutely);
      await Promise.all(sources.map((one) => one.stop(1_000)));
      for (const one of Object.values(functions)) one.close();
      tracing.close();
      await standIns.close();
    },
  };
}

interface SourceParts {
  readonly settings: AccountSettings;
  readonly clients: ReturnType<typeof localAwsClients>;
  readonly queues: Queues;
  readonly timing: { readonly functionMs: number; readonly visibilitySeconds: number };
  readonly source: SourceOfEvents;
  readonly dead: DeployedFunction;
  readonly deadLetters: string[];
}

function startSources(parts: SourceParts): readonly EventSource[] {
  const { settings, clients, queues, timing, source, dead, deadLetters } = parts;
  const both = {
    client: clients.sqs,
    functionTimeoutMs: timing.functionMs,
    visibilityTimeoutSeconds: timing.visibilitySeconds,
  };
  return [
    startEventSource({
      ...{ ...both, queueUrl: queues.queueUrl, queueArn: queues.arns.queue, handler: source.handler },
      maxConcurrency: settings.maxConcurrency ?? 1,
    }),
    startEventSource({
      ...{ ...both, queueUrl: queues.deadLetterQueueUrl, queueArn: queues.arns.deadLetterQueue },
      ...{ maxConcurrency: 1, pollers: 1 },
      handler: async (event) => {
        deadLetters.push(...event.Records.map(({ body }) => body));
        return dead.invoke(event);
      },
    }),
  ];
}

/** A whole event of an HTTP API, payload format 2.0, with IAM as its authorizer. */
function gatewayEvent(request: ApiRequest): object {
  const event = eventOf(request, { iam: { userArn: sessionOf('default'), accountId: '123456789012' } });
  return {
    ...{ version: '2.0', routeKey: '$default', ...event },
    requestContext: {
      ...{ accountId: '123456789012', apiId: 'api', domainName: 'api.execute-api.us-east-1.amazonaws.com' },
      ...{ requestId: 'id=', routeKey: '$default', stage: '$default', timeEpoch: Date.now() },
      ...event.requestContext,
    },
  };
}

function replyOf(answer: unknown): ApiReply {
  const { statusCode, headers, body } = answer as {
    readonly statusCode: number;
    readonly headers: Record<string, string>;
    readonly body: string;
  };
  const isJson = /[/+]json$/.test(headers['content-type'] ?? '');
  return { status: statusCode, headers, text: body, json: isJson ? JSON.parse(body) : {} };
}
