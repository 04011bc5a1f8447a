import { systemClock } from '../adapters/system.ts';
import { flushTelemetry } from '../app/observe.ts';
import { reconcile } from '../app/reconcile.ts';
import { recover } from '../app/recover.ts';
import { createDeadLetterHandler, createWorkerHandler } from '../app/worker-handler.ts';
import type { Log, World } from '../app/world.ts';
import type { Agent } from '../core/agent.ts';
import { RetryableError } from '../core/errors.ts';
import type { PriceTable } from '../core/prices.ts';
import { createWorld } from '../create-world.ts';
import type { Model, Notifier, Telemetry } from '../ports.ts';
import { type EventSource, startEventSource } from './event-source.ts';
import { createMortalWorker } from './mortal-worker.ts';
import { repairIndex } from './repair-index.ts';
import { ensureQueues, ensureTable, localAwsClients, type Queues, startStandIns } from './stand-ins.ts';
import { type Chaos, type Endpoints, startStorm } from './storm.ts';

export const TABLE_NAME = 'treadle';
export const QUEUE_NAMES = { queue: 'treadle-steps', deadLetterQueue: 'treadle-dead-letters' } as const;

/** As the stack on AWS has them: a step may take two minutes, a message stays hidden six times as long. */
const FUNCTION_TIMEOUT_MS = 120_000;
const VISIBILITY_SECONDS = 720;
const RECONCILE_MS = 10_000;
/** Where workers are made to crash, nobody wants to wait two minutes for each. */
const CHAOS = { functionTimeoutMs: 10_000, visibilitySeconds: 15, reconcileMs: 2_000 } as const;

export interface StackOptions {
  /** Where the table is kept; in memory without it. */
  readonly dataDir?: string;
  /** The process that had the folder before was killed: its last write may be half there. */
  readonly killed?: boolean;
  /** Asked before anything runs: what it throws stops the start. */
  readonly admit?: (world: World) => Promise<void>;
  /** Servers to use in place of the stand-ins. */
  readonly sqsEndpoint?: string;
  readonly dynamodbEndpoint?: string;
  readonly agents: readonly Agent[];
  readonly model: Model;
  readonly prices?: PriceTable;
  /** What the jobs of one tenant that are admitted on one day may cost together, in micro-dollars. @default no bound */
  readonly dailyMicroUsd?: number | undefined;
  /** Who is told when jobs and batches end. @default nobody */
  readonly notifier?: Notifier;
  /** How many jobs of one tenant's batches run at once, more or less. @default 40 */
  readonly batchShare?: number;
  /** One line for each step. @default false */
  readonly logSteps?: boolean;
  /** @default nobody is told */
  readonly telemetry?: Telemetry | undefined;
  readonly log?: Log;
  /** Invocations of the worker at once, each with up to ten records. @default 4 */
  readonly maxConcurrency?: number;
  /** @default 120000 */
  readonly functionTimeoutMs?: number;
  /** What goes wrong on purpose, drawn from `random`: leases then last some seconds only. @default nothing */
  readonly chaos?: Chaos;
}

export interface Stack extends Endpoints {
  readonly world: World;
  readonly queueUrl: string;
  /** Lets what runs finish, for at most `graceMs`, then stops everything. */
  readonly close: (graceMs?: number) => Promise<void>;
}

