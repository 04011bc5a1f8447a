import { type DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { tableShape } from '../core/table.ts';

/**
 * Puts every item of the due index again as it is, and with it its index entry. The local table writes an item and its
 * index entries one after the other: a process that is killed in between leaves a live job that no index lists, and that
 * nobody would ever look at again. Only for a table that nobody else uses. Returns how many items were put.
 */
export async function repairIndex(client: DynamoDBClient, tableName: string): Promise<number> {
  let repaired = 0;
  let ExclusiveStartKey: Awaited<ReturnType<typeof scan>>['LastEvaluatedKey'];
  do {
    const page = await scan(client, tableName, ExclusiveStartKey);
    for (const Item of page.Items ?? []) {
      await client.send(new PutItemCommand({ TableName: tableName, Item }));
      repaired += 1;
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return repaired;
}

function scan(
  client: DynamoDBClient,
  TableName: string,
  ExclusiveStartKey: ConstructorParameters<typeof ScanCommand>[0]['ExclusiveStartKey'],
) {
  return client.send(
    new ScanCommand({
      TableName,
      ExclusiveStartKey,
      FilterExpression: 'attribute_exists(#shard)',
      ExpressionAttributeNames: { '#shard': tableShape.indexes.due.partition.name },
    }),
  );
}
