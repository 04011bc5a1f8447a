import { startChaosProxy } from './chaos-proxy.ts';
import type { ChaosSwitches } from './chaos-switches.ts';

/** What goes wrong on purpose, and the draws that say when. */
export interface Chaos {
  readonly switches: ChaosSwitches;
  /** At least 0, below 1. */
  readonly random: () => number;
}

/** Servers of SQS and DynamoDB. */
export interface Endpoints {
  readonly sqsEndpoint: string;
  readonly dynamodbEndpoint: string;
}

/** Puts proxies that misbehave before both servers. Only what goes through them meets bad weather. */
export async function startStorm(
  calm: Endpoints,
  { switches, random }: Chaos,
): Promise<{ readonly endpoints: Endpoints; readonly close: () => Promise<void> }> {
  const { lostAnswer, throttle, duplicate } = switches;
  const [sqs, dynamodb] = await Promise.all([
    startChaosProxy({
      service: 'sqs',
      upstream: calm.sqsEndpoint,
      faults: { lostAnswer, throttle, duplicate },
      random,
    }),
    startChaosProxy({
      service: 'dynamodb',
      upstream: calm.dynamodbEndpoint,
      faults: { lostAnswer, throttle },
      random,
    }),
  ]);
  return {
    endpoints: { sqsEndpoint: sqs.endpoint, dynamodbEndpoint: dynamodb.endpoint },
    close: async () => {
      await Promise.all([sqs.close(), dynamodb.close()]);
    },
  };
}
