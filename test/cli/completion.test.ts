import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { completionScript } from '../../src/cli/completion.ts';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { createProgram, main } from '../../src/cli/main.ts';
import { keptTerminal } from '../support/command-line.ts';

const root = createProgram(keptTerminal().terminal, () => undefined);

/** What bash offers for a line whose last word is being written; one process answers for all lines. */
function offered(lines: readonly string[]): readonly (readonly string[])[] {
  const asks = lines.map((line) => {
    const words = line.split(' ').map((word) => `'${word}'`);
    return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; COMPREPLY=(); _treadle; echo "\${COMPREPLY[*]}"`;
  });
  const script = `set -u\n${completionScript(root, 'bash')}\n${asks.join('\n')}`;
  const out = execFileSync('bash', ['--norc'], { input: script, encoding: 'utf8', cwd: '/' });
  return out
    .split('\n')
    .slice(0, lines.length)
    .map((line) => line.split(' ').filter((word) => word !== ''));
}

describe('completion in bash', () => {
  const lines = {
    root: 'treadle ',
    begun: 'treadle b',
    nested: 'treadle batch ',
    options: 'treadle batch results --f',
    behindId: 'treadle batch results batch_1 --fo',
    values: 'treadle jobs --status aw',
    ownValues: 'treadle batch results --format ',
    other: 'treadle cost --by ',
    afterValue: 'treadle jobs --status failed --st',
  };
  const said: Record<string, readonly string[]> = {};
  beforeAll(() => {
    const answers = offered(Object.values(lines));
    Object.keys(lines).forEach((name, at) => {
      said[name] = answers[at] ?? [];
    });
  });

  it('offers all commands, and those that begin so', () => {
    for (const command of root.commands) expect(said['root']).toContain(command.name());
    expect(said['begun']).toEqual(['batch']);
    expect(said['nested']).toEqual(expect.arrayContaining(['submit', 'results', '--help']));
    expect(said['nested']).not.toContain('jobs');
  });

  it('offers the options of the command, also behind its arguments', () => {
    expect(said['options']).toEqual(['--format', '--follow']);
    expect(said['behindId']).toEqual(['--format', '--follow']);
    expect(said['afterValue']).toEqual(['--status', '--stop']);
  });

  it('offers the values that an option takes', () => {
    expect(said['values']).toEqual(['awaiting_approval']);
    expect(said['ownValues']).toEqual(['jsonl', 'csv']);
    expect(said['other']).toEqual(['tenant', 'agent', 'day', 'batch']);
  });
});

describe('treadle completion', () => {
  it.each(['bash', 'zsh', 'fish'] as const)(
    'prints a script for %s that names every command',
    async (shell) => {
      const { terminal, said } = keptTerminal();
      expect(await main(['completion', shell], terminal)).toBe(exitCode.done);
      for (const name of ['triage', 'jobs', 'stop-all', 'redrive']) expect(said().out).toContain(name);
      expect(said().out).toContain('add-usd');
    },
  );

  it('takes another shell for wrong usage', async () => {
    const { terminal, said } = keptTerminal();
    expect(await main(['completion', 'cmd'], terminal)).toBe(exitCode.usage);
    expect(said().err).toContain('bash, zsh, fish');
  });
});

describe('treadle --version', () => {
  it('prints the version of the package and nothing else', async () => {
    const { terminal, said } = keptTerminal();
    expect(await main(['--version'], terminal)).toBe(exitCode.done);
    expect(said()).toEqual({ out: `${manifest.version}\n`, err: '' });
  });
});
