import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createSqsClient } from './adapters/sqs.ts';
import { logLine } from './adapters/system.ts';
import type { World } from './app/world.ts';
import { TerminalError } from './core/errors.ts';
import { microUsd } from './core/job.ts';
import { createWorld, type WorldParts } from './create-world.ts';
import { notifierFrom } from './notifier.ts';
import type { Model } from './ports.ts';
import { readSettings, storeSettings } from './settings.ts';
import type { TelemetryFrom } from './telemetry/telemetry.ts';

/** For functions that never ask a model. */
export const noModel: Model = {
  ask: async () => {
    throw new TerminalError('no_model', 'this function does not ask a model');
  },
};

/** What a function adds to its settings. */
export interface LambdaParts extends Pick<WorldParts, 'model' | 'agents' | 'prices'> {
  /** Whether and how it tells of jobs. @default it ends none */
  readonly telemetryFrom?: TelemetryFrom;
}

/** The world of a deployed function: AWS clients from the environment, everything else as given. */
export function createLambdaWorld(
  { telemetryFrom, ...parts }: LambdaParts,
  environment: Readonly<Record<string, string | undefined>>,
): World {
  const settings = readSettings(storeSettings, environment);
  return createWorld({
    ...parts,
    telemetry: telemetryFrom?.({ environment, log: logLine }),
    logSteps: true,
    dynamodb: new DynamoDBClient({ maxAttempts: 3 }),
    sqs: createSqsClient(),
    tableName: settings.TABLE_NAME,
    queueUrl: settings.QUEUE_URL,
    notifier: notifierFrom(settings),
    retentionDays: settings.RETENTION_DAYS,
    dailyMicroUsd: settings.TENANT_DAILY_USD === undefined ? undefined : microUsd(settings.TENANT_DAILY_USD),
  });
}
