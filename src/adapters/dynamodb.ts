import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { RetryableError } from '../core/errors.ts';
import { type IndexName, tableShape } from '../core/table.ts';
import type { Condition, IndexKey, IndexRange, Item, Key, Table } from '../ports.ts';
import { awsFailure } from './aws-errors.ts';
import { marshal, unmarshal } from './marshal.ts';

type Attributes = Record<string, AttributeValue>;

const MAX_WRITES = 25;
const MAX_READS = 100;
const MAX_ROUNDS = 8;

/** The table over DynamoDB: single-item conditional writes, consistent reads, paged queries. */
export function createDynamoTable(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}): Table {
  const { client, tableName: TableName } = options;
  return {
    get: (key) =>
      reported('get', async () => {
        const { Item: found } = await client.send(
          new GetItemCommand({ TableName, Key: keyOf(key), ConsistentRead: true }),
        );
        return found && unmarshal(found);
      }),
    put: (item, condition) =>
      conditional('put', () =>
        client.send(new PutItemCommand({ TableName, Item: marshal(item), ...expression(condition) })),
      ),
    update: (key, values, condition) =>
      conditional('update', () =>
        client.send(new UpdateItemCommand(updateOf(TableName, key, values, condition))),
      ),
    getMany: (keys) =>
      inSlices(keys, MAX_READS, (slice) => reported('read', () => readSlice(options, slice))),
    putMany: async (items) => {
      const requests = items.map((item) => ({ PutRequest: { Item: marshal(item) } }));
      await inSlices(requests, MAX_WRITES, (slice) => reported('write', () => writeSlice(options, slice)));
    },
    query: (pk, from, to, consistent) =>
      reported('query', () =>
        allPages(options, {
          ConsistentRead: consistent,
          KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :from AND :to',
          ExpressionAttributeNames: { '#pk': tableShape.key.partition.name, '#sk': tableShape.key.sort.name },
          ExpressionAttributeValues: { ':pk': { S: pk }, ':from': { S: from }, ':to': { S: to } },
        }),
      ),
    removeMany: async (keys) => {
      const requests = keys.map((key) => ({ DeleteRequest: { Key: keyOf(key) } }));
      await inSlices(requests, MAX_WRITES, (slice) => reported('delete', () => writeSlice(options, slice)));
    },
    listIndex: (index, partition, range) => reported('query', () => keysOf(options, index, partition, range)),
  };
}

type Options = Parameters<typeof createDynamoTable>[0];

const keyOf = (key: Key): Attributes => ({ pk: { S: key.pk }, sk: { S: key.sk } });

interface Expression {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues?: Attributes;
}

function expression(condition: Condition | undefined): Expression | undefined {
  if (condition === undefined) return undefined;
  switch (condition.type) {
    case 'absent':
      return { ConditionExpression: 'attribute_not_exists(#pk)', ExpressionAttributeNames: { '#pk': 'pk' } };
    case 'absent_or_lower':
      return {
        ConditionExpression: 'attribute_not_exists(#c0) OR #c0 < :c0',
        ExpressionAttributeNames: { '#c0': condition.name },
        ExpressionAttributeValues: marshal({ ':c0': condition.value }),
      };
    case 'equals': {
      const entries = Object.entries(condition.values);
      return {
        ConditionExpression: entries.map((_, at) => `#c${at} = :c${at}`).join(' AND '),
        ExpressionAttributeNames: Object.fromEntries(entries.map(([name], at) => [`#c${at}`, name])),
        ExpressionAttributeValues: marshal(
          Object.fromEntries(entries.map(([, value], at) => [`:c${at}`, value])),
        ),
      };
    }
    default:
      return condition satisfies never;
  }
}

