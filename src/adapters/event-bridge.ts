import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { Notice, Notifier, Told } from '../ports.ts';
import { awsErrorName } from './aws-errors.ts';

/** Three tries of at most 5 seconds each. */
function createClient(): EventBridgeClient {
  return new EventBridgeClient({
    maxAttempts: 3,
    retryMode: 'standard',
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  });
}

const again = (name: string): Told => ({ type: 'again', problem: `the event bus refused: ${name}` });

/**
 * Notices as events of source `treadle` on a bus. The detail holds the notice's own `id` and `tenant` beside its data,
 * and they win over data of the same name: rules filter by them, and consumers drop repeats by the id. AWS's words are
 * not passed on, because they may quote the event.
 */
export function createEventBridge({
  client = createClient(),
  busName,
}: {
  /** @default one for the region, or for `AWS_ENDPOINT_URL_EVENTBRIDGE` */
  readonly client?: EventBridgeClient;
  /** Name or ARN. */
  readonly busName: string;
}): NonNullable<Notifier['events']> {
  return {
    publish: async (notice: Notice) => {
      try {
        const { FailedEntryCount = 0, Entries = [] } = await client.send(
          new PutEventsCommand({ Entries: [entryOf(notice, busName)] }),
        );
        // Status 200 says only that the request was read: each entry has its own verdict.
        if (FailedEntryCount > 0) return again(awsErrorName({ name: Entries[0]?.ErrorCode }));
        return { type: 'told' };
      } catch (error) {
        return again(awsErrorName(error));
      }
    },
  };
}

function entryOf({ id, type, tenant, atMs, data }: Notice, busName: string) {
  return {
    EventBusName: busName,
    Source: 'treadle',
    DetailType: type,
    Time: new Date(atMs),
    Detail: JSON.stringify({ ...data, id, tenant }),
  };
}
