import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { WorkerSettings } from './worker-settings.ts';

/** Workers that end by themselves with an error before the run is given up. */
const MAX_FAILURES = 10;

export interface FleetSettings {
  readonly workers: number;
  /** Mean time between two kills; 0 for none. */
  readonly killEveryMs: number;
  readonly random: () => number;
  /** The worker's program, from `buildWorker`. */
  readonly program: string;
  readonly worker: WorkerSettings;
}

export interface Fleet {
  /** Workers killed by the fleet. */
  readonly kills: () => number;
  /** Workers that killed themselves, by a switch or because an invocation took too long. */
  readonly deaths: () => number;
  /** Workers that ended by an error of their own. */
  readonly failures: () => readonly string[];
  /** Rejects once too many workers have failed. */
  readonly broken: Promise<never>;
  /** Kills every worker and starts no more. */
  readonly stop: () => Promise<void>;
}

interface Worker {
  readonly child: ChildProcess;
  ready: boolean;
  killed: boolean;
}

/** Makes one file of the worker: it starts seven times faster than from its sources, and it starts again and again. */
export async function buildWorker(folder: string): Promise<string> {
  const outfile = join(folder, 'worker.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('./worker.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return outfile;
}

/** Nothing of the user's environment, credentials above all, reaches a worker but what it needs to start. */
function startWorker(program: string, settings: WorkerSettings): ChildProcess {
  return fork(program, [JSON.stringify(settings)], {
    execArgv: [],
    env: { PATH: process.env['PATH'], AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/** Keeps a number of worker processes running, and kills one of them at random again and again. */
export function startFleet({
  workers,
  killEveryMs,
  random,
  program,
  worker: settings,
}: FleetSettings): Fleet {
  const running = new Set<Worker>();
  const failures: string[] = [];
  const counts = { kills: 0, deaths: 0 };
  let stopping = false;
  let breakRun: (error: Error) => void = () => undefined;
  const broken = new Promise<never>((_, reject) => {
    breakRun = reject;
  });
  broken.catch(() => undefined);

  const launch = (): void => {
    const worker: Worker = { child: startWorker(program, settings), ready: false, killed: false };
    running.add(worker);
    worker.child.once('message', () => {
      worker.ready = true;
    });
    worker.child.once('error', () => undefined);
    worker.child.once('exit', (code, signal) => {
      running.delete(worker);
      if (stopping) return;
      if (worker.killed) counts.kills += 1;
      else if (signal === 'SIGKILL') counts.deaths += 1;
      else failures.push(`a worker ended by itself (code ${code}, signal ${signal})`);
      if (failures.length >= MAX_FAILURES) breakRun(new Error(failures.at(-1)));
      else launch();
    });
  };
  const kill = (): void => {
    const ready = [...running].filter((worker) => worker.ready && !worker.killed);
    const victim = ready[Math.floor(random() * ready.length)];
    if (victim !== undefined) victim.killed = victim.child.kill('SIGKILL');
    timer = setTimeout(kill, killEveryMs * (0.5 + random()));
  };
  const killAll = (): void => {
    for (const { child } of running) child.kill('SIGKILL');
  };
  let timer = setTimeout(() => undefined, 0);
  if (killEveryMs > 0) timer = setTimeout(kill, killEveryMs);
  process.once('exit', killAll);
  for (let n = 0; n < workers; n += 1) launch();

  return {
    kills: () => counts.kills,
    deaths: () => counts.deaths,
    failures: () => failures,
    broken,
    stop: async () => {
      stopping = true;
      clearTimeout(timer);
      const gone = [...running].map(({ child }) => new Promise((resolve) => child.once('close', resolve)));
      killAll();
      await Promise.all(gone);
      process.off('exit', killAll);
    },
  };
}
