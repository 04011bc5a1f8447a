import {
  type AttributeValue,
  BatchGetItemCommand,
  type DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';

type Attributes = Readonly<Record<string, AttributeValue>>;

/**
 * A job as it stands in the table, read from the raw attributes: the referee shares no code with what it judges. The
 * names are those of the stored format.
 */
export interface RawHead {
  readonly id: string;
  /** `q`, `r`, `w` while it lives; `s`, `p`, `f`, `c` once it has succeeded, was stopped, failed or was cancelled. */
  readonly status: string;
  readonly reason: string;
  readonly detail: string;
  readonly steps: number;
  readonly maxSteps: number;
  readonly attempts: number;
  readonly needsReview: boolean;
  readonly ceiling: number;
  readonly settled: number;
  readonly reserved: number;
  readonly unsettled: number;
}

export const hasEnded = (status: string): boolean => 'spfc'.includes(status);

function rawHead(item: Attributes): RawHead {
  const number = (value: AttributeValue | undefined): number => Number(value?.N ?? 0);
  const money = item['le']?.L ?? [];
  return {
    id: (item['pk']?.S ?? '').slice('JOB#'.length),
    status: item['st']?.S ?? '?',
    reason: item['sp']?.L?.[0]?.S ?? '',
    detail: item['sp']?.L?.[1]?.S ?? '',
    steps: number(item['sn']),
    maxSteps: number(item['li']?.L?.[0]),
    attempts: number(item['at']),
    needsReview: item['nr']?.BOOL === true,
    ceiling: number(money[0]),
    settled: number(money[1]),
    reserved: number(money[2]),
    unsettled: number(money[3]),
  };
}

/** Every job in the table. */
export async function readHeads(client: DynamoDBClient, TableName: string): Promise<readonly RawHead[]> {
  const heads: RawHead[] = [];
  let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        TableName,
        ConsistentRead: true,
        ExclusiveStartKey,
        FilterExpression: '#sk = :job',
        ExpressionAttributeNames: { '#sk': 'sk' },
        ExpressionAttributeValues: { ':job': { S: 'JOB' } },
      }),
    );
    heads.push(...(page.Items ?? []).map(rawHead));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return heads;
}

const MAX_READS = 100;

/** Those of the jobs that have ended. */
export async function endedOf(
  client: DynamoDBClient,
  tableName: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const ended: string[] = [];
  for (let at = 0; at < ids.length; at += MAX_READS) {
    const Keys = ids.slice(at, at + MAX_READS).map((id) => ({ pk: { S: `JOB#${id}` }, sk: { S: 'JOB' } }));
    const { Responses } = await client.send(
      new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys, ConsistentRead: true } } }),
    );
    const heads = (Responses?.[tableName] ?? []).map(rawHead);
    ended.push(...heads.filter(({ status }) => hasEnded(status)).map(({ id }) => id));
  }
  return ended;
}
