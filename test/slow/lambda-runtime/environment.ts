import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listen, readBody } from '../../../src/local/local-server.ts';

export interface FunctionSettings {
  readonly name: string;
  /** File without its ending, a dot, and the name of the export. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  readonly timeoutMs: number;
}

export type InvocationEnd =
  | { readonly type: 'answer'; readonly payload: unknown }
  | { readonly type: 'error'; readonly errorType: string; readonly message: string };

/** One process that handles one event at a time, and does nothing between two of them. */
export interface ExecutionEnvironment {
  readonly invoke: (event: unknown, trace: string | undefined) => Promise<InvocationEnd>;
  readonly isAlive: () => boolean;
  /** Of the process, now. */
  readonly rssBytes: () => number;
  /** All that the process has written. */
  readonly logs: () => string;
  readonly close: () => void;
}

const bootstrap = fileURLToPath(new URL('./bootstrap.mjs', import.meta.url));
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const permission = major > 22 || (major === 22 && minor >= 13) ? '--permission' : '--experimental-permission';

/** As Lambda starts Node, whose heap then ends before the memory does; and with no disk that it may write but its own. */
function flagsFor(memoryMb: number, ownDisk: string): readonly string[] {
  return [
    `--max-old-space-size=${Math.floor(memoryMb * 0.9)}`,
    `--max-semi-space-size=${Math.max(1, Math.floor(memoryMb * 0.05))}`,
    ...[permission, '--allow-fs-read=*', `--allow-fs-write=${ownDisk}`, '--no-warnings'],
  ];
}

/** What a role's key is signed with; no log may hold it. */
export const secretOfTheRole = 'secret-of-the-role';

function variablesOf(settings: FunctionSettings, root: string, api: string, ownDisk: string) {
  const { name, handler, memoryMb, environment } = settings;
  return {
    ...{
      AWS_REGION: 'us-east-1',
      AWS_DEFAULT_REGION: 'us-east-1',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    },
    ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: secretOfTheRole, AWS_SESSION_TOKEN: 'session' },
    ...{ AWS_LAMBDA_FUNCTION_NAME: name, AWS_LAMBDA_FUNCTION_VERSION: '$LATEST' },
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: `2026/11/30/[$LATEST]${randomUUID().replaceAll('-', '')}`,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    ...{ AWS_LAMBDA_RUNTIME_API: api, _HANDLER: handler, LAMBDA_TASK_ROOT: root },
    ...{ LANG: 'en_US.UTF-8', TZ: ':UTC', PATH: '/usr/local/bin:/usr/bin:/bin', TMPDIR: ownDisk },
    ...environment,
  };
}

function rssOf(pid: number | undefined): number {
  const file = `/proc/${pid}/statm`;
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[1]) * 4096 : 0;
}

const WATCH_MS = 25;

/** What the process and its service have agreed on so far. */
interface Conversation {
  /** The process waits for an event: what answers it. */
  next: ServerResponse | undefined;
  ready: (() => void) | undefined;
  result: InvocationEnd | undefined;
  end: ((end: InvocationEnd) => void) | undefined;
  dead: InvocationEnd | undefined;
}

