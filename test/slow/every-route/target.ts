import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetQueueUrlCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { QUEUE_NAMES } from '../../../src/local/stack.ts';
import { localAwsClients } from '../../../src/local/stand-ins.ts';
import { builtQueues, startBuilt } from '../built-functions.ts';
import { runDev } from '../dev-process.ts';
import { newFolder } from '../processes.ts';
import { startWordModel } from './model.ts';

/** Each part of the suite has tenants of its own, so that its lists hold what it made and nothing else. */
export const tenants = [
  'jobs',
  'keys',
  'lists',
  'approvals',
  'waiting',
  'batches',
  'results',
  'operations',
  'stopped',
  'owner',
  'stranger',
] as const;
export type Tenant = (typeof tenants)[number];

/** A whole system that answers over HTTP. Nothing else of it is touched but what its owner could touch on AWS. */
export interface Target {
  readonly url: string;
  /** Puts a message where the queue puts those that it gives up. */
  readonly giveUp: (body: string) => Promise<void>;
  /** How often an order was paid back. */
  readonly refundsOf: (order: string) => number;
  readonly close: () => Promise<void>;
}

/** What both targets run with: whatever of it they share, they cannot differ in. */
async function surroundings() {
  const model = await startWordModel();
  const refunds = join(newFolder(), 'refunds.jsonl');
  return {
    model,
    environment: { TREADLE_REFUNDS_FILE: refunds, WEBHOOK_SECRET: 'a secret of this test' },
    refundsOf: (order: string) =>
      existsSync(refunds) ? readFileSync(refunds, 'utf8').split(`"${order}"`).length - 1 : 0,
  };
}

/** A sender to the queue of dead letters. */
function deadLetterQueue(sqsEndpoint: string, name: string) {
  const { sqs } = localAwsClients({ sqsEndpoint, dynamodbEndpoint: sqsEndpoint });
  return {
    giveUp: async (body: string) => {
      const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: name }));
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
    },
    close: () => sqs.destroy(),
  };
}

/** `treadle dev` as a process, with its state on disk. */
export async function openDev(): Promise<Target> {
  const { model, environment, refundsOf } = await surroundings();
  const data = ['--data', join(newFolder(), 'state')];
  const dev = await runDev(data, { ...environment, ANTHROPIC_BASE_URL: model.url });
  const letters = deadLetterQueue(dev.sqs, QUEUE_NAMES.deadLetterQueue);
  return {
    ...{ url: dev.api, giveUp: letters.giveUp, refundsOf },
    close: async () => {
      letters.close();
      await dev.kill();
      await model.close();
    },
  };
}

/** The built functions, behind a gateway. */
export async function openBuilt(): Promise<Target> {
  const { model, environment, refundsOf } = await surroundings();
  const functions = await startBuilt({ modelUrl: model.url, tenants, environment });
  const letters = deadLetterQueue(functions.sqs, builtQueues.deadLetterQueue);
  return {
    ...{ url: functions.url, giveUp: letters.giveUp, refundsOf },
    close: async () => {
      letters.close();
      await functions.close();
      await model.close();
    },
  };
}
