import type { SQSClient } from '@aws-sdk/client-sqs';

/** What a model that is reached through AWS needs. */
export interface AwsAccess {
  /** Of the function's role: as a client of AWS has found them, which keeps them until they lapse. */
  readonly credentials: SQSClient['config']['credentials'];
  /** @default `AWS_REGION` */
  readonly awsRegion?: string;
  /** @default the region's own, or what the SDK reads from its environment */
  readonly baseURL?: string;
  readonly fetch?: typeof fetch;
}
