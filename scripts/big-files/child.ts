import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly seconds: number;
  /** The most memory the process ever held. */
  readonly peakMb: number;
}

const MARK = 'peak-kilobytes ';
const sayPeak = `process.on('exit', () => process.stderr.write('\\n${MARK}' + process.resourceUsage().maxRSS + '\\n'));`;

/** Runs a file of this project in a Node process of its own, its progress shown, and tells its peak of memory. */
export async function runChild(file: string, args: readonly string[]): Promise<Finished> {
  const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  const tsx = file.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const measure = `data:text/javascript,${encodeURIComponent(sayPeak)}`;
  const startedMs = performance.now();
  const child = spawn(process.execPath, [...tsx, '--import', measure, path, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (part) => {
    stdout += part;
  });
  child.stderr.on('data', (part) => {
    stderr = (stderr + part).slice(-10_000);
  });
  const code = await new Promise<number>((resolve) => child.on('close', (exit) => resolve(exit ?? -1)));
  const seconds = (performance.now() - startedMs) / 1_000;
  const peak = stderr.split(MARK).at(-1) ?? '';
  if (code !== 0 && code !== 3) process.stderr.write(stderr);
  return { code, stdout, seconds, peakMb: Number.parseInt(peak, 10) / 1024 };
}
