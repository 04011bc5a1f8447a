import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const treadle = fileURLToPath(new URL('../../src/cli/treadle.mjs', import.meta.url));
export const projectFile = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'treadle-test-'));

/** No variable of the machine reaches a command under test but what it needs to start. */
export function cleanEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '', HOME: newFolder(), ...more };
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
}

/** Starts the command line as a process of its own. */
export function start(args: readonly string[], environment: NodeJS.ProcessEnv = cleanEnvironment()): Running {
  const child = spawn(process.execPath, [treadle, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const finished = new Promise<Finished>((resolve) =>
    child.on('close', (code) => resolve({ code, stdout, stderr })),
  );
  return { child, finished };
}

export interface ModelServer {
  readonly url: string;
  readonly calls: () => Promise<{ readonly calls: readonly CallLine[]; readonly billedMicroUsd: number }>;
  readonly stop: () => Promise<Finished>;
}

export interface CallLine {
  readonly status: number;
  readonly prefixIntact: boolean | null;
  readonly problem?: string;
}

/** The scripted model as a process of its own. */
export async function startModel(args: readonly string[] = []): Promise<ModelServer> {
  const { child, finished } = start(['model', '--port', '0', ...args]);
  const url = await new Promise<string>((resolve) =>
    child.stdout?.once('data', (chunk) => resolve(String(chunk).trim())),
  );
  return {
    url,
    calls: async () =>
      (await (await fetch(`${url}/_calls`)).json()) as Awaited<ReturnType<ModelServer['calls']>>,
    stop: async () => {
      child.kill('SIGTERM');
      return finished;
    },
  };
}

/** Right and hostile requests to an API: its own text says what was wrong, where the code is not 0. */
export function fuzz(
  endpoint: string,
  requests: number,
): Promise<{ readonly code: number | null; readonly text: string }> {
  const args = ['--import', 'tsx', projectFile('scripts/fuzz-api.ts')];
  const child = spawn(
    process.execPath,
    [...args, '--requests', String(requests), '--endpoint', endpoint, '--any-answers'],
    {
      env: cleanEnvironment(),
      cwd: projectFile(''),
    },
  );
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text += String(chunk);
    });
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, text })));
}
