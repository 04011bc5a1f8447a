import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { buildSync } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDynamoTable } from '../../src/adapters/dynamodb.ts';
import { createEventBridge } from '../../src/adapters/event-bridge.ts';
import { createSecret } from '../../src/adapters/secrets.ts';
import { createSqsQueue } from '../../src/adapters/sqs.ts';
import { type FunctionName, functionNames } from '../../src/bundle.ts';
import { nameOf, type RecordedCalls, recordCalls } from './recorded-calls.ts';
import { at, everything, type Synthesised, synthesise } from './synthesised.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Which action allows which command of the SDK; DynamoDB's and the others' are called alike. */
const actionOf: Readonly<Record<string, string>> = {
  GetItemCommand: 'dynamodb:GetItem',
  BatchGetItemCommand: 'dynamodb:BatchGetItem',
  PutItemCommand: 'dynamodb:PutItem',
  UpdateItemCommand: 'dynamodb:UpdateItem',
  BatchWriteItemCommand: 'dynamodb:BatchWriteItem',
  QueryCommand: 'dynamodb:Query',
  SendMessageCommand: 'sqs:SendMessage',
  ChangeMessageVisibilityCommand: 'sqs:ChangeMessageVisibility',
  GetSecretValueCommand: 'secretsmanager:GetSecretValue',
  PutEventsCommand: 'events:PutEvents',
};

/** A client that notes the commands it is given, and answers nothing. */
function noting(): { readonly client: { readonly send: unknown }; readonly commands: string[] } {
  const commands: string[] = [];
  const send = async (command: object): Promise<object> => {
    commands.push(command.constructor.name);
    return {};
  };
  return { client: { send }, commands };
}

type Call = () => Promise<unknown>;

/** The commands that each call of a port makes, by really making it. */
async function commandsOf(calls: Readonly<Record<string, Call>>, commands: string[]): Promise<Commands> {
  const found = new Map<string, readonly string[]>();
  for (const [name, call] of Object.entries(calls)) {
    commands.length = 0;
    await call().catch(() => undefined);
    found.set(name, [...new Set(commands)]);
  }
  return found;
}

type Commands = ReadonlyMap<string, readonly string[]>;

async function portCommands(): Promise<Commands> {
  const { client, commands } = noting();
  const table = createDynamoTable({ client: client as DynamoDBClient, tableName: 't' });
  const queue = createSqsQueue({ client: client as SQSClient, queueUrl: 'q' });
  const bus = createEventBridge({ client: client as EventBridgeClient, busName: 'b' });
  const secret = createSecret({ client: client as SecretsManagerClient, arn: 'a', now: () => 0 });
  const key = { pk: 'p', sk: 's' };
  const options = { delaySeconds: 0, group: 'g' };
  const notice = { id: 'n', type: 'job.ended', tenant: 't', atMs: 0, data: {} } as const;
  const calls: Readonly<Record<string, Call>> = {
    get: () => table.get(key),
    getMany: () => table.getMany([key]),
    put: () => table.put(key),
    putMany: () => table.putMany([key]),
    update: () => table.update(key, { a: 1 }),
    query: () => table.query('p', '', '~', true),
    removeMany: () => table.removeMany([key]),
    ...Object.fromEntries(
      (['due', 'list', 'open'] as const).map((index) => [
        nameOf('listIndex', index),
        () => table.listIndex(index, 'p', { limit: 1 }),
      ]),
    ),
    send: () => queue.send({ v: 1, jobId: 'j', turn: 1 }, options),
    sendBody: () => queue.sendBody('', options),
    hide: () => queue.hide('r', 1),
    publish: () => bus.publish(notice),
    secret: () => secret.read(),
  };
  return commandsOf(calls, commands);
}