/** Starts an environment for the function in `root`, cold: the first event waits until it is loaded. */
export async function openEnvironment(
  settings: FunctionSettings,
  root: string,
): Promise<ExecutionEnvironment> {
  const talk: Conversation = {
    ...{ next: undefined, ready: undefined, result: undefined, end: undefined, dead: undefined },
  };
  const server = createServer((request, response) => void serve(talk, child, request, response));
  const api = `127.0.0.1:${await listen(server)}`;
  const ownDisk = mkdtempSync(join(tmpdir(), 'lambda-tmp-'));
  const child: ChildProcess = spawn(process.execPath, [...flagsFor(settings.memoryMb, ownDisk), bootstrap], {
    env: variablesOf(settings, root, api, ownDisk),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = keepWritten(child);
  const kill = (errorType: string, message: string): void => {
    talk.dead ??= { type: 'error', errorType, message };
    child.kill('SIGKILL');
  };
  const abandon = (): void => void child.kill('SIGKILL');
  // A stopped process would outlive this one.
  process.once('exit', abandon);
  child.once('close', (code, signal) => {
    process.removeListener('exit', abandon);
    const message = `the process ended: ${signal ?? code} ${written().slice(-2_000)}`;
    talk.dead ??= { type: 'error', errorType: 'Runtime.ExitError', message };
    talk.ready?.();
    talk.end?.(talk.dead);
    server.close();
    rmSync(ownDisk, { recursive: true, force: true });
  });
  return {
    invoke: (event, trace) => invokeIn(talk, child, settings, { event, trace, kill }),
    isAlive: () => talk.dead === undefined,
    rssBytes: () => rssOf(child.pid),
    logs: written,
    close: () => kill('closed', 'the environment was closed'),
  };
}

/** A process that writes more than this without end is not a function worth testing. */
const MAX_LOG = 10_000_000;

/** Each stream is kept by itself: a line of one must not be cut by a line of the other. */
function keepWritten(child: ChildProcess): () => string {
  const kept = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      if (kept[name].length < MAX_LOG) kept[name] += text;
    });
  }
  return () => `${kept.stdout}${kept.stderr}`;
}

/** The Runtime API of Lambda. A process that asks for its next event while there is none is stopped in the middle. */
async function serve(
  talk: Conversation,
  child: ChildProcess,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url?.replace('/2018-06-01/runtime/', '') ?? '';
  if (path === 'invocation/next') {
    talk.next = response;
    child.kill('SIGSTOP');
    if (talk.result !== undefined) talk.end?.(talk.result);
    talk.ready?.();
    return;
  }
  const said: unknown = JSON.parse(String(await readBody(request)));
  if (/^invocation\/[\w-]+\/response$/.test(path)) talk.result = { type: 'answer', payload: said };
  else {
    const { errorType, errorMessage } = said as { readonly errorType: string; readonly errorMessage: string };
    const end: InvocationEnd = { type: 'error', errorType, message: errorMessage };
    if (path === 'init/error') talk.dead = end;
    else talk.result = end;
  }
  response.writeHead(202).end();
}

interface Invocation {
  readonly event: unknown;
  readonly trace: string | undefined;
  readonly kill: (errorType: string, message: string) => void;
}

async function invokeIn(
  talk: Conversation,
  child: ChildProcess,
  { name, timeoutMs, memoryMb }: FunctionSettings,
  { event, trace, kill }: Invocation,
): Promise<InvocationEnd> {
  if (talk.next === undefined && talk.dead === undefined) {
    await new Promise<void>((resolve) => {
      talk.ready = resolve;
    });
  }
  const { next } = talk;
  if (talk.dead !== undefined || next === undefined) return talk.dead ?? neverReady;
  Object.assign(talk, { next: undefined, ready: undefined, result: undefined });
  const ended = new Promise<InvocationEnd>((resolve) => {
    talk.end = resolve;
  });
  child.kill('SIGCONT');
  next.writeHead(200, {
    'content-type': 'application/json',
    'lambda-runtime-aws-request-id': randomUUID(),
    'lambda-runtime-deadline-ms': String(Date.now() + timeoutMs),
    'lambda-runtime-invoked-function-arn': `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
    ...(trace === undefined ? {} : { 'lambda-runtime-trace-id': trace }),
  });
  next.end(JSON.stringify(event));
  const deadline = setTimeout(
    () => kill('Sandbox.Timedout', `Task timed out after ${timeoutMs / 1000} seconds`),
    timeoutMs,
  );
  const watch = setInterval(() => {
    if (rssOf(child.pid) > memoryMb * 1_048_576) kill('Runtime.OutOfMemory', 'signal: killed');
  }, WATCH_MS);
  const end = await ended;
  clearTimeout(deadline);
  clearInterval(watch);
  talk.end = undefined;
  return end;
}

const neverReady: InvocationEnd = { type: 'error', errorType: 'Runtime.ExitError', message: 'never ready' };
