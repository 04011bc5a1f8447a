import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Agent } from '../core/agent.ts';
import { TerminalError } from '../core/errors.ts';
import { moduleOptions } from '../module-options.ts';

/**
 * Loads the agents that a module exports as `agents`. The module may be TypeScript or JavaScript, anywhere; `treadle` and
 * `zod` are taken from this installation, so that its tools and ours are of one kind.
 */
export async function loadAgents(module: string): Promise<readonly Agent[]> {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-agents-'));
  const outfile = join(folder, 'agents.mjs');
  try {
    await build({ ...moduleOptions, entryPoints: [resolve(module)], outfile });
    const loaded = (await import(pathToFileURL(outfile).href)) as { agents?: unknown };
    return checked(module, loaded.agents);
  } catch (cause) {
    if (cause instanceof TerminalError) throw cause;
    const why = cause instanceof Error ? cause.message.split('\n').slice(0, 3).join(' ') : 'unknown';
    throw new TerminalError('agents_module', `the agents module ${module} does not load: ${why}`, { cause });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function checked(module: string, agents: unknown): readonly Agent[] {
  const list = Array.isArray(agents) ? (agents as readonly Agent[]) : [];
  if (list.length === 0 || list.some((agent) => !(agent?.tools instanceof Map))) {
    throw new TerminalError(
      'agents_module',
      `the agents module ${module} does not export \`agents\`, a list made with defineAgent`,
    );
  }
  const names = list.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) {
    throw new TerminalError('agents_module', `the agents module ${module} has two agents named ${twice}`);
  }
  return list;
}
