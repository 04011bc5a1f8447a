import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { createClaude } from '../../src/adapters/claude.ts';
import type { Model, ModelRequest } from '../../src/ports.ts';

/** One call of the real run, in its place within a step. */
export type Call =
  | { readonly to: 'table'; readonly name: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly to: 'model'; readonly request: ModelRequest };

export function bytesOf(call: Call): number {
  return Buffer.byteLength(JSON.stringify(call.to === 'table' ? call.input : call.request));
}

/** Records what a worker asks of the table and the model, step by step. */
export function recorder(client: DynamoDBClient): {
  readonly steps: Call[][];
  readonly next: () => void;
  readonly model: (model: Model) => Model;
} {
  const steps: Call[][] = [];
  client.middlewareStack.add(
    (next, context) => (args) => {
      const name = String(context.commandName);
      steps.at(-1)?.push({ to: 'table', name, input: args.input as Readonly<Record<string, unknown>> });
      return next(args);
    },
    { step: 'initialize', name: 'record' },
  );
  return {
    steps,
    next: () => void steps.push([]),
    model: (model) => ({
      ask: (request, signal) => {
        steps.at(-1)?.push({ to: 'model', request });
        return model.ask(request, signal);
      },
    }),
  };
}

/** Makes a recorded call again, its condition with it, for another job and table: no logic, only the call. */
export async function replay(
  call: Call,
  jobId: string,
  tableName: string,
  client: DynamoDBClient,
  model: ReturnType<typeof createClaude>,
): Promise<void> {
  if (call.to === 'model') {
    await model.ask({ ...call.request, conversation: jobId }, new AbortController().signal);
    return;
  }
  const pk = { S: `JOB#${jobId}` };
  const { input } = call;
  const same = { ...input, TableName: tableName };
  const key = input['Key'] as Readonly<Record<string, unknown>> | undefined;
  const item = input['Item'] as Readonly<Record<string, unknown>> | undefined;
  switch (call.name) {
    case 'GetItemCommand':
      await client.send(new GetItemCommand({ ...same, Key: { ...key, pk } } as never));
      return;
    case 'PutItemCommand':
      // The agent is stored once for all jobs, and is none of the calls of one.
      if (isOfJob(item)) await client.send(new PutItemCommand({ ...same, Item: { ...item, pk } } as never));
      return;
    case 'UpdateItemCommand':
      await client.send(new UpdateItemCommand({ ...same, Key: { ...key, pk } } as never));
      return;
    case 'QueryCommand': {
      const values = input['ExpressionAttributeValues'] as Readonly<Record<string, unknown>>;
      await client.send(
        new QueryCommand({ ...same, ExpressionAttributeValues: { ...values, ':pk': pk } } as never),
      );
      return;
    }
    // The switches of the tenant and of everything, the same for all jobs.
    case 'BatchGetItemCommand': {
      const [tables] = Object.values(input['RequestItems'] as Readonly<Record<string, unknown>>);
      await client.send(new BatchGetItemCommand({ RequestItems: { [tableName]: tables as never } }));
      return;
    }
    default:
      throw new Error(`a ${call.name} is not part of a step`);
  }
}

function isOfJob(item: Readonly<Record<string, unknown>> | undefined): boolean {
  return (item?.['pk'] as { S?: string } | undefined)?.S?.startsWith('JOB#') === true;
}