/** What can be reached from a function's handler: the bundler leaves out all other code. */
function reachable(name: FunctionName): {
  readonly store: readonly string[];
  readonly others: readonly string[];
} {
  const built = buildSync({
    ...{ absWorkingDir: root, entryPoints: [`functions/${name}.ts`], write: false },
    ...{ bundle: true, format: 'esm', platform: 'node', packages: 'external', treeShaking: true },
  });
  const text = built.outputFiles[0]?.text ?? '';
  const named = (pattern: RegExp): readonly string[] => [
    ...new Set([...text.matchAll(pattern)].map(([, method = '', first]) => nameOf(method, first))),
  ];
  return {
    store: named(/\bstore\.(?!ts\b)(\w+)(?:\("(\w+)")?/g),
    others: named(
      /\b(?:queue|events|webhook|model|telemetry)\??\.(send|sendBody|hide|publish|post|ask|flush)\b/g,
    ),
  };
}

/** Where an action of a service is made, in the words of the test. */
const placeOf = (call: string, action: string): string => {
  if (call.startsWith('listIndex ')) return call.replace('listIndex ', 'index ');
  return { dynamodb: 'table', sqs: 'steps', events: 'bus' }[action.split(':')[0] ?? ''] ?? 'secret';
};

function needed(name: FunctionName, recorded: RecordedCalls, commands: Commands): readonly string[] {
  const { store, others } = reachable(name);
  const ofTable = store.flatMap((method) => [...(recorded.methods.get(method) ?? [])]);
  const asked = [...ofTable, ...others.filter((call) => commands.has(call))].flatMap((call) =>
    (commands.get(call) ?? []).map((command) => {
      const action = actionOf[command] ?? `no action for ${command}`;
      return `${action} ${placeOf(call, action)}`;
    }),
  );
  const reads = (call: string, place: string): readonly string[] =>
    others.includes(call) ? [`secretsmanager:GetSecretValue ${place}`] : [];
  const secrets = { post: 'webhook secret', ask: 'model secret', flush: 'telemetry secret' };
  return [
    ...new Set([...asked, ...Object.entries(secrets).flatMap(([call, place]) => reads(call, place))]),
  ].sort();
}

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

/** What a role is allowed, without what Lambda itself needs to log and to feed the function. */
function granted({ all, resources }: Synthesised, within: string): readonly string[] {
  const policies = all('IAM::Policy').filter(([id]) => id.startsWith(`Agents${within}Role`));
  const statements = policies.flatMap(([, policy]) =>
    at<readonly Statement[]>(policy, 'PolicyDocument.Statement'),
  );
  return statements
    .flatMap(({ Action, Resource }) =>
      [Action].flat().flatMap((action) => [Resource].flat().map((on) => `${action} ${named(resources, on)}`)),
    )
    .filter((one) => !/^logs:|^sqs:(ReceiveMessage|DeleteMessage|GetQueueAttributes) /.test(one))
    .sort();
}

/** The words for a resource, by the logical id that its ARN is made of. */
function named(resources: Synthesised['resources'], arn: unknown): string {
  const text = JSON.stringify(arn);
  const index = /"\/index\/(\w+)"/.exec(text)?.[1];
  if (index !== undefined) return `index ${index}`;
  const id = Object.keys(resources).find((one) => text.includes(`"${one}"`)) ?? text;
  const words: Readonly<Record<string, string>> = {
    AgentsTable: 'table',
    AgentsSteps: 'steps',
    AgentsDeadLetters: 'dead letters',
    AgentsModelKey: 'model secret',
    Hooks: 'webhook secret',
    Collector: 'telemetry secret',
    Bus: 'bus',
  };
  return Object.entries(words).find(([prefix]) => id.startsWith(prefix))?.[1] ?? id;
}

const roles: Readonly<Record<FunctionName, string>> = {
  worker: 'Worker',
  api: 'Api',
  reconciler: 'Reconciler',
  'dead-letter': 'DeadLetterConsumer',
};

describe('what a role is allowed', () => {
  let recorded: RecordedCalls;
  let commands: Commands;
  let stack: Synthesised;
  beforeAll(async () => {
    recorded = await recordCalls();
    commands = await portCommands();
    stack = synthesise(everything);
  });

  it.each(functionNames)('is what the code of %s calls, and no more', (name) => {
    const { store } = reachable(name);
    expect(
      store.filter((method) => (recorded.methods.get(method)?.size ?? 0) === 0),
      'calls of the store that nothing recorded: let recordCalls come by them',
    ).toEqual([]);
    expect(granted(stack, roles[name])).toEqual(needed(name, recorded, commands));
  });

  it('was recorded at every place where the store calls the table', () => {
    const files = readdirSync(`${root}/src/app`).filter((file) => file.endsWith('-store.ts'));
    const written = files.flatMap((file) => {
      const text = readFileSync(`${root}/src/app/${file}`, 'utf8');
      return [...text.matchAll(/\btable\.(\w+)\(/g)].map(([, method]) => `${file} ${method}`);
    });
    const seen = [...recorded.places].map((place) => place.split(' ').slice(0, 2).join(' '));
    expect(seen.sort()).toEqual(written.sort());
  });

  it('knows every command that the adapters make', () => {
    const files = readdirSync(`${root}/src/adapters`).filter((file) => file.endsWith('.ts'));
    const texts = files.map((file) => readFileSync(`${root}/src/adapters/${file}`, 'utf8'));
    const made = texts.flatMap((text) => [...text.matchAll(/new (\w+Command)\(/g)].map(([, name]) => name));
    expect(new Set(made)).toEqual(new Set([...commands.values()].flat()));
    expect(new Set(made)).toEqual(new Set(Object.keys(actionOf)));
  });

  it('lets only the worker read the secrets of model and webhooks and tell the bus', () => {
    for (const name of ['api', 'reconciler', 'dead-letter'] as const) {
      const actions = granted(stack, roles[name]).join();
      expect(actions).not.toMatch(/(model|webhook) secret|events:|kms|bedrock|anthropic/);
    }
  });

  it('lets nobody but those that end jobs read the headers of telemetry', () => {
    const readers = functionNames.filter((name) =>
      granted(stack, roles[name]).includes('secretsmanager:GetSecretValue telemetry secret'),
    );
    expect(readers).toEqual(['worker', 'api', 'reconciler']);
  });
});
