import { Duration, Names, Stack } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** Receives before a message is given up. Fewer would give up messages that were only throttled. */
const MAX_RECEIVES = 5;
/** AWS asks for six times the function's time-out, or throttled messages come back while they are still being handled. */
const VISIBILITY_TIMES = 6;

export interface QueueProps {
  readonly workerTimeout: Duration;
  readonly consumerTimeout: Duration;
}

export interface StepQueues {
  readonly steps: Queue;
  readonly deadLetters: Queue;
}

const visibilityFor = (timeout: Duration): Duration =>
  Duration.seconds(timeout.toSeconds() * VISIBILITY_TIMES);

/**
 * The step queue and what it gives up. A dead letter's age counts from its first send, so it is kept for longer than a
 * message that waits. The step queue has a name of its own: that the dead-letter queue takes from it alone must be said
 * by an ARN that refers to nothing, or each queue would need the other first.
 */
export function createQueues(scope: Construct, { workerTimeout, consumerTimeout }: QueueProps): StepQueues {
  const queueName = `${Names.uniqueResourceName(scope, { maxLength: 70, separator: '-' })}-steps`;
  const queueArn = Stack.of(scope).formatArn({ service: 'sqs', resource: queueName });
  const secure = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
  const deadLetters = new Queue(scope, 'DeadLetters', {
    ...secure,
    visibilityTimeout: visibilityFor(consumerTimeout),
    retentionPeriod: Duration.days(14),
    redriveAllowPolicy: { sourceQueues: [Queue.fromQueueArn(scope, 'StepsByName', queueArn)] },
  });
  const steps = new Queue(scope, 'Steps', {
    ...secure,
    queueName,
    visibilityTimeout: visibilityFor(workerTimeout),
    retentionPeriod: Duration.days(4),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: MAX_RECEIVES },
  });
  return { steps, deadLetters };
}
