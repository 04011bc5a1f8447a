import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export interface Running {
  /** The first line that it wrote. */
  readonly line: string;
  /** The most memory that it has had resident so far, in MB; 0 where the system does not say. */
  readonly peakMb: () => number;
  readonly stop: () => Promise<void>;
}

/** Starts a program of this project and waits for its first line on stdout. */
async function start(args: readonly string[], more: Readonly<Record<string, string>>): Promise<Running> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, args, {
    env: { PATH, HOME, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr?.on('data', (chunk) => {
    for (const line of String(chunk).split('\n')) {
      if (line !== '' && !line.startsWith('{"level":"info"')) process.stderr.write(`${line}\n`);
    }
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const line = await firstLine(child);
  return {
    line,
    peakMb: () => peakOf(child.pid),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`a process ended with ${code} before it was ready`)));
    child.stdout?.on('data', (chunk) => {
      text += String(chunk);
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
  });
}

function peakOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

const typescript = ['--import', 'tsx'];

export const startServers = (dataDir: string): Promise<Running> =>
  start([...typescript, here('stand-ins.ts'), dataDir], {});

export const startModel = (): Promise<Running> => start([...typescript, here('model.ts')], {});

/**
 * The heap of a worker on AWS with 512 MB. On a machine with much memory Node would leave garbage lying around until it is
 * four times what is in use, and what is measured would be the size of the machine.
 */
const HEAP = '--max-old-space-size=460';

/** `dev` on servers of their own, whose bad weather is none of ours. */
export const startDev = (servers: {
  readonly sqsEndpoint: string;
  readonly dynamodbEndpoint: string;
  readonly model: string;
}): Promise<Running> =>
  start(
    [HEAP, here('../../src/cli/treadle.mjs'), 'dev', '--json', '--port', '0', '--agents', here('agents.ts')],
    {
      AWS_ENDPOINT_URL_SQS: servers.sqsEndpoint,
      AWS_ENDPOINT_URL_DYNAMODB: servers.dynamodbEndpoint,
      ANTHROPIC_BASE_URL: servers.model,
    },
  );
