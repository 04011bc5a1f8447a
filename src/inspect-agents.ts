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
    (error) => ({ error: String(error?.message ?? error).split('\\n')[0] }),
  );
  process.stdout.write('\\n' + JSON.stringify(said), () => process.exit());`;

/** Loads a module of agents without waiting, as constructs must, in a process of its own, and says what it exports. */
export function inspectAgents(module: string): Inspected {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-agents-'));
  const outfile = join(folder, 'agents.mjs');
  try {
    buildSync({ ...moduleOptions, entryPoints: [resolve(module)], outfile });
    const args = ['--input-type=module', '-e', load(outfile)];
    const printed = execFileSync(process.execPath, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return JSON.parse(printed.slice(printed.lastIndexOf('\n'))) as Inspected;
  } catch (error) {
    const [first] = (error as Partial<BuildFailure>).errors ?? [];
    if (first === undefined) return { error: (error as Error).message.split('\n')[0] ?? '' };
    const place = first.location === null ? '' : `${first.location.file}:${first.location.line}: `;
    return { error: `${place}${first.text}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
