import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { type KeyPair, tableShape } from '../src/core/table.ts';

const types = { S: AttributeType.STRING, N: AttributeType.NUMBER } as const;

const keysOf = ({ partition, sort }: KeyPair) => ({
  partitionKey: { name: partition.name, type: types[partition.type] },
  sortKey: { name: sort.name, type: types[sort.type] },
});

/**
 * The one table, made from the constant that the local stand-in is made from. One region and on demand: jobs come in
 * bursts. What is kept can be restored to any second of the last 35 days.
 */
export function createTable(scope: Construct, removalPolicy: RemovalPolicy): Table {
  const table = new Table(scope, 'Table', {
    ...keysOf(tableShape.key),
    billingMode: BillingMode.PAY_PER_REQUEST,
    encryption: TableEncryption.DEFAULT,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: 35 },
    timeToLiveAttribute: tableShape.expiry,
    deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
    removalPolicy,
  });
  for (const [indexName, pair] of Object.entries(tableShape.indexes)) {
    table.addGlobalSecondaryIndex({ indexName, ...keysOf(pair), projectionType: ProjectionType.KEYS_ONLY });
  }
  return table;
}
