import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { FunctionName } from '../src/bundle.ts';
import type { IndexName } from '../src/core/table.ts';
import type { StepQueues } from './queues.ts';

/** What a function does with the table, its indexes and the step queue. */
interface Uses {
  readonly table: readonly string[];
  readonly indexes: readonly IndexName[];
  readonly steps: readonly string[];
}

/** What the code calls, and no more: a test derives the same from the code itself. */
export const uses: Readonly<Record<FunctionName, Uses>> = {
  worker: {
    table: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'BatchWriteItem', 'Query'],
    indexes: ['open'],
    steps: ['SendMessage', 'ChangeMessageVisibility'],
  },
  api: {
    table: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'BatchWriteItem', 'Query'],
    indexes: ['list', 'open', 'due'],
    steps: ['SendMessage'],
  },
  reconciler: {
    table: ['GetItem', 'BatchGetItem', 'PutItem', 'BatchWriteItem', 'Query'],
    indexes: ['open', 'due'],
    steps: ['SendMessage'],
  },
  'dead-letter': { table: ['GetItem', 'PutItem'], indexes: [], steps: [] },
};

/** What Lambda does for a function that a queue feeds. */
const consumes = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/** The statements of a function's role for the table and the queues. */
export function storeStatements(name: FunctionName, table: Table, queues: StepQueues): PolicyStatement[] {
  const { table: actions, indexes, steps } = uses[name];
  const source = {
    worker: queues.steps,
    'dead-letter': queues.deadLetters,
    api: undefined,
    reconciler: undefined,
  };
  const feeding = source[name];
  return [
    allow(
      actions.map((action) => `dynamodb:${action}`),
      [table.tableArn],
    ),
    allow(
      ['dynamodb:Query'],
      indexes.map((index) => `${table.tableArn}/index/${index}`),
    ),
    allow(
      steps.map((action) => `sqs:${action}`),
      [queues.steps.queueArn],
    ),
    allow(consumes, feeding === undefined ? [] : [feeding.queueArn]),
  ].flat();
}

/** None where there is nothing to allow, or nothing to allow it on. */
export function allow(actions: readonly string[], resources: readonly string[]): PolicyStatement[] {
  if (actions.length === 0 || resources.length === 0) return [];
  return [new PolicyStatement({ actions: [...actions], resources: [...resources] })];
}

/** To read a secret's value and nothing else of it; its key, where it has one of its own, allows the same. */
export function readStatements(secret: ISecret, reader: IGrantable): PolicyStatement[] {
  secret.encryptionKey?.grantDecrypt(reader);
  return allow(['secretsmanager:GetSecretValue'], [secret.secretFullArn ?? `${secret.secretArn}-??????`]);
}
