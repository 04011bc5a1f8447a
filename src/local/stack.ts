import { reconcile } from '../app/reconcile.ts';
import { recover } from '../app/recover.ts';
import { createDeadLetterHandler, createWorkerHandler } from '../app/worker-handler.ts';
import type { Log, World } from '../app/world.ts';
import type { Agent } from '../core/agent.ts';
import type { PriceTable } from '../core/prices.ts';
import { createWorld } from '../create-world.ts';
import type { Model } from '../ports.ts';
import { type EventSource, startEventSource } from './event-source.ts';
import { repairIndex } from './repair-index.ts';
import { ensureQueues, ensureTable, localAwsClients, startStandIns } from './stand-ins.ts';

export const TABLE_NAME = 'treadle';
export const QUEUE_NAMES = { queue: 'treadle-steps', deadLetterQueue: 'treadle-dead-letters' } as const;

/** As the stack on AWS has them: a step may take two minutes, a message stays hidden six times as long. */
const FUNCTION_TIMEOUT_MS = 120_000;
const VISIBILITY_SECONDS = 720;
const RECONCILE_MS = 10_000;

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
  /** How many jobs of one tenant's batches run at once, more or less. @default 40 */
  readonly batchShare?: number;
  readonly log?: Log;
  /** Invocations of the worker at once, each with up to ten records. @default 4 */
  readonly maxConcurrency?: number;
  /** @default 120000 */
  readonly functionTimeoutMs?: number;
}

export interface Stack {
  readonly world: World;
  readonly sqsEndpoint: string;
  readonly dynamodbEndpoint: string;
  readonly queueUrl: string;
  /** Lets what runs finish, for at most `graceMs`, then stops everything. */
  readonly close: (graceMs?: number) => Promise<void>;
}

/** The whole system on this machine: table, queue, worker, reconciler and dead-letter consumer. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const own = options.sqsEndpoint === undefined || options.dynamodbEndpoint === undefined;
  const standIns = own
    ? await startStandIns(options.dataDir === undefined ? {} : { dataDir: options.dataDir })
    : undefined;
  const endpoints = {
    sqsEndpoint: options.sqsEndpoint ?? standIns?.sqsEndpoint ?? '',
    dynamodbEndpoint: options.dynamodbEndpoint ?? standIns?.dynamodbEndpoint ?? '',
  };
  const clients = localAwsClients(endpoints);
  await ensureTable(clients.dynamodb, TABLE_NAME);
  const queues = await ensureQueues(clients.sqs, {
    names: QUEUE_NAMES,
    visibilityTimeoutSeconds: VISIBILITY_SECONDS,
  });
  const world = createWorld({ ...options, ...clients, tableName: TABLE_NAME, queueUrl: queues.queueUrl });
  try {
    if (options.killed === true && options.dynamodbEndpoint === undefined) {
      await repairIndex(clients.dynamodb, TABLE_NAME);
    }
    await options.admit?.(world);
  } catch (error) {
    await standIns?.close();
    throw error;
  }
  // A table in a folder of ours is ours alone: whoever held leases in it before is dead.
  await recover(world, options.dynamodbEndpoint === undefined);
  const functionTimeoutMs = options.functionTimeoutMs ?? FUNCTION_TIMEOUT_MS;
  const common = { client: clients.sqs, functionTimeoutMs, visibilityTimeoutSeconds: VISIBILITY_SECONDS };
  const sources: readonly EventSource[] = [
    startEventSource({
      ...common,
      queueUrl: queues.queueUrl,
      queueArn: queues.arns.queue,
      handler: createWorkerHandler(world),
      maxConcurrency: options.maxConcurrency ?? 4,
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
  const stopReconciling = every(RECONCILE_MS, () => reconcile(world));
  return {
    ...endpoints,
    world,
    queueUrl: queues.queueUrl,
    close: async (graceMs = 10_000) => {
      await stopReconciling();
      await Promise.all(sources.map((source) => source.stop(graceMs)));
      clients.sqs.destroy();
      clients.dynamodb.destroy();
      await standIns?.close();
    },
  };
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