/** The whole system on this machine: table, queue, worker, reconciler and dead-letter consumer. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const servers = await openServers(options);
  const { endpoints, clients, queues, close: closeServers } = servers;
  const world = createWorld({ ...options, ...clients, tableName: TABLE_NAME, queueUrl: queues.queueUrl });
  try {
    if (options.killed === true && options.dynamodbEndpoint === undefined) {
      await repairIndex(clients.dynamodb, TABLE_NAME);
    }
    await options.admit?.(world);
    // A table in a folder of ours is ours alone: whoever held leases in it before is dead.
    await untilAnswered(() => recover(world, options.dynamodbEndpoint === undefined));
  } catch (error) {
    await closeServers();
    throw error;
  }
  const sources = startSources(options, world, servers);
  const chaos = options.chaos !== undefined;
  const stopReconciling = every(chaos ? CHAOS.reconcileMs : RECONCILE_MS, async () => {
    await reconcile(world);
    await flushTelemetry(world);
  });
  return {
    ...endpoints,
    world,
    queueUrl: queues.queueUrl,
    close: async (graceMs = 10_000) => {
      await stopReconciling();
      await Promise.all(sources.map((source) => source.stop(graceMs)));
      await flushTelemetry(world);
      await closeServers();
    },
  };
}

interface Servers {
  readonly endpoints: Endpoints;
  readonly clients: ReturnType<typeof localAwsClients>;
  readonly queues: Queues;
  readonly close: () => Promise<void>;
}

/** The stand-ins, or the servers that were named, with table and queues in them. */
async function openServers(options: StackOptions): Promise<Servers> {
  const own = options.sqsEndpoint === undefined || options.dynamodbEndpoint === undefined;
  const standIns = own
    ? await startStandIns(options.dataDir === undefined ? {} : { dataDir: options.dataDir })
    : undefined;
  const endpoints = {
    sqsEndpoint: options.sqsEndpoint ?? standIns?.sqsEndpoint ?? '',
    dynamodbEndpoint: options.dynamodbEndpoint ?? standIns?.dynamodbEndpoint ?? '',
  };
  const calm = localAwsClients(endpoints);
  await ensureTable(calm.dynamodb, TABLE_NAME);
  const queues = await ensureQueues(calm.sqs, {
    names: QUEUE_NAMES,
    visibilityTimeoutSeconds: VISIBILITY_SECONDS,
  });
  const storm = options.chaos && (await startStorm(endpoints, options.chaos));
  const clients = storm === undefined ? calm : localAwsClients(storm.endpoints);
  return {
    endpoints,
    clients,
    queues,
    close: async () => {
      for (const { sqs, dynamodb } of new Set([calm, clients])) {
        sqs.destroy();
        dynamodb.destroy();
      }
      await storm?.close();
      await standIns?.close();
    },
  };
}

function startSources(options: StackOptions, world: World, { clients, queues }: Servers): EventSource[] {
  const { chaos, maxConcurrency = 4 } = options;
  const common = {
    client: clients.sqs,
    functionTimeoutMs: options.functionTimeoutMs ?? (chaos ? CHAOS.functionTimeoutMs : FUNCTION_TIMEOUT_MS),
    visibilityTimeoutSeconds: chaos ? CHAOS.visibilitySeconds : VISIBILITY_SECONDS,
  };
  return [
    startEventSource({
      ...common,
      queueUrl: queues.queueUrl,
      queueArn: queues.arns.queue,
      handler: chaos
        ? createMortalWorker(world, chaos.switches.crash, chaos.random)
        : createWorkerHandler(world),
      maxConcurrency,
      ...(maxConcurrency > 4 ? { pollers: 4 } : {}),
    }),
    startEventSource({
      ...common,
      queueUrl: queues.deadLetterQueueUrl,
      queueArn: queues.arns.deadLetterQueue,
      handler: createDeadLetterHandler(world),
      functionName: 'dead-letter',
      maxConcurrency: 1,
      pollers: 1,
    }),
  ];
}

const MAX_STARTS = 10;

/** Does work of the start again that was refused for the moment: nobody else would. */
async function untilAnswered(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof RetryableError) || tries === MAX_STARTS) throw error;
      await systemClock.sleep(100 * tries);
    }
  }
}

/** Runs `work` again and again, never twice at once; a failure waits for the next time. */
function every(ms: number, work: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    running = work()
      .catch(() => undefined)
      .finally(() => {
        busy = false;
      });
  }, ms);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
