import { setTimeout as sleep } from 'node:timers/promises';
import type { ProxyCounts } from '../../src/local/chaos-proxy.ts';
import { createRandom, placeOf } from '../../src/testing/random.ts';
import type { Effect } from './agent.ts';
import { buildWorker, type Fleet, startFleet } from './fleet.ts';
import { endedOf, type RawHead, readHeads } from './heads.ts';
import type { ChaosOptions } from './options.ts';
import { openPlaces, type Places, readLines } from './places.ts';
import { judge } from './referee.ts';
import { createSubmitter } from './submitter.ts';

/** Jobs that live at once: few, so that the copy of a message meets the first one's handling and not its end. */
const MAX_OPEN = 60;
const POLL_MS = 300;
const PROGRESS_MS = 2_000;

/** What came of a run, as counted by the servers and read from the raw table. */
export interface Outcome {
  readonly options: ChaosOptions;
  readonly elapsedMs: number;
  readonly kills: number;
  readonly deaths: number;
  readonly proxies: Readonly<Record<'sqs' | 'dynamodb' | 'model', ProxyCounts>>;
  readonly heads: readonly RawHead[];
  readonly effects: readonly Effect[];
  readonly modelCalls: readonly ModelCall[];
  /** Each names its job. */
  readonly violations: readonly string[];
  /** Effects and logs; kept when something was wrong. */
  readonly folder: string;
}

export interface ModelCall {
  readonly jobId: string;
  readonly status: number;
  readonly costMicroUsd: number;
}

/** Runs the jobs to their ends under chaos, and has the referee look at what is left. */
export async function runChaos(options: ChaosOptions, tell: (line: string) => void): Promise<Outcome> {
  const places = await openPlaces(options);
  const program = await buildWorker(places.folder);
  const begun = performance.now();
  const { worker } = places;
  const fleet = startFleet({
    workers: options.workers,
    killEveryMs: options.killEvery * 1_000,
    random: createRandom(options.seed ^ placeOf('kills')).next,
    program,
    worker,
  });
  try {
    const submitted = await Promise.race([runJobs(options, places, fleet, tell), fleet.broken]);
    await fleet.stop();
    return { ...(await gather(options, places, fleet, submitted)), elapsedMs: performance.now() - begun };
  } finally {
    await fleet.stop();
    await places.close();
  }
}

/** Keeps so many jobs alive until all have been submitted and have ended, or patience is over. Returns their ids. */
async function runJobs(
  { jobs, patience }: ChaosOptions,
  { worker, direct }: Places,
  fleet: Fleet,
  tell: (line: string) => void,
): Promise<readonly string[]> {
  const submitJob = createSubmitter(worker);
  const submitted: string[] = [];
  const open = new Set<string>();
  const giveUpAt = performance.now() + patience * 1_000;
  let told = 0;
  while ((submitted.length < jobs || open.size > 0) && performance.now() < giveUpAt) {
    const room = Math.min(MAX_OPEN - open.size, jobs - submitted.length);
    const fresh = await Promise.all(Array.from({ length: room }, (_, n) => submitJob(submitted.length + n)));
    for (const id of fresh) open.add(id);
    submitted.push(...fresh);
    for (const id of await endedOf(direct.dynamodb, worker.tableName, [...open])) open.delete(id);
    if (performance.now() - told > PROGRESS_MS) {
      told = performance.now();
      tell(`${submitted.length - open.size} of ${jobs} jobs ended, ${fleet.kills()} kills`);
    }
    await sleep(POLL_MS);
  }
  return submitted;
}

async function gather(
  options: ChaosOptions,
  places: Places,
  fleet: Fleet,
  submitted: readonly string[],
): Promise<Omit<Outcome, 'elapsedMs'>> {
  const { direct, worker, proxies, folder } = places;
  const heads = await readHeads(direct.dynamodb, worker.tableName);
  const effects = readLines(worker.effectsFile) as readonly Effect[];
  const modelCalls = await readCalls(places.model.url);
  const billed = new Map<string, number>();
  for (const { jobId, costMicroUsd } of modelCalls) {
    billed.set(jobId, (billed.get(jobId) ?? 0) + costMicroUsd);
  }
  const violations = [
    ...judge({ submitted, steps: options.steps, heads, effects, billed }),
    ...fleet.failures(),
  ];
  if (submitted.length < options.jobs) violations.push(`only ${submitted.length} jobs could be submitted`);
  return {
    options,
    kills: fleet.kills(),
    deaths: fleet.deaths(),
    proxies: {
      sqs: proxies.sqs.counts(),
      dynamodb: proxies.dynamodb.counts(),
      model: proxies.model.counts(),
    },
    heads,
    effects,
    modelCalls,
    violations,
    folder,
  };
}

interface CallsAnswer {
  readonly calls: readonly {
    readonly conversation: string | null;
    readonly status: number;
    readonly costMicroUsd: number | null;
  }[];
}

/** The model's own record of what it was asked and what it billed. A conversation is named after its job. */
async function readCalls(url: string): Promise<readonly ModelCall[]> {
  const { calls } = (await (await fetch(`${url}/_calls`)).json()) as CallsAnswer;
  return calls.map(({ conversation, status, costMicroUsd }) => ({
    jobId: conversation?.split('.')[0] ?? '',
    status,
    costMicroUsd: costMicroUsd ?? 0,
  }));
}
