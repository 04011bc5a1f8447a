import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildFailure, buildSync } from 'esbuild';
import { moduleOptions } from './module-options.ts';

/** An agent as far as is looked at here. */
interface Named {
  readonly name: string;
  readonly model: string;
}

/** What a module turned out to be: its agents, undefined where it exports none, or why it does not load. */
export type Inspected = { readonly agents?: readonly Named[] | null } | { readonly error: string };

/** Runs in a process of its own: the last line is ours, whatever the module prints. */
const load = (file: string): string => `
  const named = ({ agents }) =>
    Array.isArray(agents) && agents.every((agent) => agent?.tools instanceof Map)
      ? agents.map(({ name, model }) => ({ name, model }))
      : null;
  const said = await import(${JSON.stringify(pathToFileURL(file).href)}).then(
    (module) => ({ agents: named(module) }),
    (error) => ({ error: String(error?.message ?? error).trim().split('\\n')[0] || 'an error without a message' }),
  );
  process.stdout.write('\\n' + JSON.stringify(said), () => process.exit());`;

/** Longer than any module takes that does nothing but define agents. */
const LOAD_MS = 30_000;

/** Loads a module of agents without waiting, as constructs must, in a process of its own, and says what it exports. */
export function inspectAgents(module: string, loadMs = LOAD_MS): Inspected {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-agents-'));
  const outfile = join(folder, 'agents.mjs');
  try {
    buildSync({ ...moduleOptions, entryPoints: [resolve(module)], outfile });
    const args = ['--input-type=module', '-e', load(outfile)];
    const printed = execFileSync(process.execPath, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: loadMs,
    });
    return readLast(printed) ?? { error: 'it ended the process while it was loaded' };
  } catch (error) {
    return { error: whyNot(error as Partial<BuildFailure> & Failure, loadMs) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a process that ended otherwise than well leaves. */
interface Failure {
  readonly message: string;
  readonly code?: unknown;
  readonly status?: number | null;
  readonly signal?: string | null;
}

/** Exit code of Node where a module waits for something that never comes. */
const UNSETTLED = 13;

function whyNot(failure: Partial<BuildFailure> & Failure, loadMs: number): string {
  const [first] = failure.errors ?? [];
  if (first !== undefined) {
    const place = first.location === null ? '' : `${first.location.file}:${first.location.line}: `;
    return `${place}${first.text}`;
  }
  if (failure.code === 'ETIMEDOUT') return `it was not loaded after ${loadMs / 1_000} s`;
  if (failure.status === UNSETTLED) return 'it waits for something that never comes';
  if (typeof failure.status === 'number') return `it ended the process with code ${failure.status}`;
  if (typeof failure.signal === 'string') return `its process was ended by ${failure.signal}`;
  return failure.message.trim().split('\n')[0] ?? '';
}

function readLast(printed: string): Inspected | undefined {
  try {
    return JSON.parse(printed.slice(printed.lastIndexOf('\n'))) as Inspected;
  } catch {
    return undefined;
  }
}
