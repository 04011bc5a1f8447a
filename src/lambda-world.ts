import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createSqsClient } from './adapters/sqs.ts';
import type { World } from './app/world.ts';
import { TerminalError } from './core/errors.ts';
import { microUsd } from './core/job.ts';
import { createWorld, type WorldParts } from './create-world.ts';
import { notifierFrom } from './notifier.ts';
import type { Model } from './ports.ts';
import { readSettings, storeSettings } from './settings.ts';

/** For functions that never ask a model. */
export const noModel: Model = {
  ask: async () => {
    throw new TerminalError('no_model', 'this function does not ask a model');
  },
};

/** The world of a deployed function: AWS clients from the environment, everything else as given. */
export function createLambdaWorld(
  parts: Pick<WorldParts, 'model' | 'agents' | 'prices'>,
  environment: Readonly<Record<string, string | undefined>>,
): World {
  const settings = readSettings(storeSettings, environment);
  return createWorld({
    ...parts,
    dynamodb: new DynamoDBClient({ maxAttempts: 3 }),
    sqs: createSqsClient(),
    tableName: settings.TABLE_NAME,
    queueUrl: settings.QUEUE_URL,
    notifier: notifierFrom(settings),
    retentionDays: settings.RETENTION_DAYS,
    dailyMicroUsd: settings.TENANT_DAILY_USD === undefined ? undefined : microUsd(settings.TENANT_DAILY_USD),
  });
}