function updateOf(
  TableName: string,
  key: Key,
  values: Readonly<Record<string, unknown>>,
  condition: Condition | undefined,
): ConstructorParameters<typeof UpdateItemCommand>[0] {
  const entries = Object.entries(values);
  const guard = expression(condition);
  return {
    TableName,
    Key: keyOf(key),
    UpdateExpression: `SET ${entries.map((_, at) => `#u${at} = :u${at}`).join(', ')}`,
    ConditionExpression: ['attribute_exists(pk)', ...(guard ? [guard.ConditionExpression] : [])].join(
      ' AND ',
    ),
    ExpressionAttributeNames: {
      ...guard?.ExpressionAttributeNames,
      ...Object.fromEntries(entries.map(([name], at) => [`#u${at}`, name])),
    },
    ExpressionAttributeValues: {
      ...guard?.ExpressionAttributeValues,
      ...marshal(Object.fromEntries(entries.map(([, value], at) => [`:u${at}`, value]))),
    },
  };
}

async function conditional(doing: string, send: () => Promise<unknown>): Promise<'put' | 'refused'> {
  try {
    await send();
    return 'put';
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return 'refused';
    throw awsFailure(error, `DynamoDB ${doing}`);
  }
}

async function reported<T>(doing: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    throw error instanceof RetryableError ? error : awsFailure(error, `DynamoDB ${doing}`);
  }
}

async function inSlices<T, R>(
  list: readonly T[],
  size: number,
  work: (slice: readonly T[]) => Promise<readonly R[]>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let at = 0; at < list.length; at += size) results.push(...(await work(list.slice(at, at + size))));
  return results;
}

async function readSlice({ client, tableName }: Options, keys: readonly Key[]): Promise<readonly Item[]> {
  const items: Item[] = [];
  let left: Attributes[] = keys.map(keyOf);
  for (let round = 0; left.length > 0; round += 1) {
    if (round === MAX_ROUNDS)
      throw new RetryableError('throttled', `DynamoDB read: ${left.length} keys unread`);
    const answer = await client.send(
      new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys: left, ConsistentRead: true } } }),
    );
    items.push(...(answer.Responses?.[tableName] ?? []).map(unmarshal));
    left = answer.UnprocessedKeys?.[tableName]?.Keys ?? [];
  }
  return items;
}

async function writeSlice(
  { client, tableName }: Options,
  requests: readonly WriteRequest[],
): Promise<readonly never[]> {
  let left = [...requests];
  for (let round = 0; left.length > 0; round += 1) {
    if (round === MAX_ROUNDS)
      throw new RetryableError('throttled', `DynamoDB write: ${left.length} items unwritten`);
    const answer = await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: left } }));
    left = answer.UnprocessedItems?.[tableName] ?? [];
  }
  return [];
}

/** A query answers 1 MB at a time: without the next pages the newest messages would vanish without an error. */
async function allPages(
  { client, tableName }: Options,
  query: Omit<ConstructorParameters<typeof QueryCommand>[0], 'TableName'>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let ExclusiveStartKey: Attributes | undefined;
  do {
    const page = await client.send(new QueryCommand({ ...query, TableName: tableName, ExclusiveStartKey }));
    items.push(...(page.Items ?? []).map(unmarshal));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return items;
}

/** One page is at most 1 MB of keys, so that a long list takes several. */
async function keysOf(
  { client, tableName }: Options,
  index: IndexName,
  partition: string,
  { to, after, limit, newestFirst }: IndexRange,
): Promise<readonly IndexKey[]> {
  const names = tableShape.indexes[index];
  const keys: IndexKey[] = [];
  let ExclusiveStartKey =
    after &&
    marshal({ pk: after.pk, sk: after.sk, [names.partition.name]: partition, [names.sort.name]: after.at });
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: tableName,
        IndexName: index,
        KeyConditionExpression: to === undefined ? '#p = :p' : '#p = :p AND #s <= :s',
        ExpressionAttributeNames: {
          '#p': names.partition.name,
          ...(to === undefined ? {} : { '#s': names.sort.name }),
        },
        ExpressionAttributeValues: marshal({ ':p': partition, ...(to === undefined ? {} : { ':s': to }) }),
        ScanIndexForward: newestFirst !== true,
        Limit: limit - keys.length,
        ExclusiveStartKey,
      }),
    );
    for (const item of page.Items ?? []) {
      const { pk, sk, [names.sort.name]: at } = unmarshal(item);
      keys.push({ pk: String(pk), sk: String(sk), at: Number(at) });
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined && keys.length < limit);
  return keys;
}
