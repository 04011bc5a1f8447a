import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClaude } from '../../src/adapters/claude.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import {
  createDeadLetterHandler,
  createWorkerHandler,
  type QueueHandler,
} from '../../src/app/worker-handler.ts';
import type { Log } from '../../src/app/world.ts';
import { createWorld } from '../../src/create-world.ts';
import { startEventSource } from '../../src/local/event-source.ts';
import { localAwsClients } from '../../src/local/provision.ts';
import { chaosAgent } from './agent.ts';
import { FUNCTION_TIMEOUT_MS, VISIBILITY_SECONDS, workerSettings } from './worker-settings.ts';

/** One worker process: the handlers of the step queue and the dead-letter queue, and now and then the reconciler. */
const RECONCILE_MS = 3_000;

const settings = workerSettings.parse(JSON.parse(process.argv[2] ?? ''));
// Nobody may be left over when the parent is gone.
process.once('disconnect', () => process.exit(0));

/** Each line is one write to a file opened for appending: what a killed process has written is whole. */
function appender(file: string): (line: object) => void {
  const open = openSync(file, 'a');
  return (line) => {
    writeSync(open, `${JSON.stringify({ ...line, atMs: Date.now(), pid: process.pid })}\n`);
  };
}

const log = appender(settings.logFile);
const writeLog: Log = (level, message, fields) => log({ level, message, ...fields });

function die(why: string): void {
  log({ level: 'info', message: why });
  process.kill(process.pid, 'SIGKILL');
}

/** In some invocations the process dies, at any moment of them. */
function withCrashes(handler: QueueHandler): QueueHandler {
  return async (event, context) => {
    if (Math.random() < settings.crash) setTimeout(die, Math.random() * 500, 'crashed by a switch');
    return handler(event, context);
  };
}

const clients = localAwsClients(settings);
const world = createWorld({
  ...clients,
  tableName: settings.tableName,
  queueUrl: settings.queues.queueUrl,
  model: createClaude({ apiKey: 'chaos', baseURL: settings.modelUrl }),
  agents: [chaosAgent(settings.steps, appender(settings.effectsFile))],
  log: writeLog,
});
const common = {
  client: clients.sqs,
  functionTimeoutMs: FUNCTION_TIMEOUT_MS,
  visibilityTimeoutSeconds: VISIBILITY_SECONDS,
  onInvocationError: (error: unknown) => {
    // Lambda ends the process of an invocation that takes too long; its lease counts on that.
    if (error instanceof Error && 'code' in error && error.code === 'function_timeout') die('timed out');
    writeLog('warn', 'the queue or an invocation failed', { error: String(error) });
  },
};
startEventSource({
  ...common,
  queueUrl: settings.queues.queueUrl,
  queueArn: settings.queues.arns.queue,
  handler: withCrashes(createWorkerHandler(world)),
  batchSize: 2,
  maxConcurrency: 2,
});
startEventSource({
  ...common,
  queueUrl: settings.queues.deadLetterQueueUrl,
  queueArn: settings.queues.arns.deadLetterQueue,
  handler: createDeadLetterHandler(world),
  functionName: 'dead-letter',
  maxConcurrency: 1,
});
process.send?.('ready');
for (;;) {
  await sleep(Math.random() * 2 * RECONCILE_MS);
  await reconcile(world).catch((error: unknown) =>
    writeLog('warn', 'the reconciler failed', { error: String(error) }),
  );
}
