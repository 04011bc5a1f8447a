import { basename } from 'node:path';
import { LOCAL } from './endpoint.ts';
import { shellWord } from './shell-word.ts';

/** How this process was started. */
export interface Start {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The script that node was given, as it was named. */
  readonly script: string | undefined;
}

const started = (): Start => ({ environment: process.env, script: process.argv[1] });

/**
 * What a person types to call this command again. Its own name holds only where it was found by it; npm's commands find it
 * for themselves, and where it was started as a file of a checkout, nothing else finds it.
 */
export function programName({ environment, script = '' }: Start): string {
  const byName = basename(script).replace(/\.(cmd|ps1|exe)$/i, '') === 'treadle';
  return byName && environment['npm_command'] === undefined ? 'treadle' : 'npx --no treadle';
}

/** A command that can be copied, against the same deployment; without `endpoint` for one that asks none. */
export function hint(words: string, endpoint?: string, start: Start = started()): string {
  const usual = start.environment['TREADLE_ENDPOINT'] ?? LOCAL;
  // A variable may have been set for this one command.
  const same = endpoint === undefined || (endpoint === LOCAL && usual === LOCAL);
  return `${programName(start)} ${words}${same ? '' : ` --endpoint ${shellWord(endpoint)}`}`;
}

/** What stands at the end of a command's help. */
export const examples = (...lines: readonly string[]): string =>
  `\nExample:\n${lines.map((words) => `  ${hint(words)}\n`).join('')}`;
