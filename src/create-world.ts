import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoTable } from './adapters/dynamodb.ts';
import { createSqsQueue } from './adapters/sqs.ts';
import { logLine, systemClock, systemIds } from './adapters/system.ts';
import { privateLog } from './app/private-log.ts';
import { createStore } from './app/table-store.ts';
import { createWarmTranscripts } from './app/transcript.ts';
import { type Log, tellsNobody, type World } from './app/world.ts';
import type { Agent } from './core/agent.ts';
import { builtInPrices, type PriceTable } from './core/prices.ts';
import type { Model, Notifier, Telemetry } from './ports.ts';

export interface WorldParts {
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
  readonly tableName: string;
  readonly queueUrl: string;
  readonly model: Model;
  readonly agents: readonly Agent[];
  /** Who is told when jobs and batches end. @default nobody */
  readonly notifier?: Notifier;
  /** @default the built-in table */
  readonly prices?: PriceTable;
  /** What the jobs of one tenant that are admitted on one day may cost together, in micro-dollars. @default no bound */
  readonly dailyMicroUsd?: number | undefined;
  /** How long an ended job or batch is kept. @default 90 */
  readonly retentionDays?: number;
  /** How many jobs of one tenant's batches run at once, more or less. @default 40 */
  readonly batchShare?: number;
  /** One line for each step. @default false */
  readonly logSteps?: boolean;
  /** @default nobody is told */
  readonly telemetry?: Telemetry | undefined;
  /** What it gets is without cards, IBANs, keys and e-mail addresses. @default structured lines on stderr */
  readonly log?: Log;
}

const DAY_MS = 86_400_000;

/** The use cases' world on DynamoDB and SQS, whichever server answers for them. */
export function createWorld(parts: WorldParts): World {
  const { retentionDays = 90 } = parts;
  return {
    store: createStore(createDynamoTable({ client: parts.dynamodb, tableName: parts.tableName }), {
      now: systemClock.now,
      retentionDays,
    }),
    retentionMs: retentionDays * DAY_MS,
    queue: createSqsQueue({ client: parts.sqs, queueUrl: parts.queueUrl }),
    model: parts.model,
    notifier: parts.notifier ?? tellsNobody,
    clock: systemClock,
    ids: systemIds,
    agents: new Map(parts.agents.map((agent) => [agent.name, agent])),
    prices: parts.prices ?? builtInPrices,
    warm: createWarmTranscripts(),
    frozen: new Map(),
    chunks: new Map(),
    stops: new Map(),
    dailyMicroUsd: parts.dailyMicroUsd,
    admitting: new Map(),
    ...(parts.batchShare === undefined ? {} : { batchShare: parts.batchShare }),
    logSteps: parts.logSteps === true,
    ...(parts.telemetry === undefined ? {} : { telemetry: parts.telemetry }),
    log: privateLog(parts.log ?? logLine),
  };
}
