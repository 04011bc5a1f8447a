import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedModel } from '../../src/adapters/scripted-model/server.ts';
import { type ChaosProxy, startChaosProxy } from '../../src/local/chaos-proxy.ts';
import { ensureQueues, ensureTable, localAwsClients, startStandIns } from '../../src/local/stand-ins.ts';
import { createRandom, placeOf } from '../../src/testing/random.ts';
import { chaosBrain } from './agent.ts';
import type { ChaosOptions } from './options.ts';
import { VISIBILITY_SECONDS, type WorkerSettings } from './worker-settings.ts';

const TABLE_NAME = 'chaos';
const QUEUE_NAMES = { queue: 'chaos-steps', deadLetterQueue: 'chaos-dead-letters' };
/** Longer than the time that an invocation has for a request, so that some of these never come. */
const SLOW_MODEL_MS = 5_000;

/** The servers of a run, all in this process, and the ways to them. */
export interface Places {
  readonly folder: string;
  /** Straight to the servers. */
  readonly direct: ReturnType<typeof localAwsClients>;
  readonly model: Awaited<ReturnType<typeof startScriptedModel>>;
  readonly proxies: { readonly sqs: ChaosProxy; readonly dynamodb: ChaosProxy; readonly model: ChaosProxy };
  /** What the workers are told: everything they reach stands behind a proxy. */
  readonly worker: WorkerSettings;
  readonly close: () => Promise<void>;
}

/** A folder for effects and logs, which outlives the process only if something was wrong. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-chaos-'));
  process.once('exit', (code) => {
    if (code !== 1) rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

export async function openPlaces({ steps, seed, chaos }: ChaosOptions): Promise<Places> {
  const folder = newFolder();
  const standIns = await startStandIns();
  const model = await startScriptedModel({ brain: chaosBrain(steps) });
  const direct = localAwsClients(standIns);
  await ensureTable(direct.dynamodb, TABLE_NAME);
  const queues = await ensureQueues(direct.sqs, {
    names: QUEUE_NAMES,
    visibilityTimeoutSeconds: VISIBILITY_SECONDS,
  });
  const { duplicate, lostAnswer, throttle } = chaos;
  const proxy = (service: 'sqs' | 'dynamodb' | 'model', upstream: string, faults: object) =>
    startChaosProxy({ service, upstream, faults, random: createRandom(seed ^ placeOf(service)).next });
  const proxies = {
    sqs: await proxy('sqs', standIns.sqsEndpoint, { duplicate, lostAnswer, throttle }),
    dynamodb: await proxy('dynamodb', standIns.dynamodbEndpoint, { lostAnswer, throttle }),
    // The SDK asks once, so that each of these is felt by a job: fewer lost answers, more refusals, some slow ones.
    model: await proxy('model', model.url, {
      lostAnswer: lostAnswer / 5,
      throttle: 2 * throttle,
      slow: throttle,
      slowMs: SLOW_MODEL_MS,
    }),
  };
  const files = { effectsFile: join(folder, 'effects.jsonl'), logFile: join(folder, 'log.jsonl') };
  for (const file of Object.values(files)) writeFileSync(file, '');
  return {
    folder,
    direct,
    model,
    proxies,
    worker: {
      ...files,
      sqsEndpoint: proxies.sqs.endpoint,
      dynamodbEndpoint: proxies.dynamodb.endpoint,
      modelUrl: proxies.model.endpoint,
      tableName: TABLE_NAME,
      queues,
      steps,
      crash: chaos.crash,
    },
    close: async () => {
      await Promise.all(Object.values(proxies).map((each) => each.close()));
      direct.sqs.destroy();
      direct.dynamodb.destroy();
      await model.close();
      await standIns.close();
    },
  };
}

/** The lines of a file of JSON lines. */
export function readLines(file: string): readonly unknown[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line): unknown => JSON.parse(line));
}
