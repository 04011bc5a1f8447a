import { execFileSync, spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { completionScript, type Shell } from '../../src/cli/completion.ts';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { createProgram, main } from '../../src/cli/main.ts';
import { keptTerminal } from '../support/command-line.ts';

const root = createProgram(keptTerminal().terminal, () => undefined);

const END = '@end';

/** The line as words in quotes, the last of which is being written. */
const quotedWords = (line: string): readonly string[] => line.split(' ').map((word) => `'${word}'`);

/** How a shell is made to say what it offers for a line: each candidate in a line of its own. */
const asks: Readonly<Record<Shell, (line: string) => string>> = {
  bash: (line) => {
    const words = quotedWords(line);
    return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; COMPREPLY=(); _treadle; printf '%s\\n' "\${COMPREPLY[@]}"`;
  },
  zsh: (line) => {
    const words = quotedWords(line);
    return `words=(${words.join(' ')}); CURRENT=${words.length}; _treadle`;
  },
  fish: (line) => `complete -C '${line}'`,
};

/** What completion of zsh is built of stands only on its command line: candidates that begin as the word does. */
const stubs = `compdef() { :; }
offer() { local one; for one in "$@"; do [[ "$one" == "\${words[CURRENT]}"* ]] && print -r -- "$one"; done; return 0; }
compadd() { shift; offer "$@"; }
_describe() { local name="\${@[-1]}"; offer "\${(@)\${(@P)name}%%:*}"; }
_files() { print -r -- @files; }
`;

const commands: Readonly<Record<Shell, readonly [name: string, ...args: string[]]>> = {
  bash: ['bash', '--norc', '-c'],
  zsh: ['zsh', '-f', '-c'],
  fish: ['fish', '--no-config', '-c'],
};
const has = (shell: Shell): boolean => spawnSync(commands[shell][0], ['--version']).status === 0;

/** One process answers for all lines. */
function offered(shell: Shell, lines: readonly string[]): readonly (readonly string[])[] {
  const [name, ...args] = commands[shell];
  const before = shell === 'zsh' ? stubs : shell === 'bash' ? 'set -u\n' : '';
  const all = lines.map((line) => `${asks[shell](line)}\necho ${END}`);
  const script = `${before}${completionScript(root, shell)}\n${all.join('\n')}\n`;
  const out = execFileSync(name, [...args, script], { encoding: 'utf8', cwd: '/' });
  return out
    .split(`${END}\n`)
    .slice(0, lines.length)
    .map((part) => part.split('\n').flatMap((line) => line.split('\t')[0] || []));
}

const lines = {
  root: 'treadle ',
  begun: 'treadle b',
  nested: 'treadle batch ',
  options: 'treadle batch results --f',
  behindId: 'treadle batch results batch_1 --fo',
  extendBatch: 'treadle batch extend batch_1 --add',
  extendJob: 'treadle extend job_1 --add',
  listLetters: 'treadle dlq list --lim',
  values: 'treadle jobs --status aw',
  ownValues: 'treadle batch results --format ',
  other: 'treadle cost --by ',
  afterValue: 'treadle jobs --status failed --st',
};

describe.each(['bash', 'zsh', 'fish'] as const)('completion in %s', (shell) => {
  describe.runIf(has(shell))('where it is installed', () => {
    const said: Record<string, readonly string[]> = {};
    beforeAll(() => {
      const answers = offered(shell, Object.values(lines));
      Object.keys(lines).forEach((name, at) => {
        said[name] = [...(answers[at] ?? [])].sort();
      });
    });

    it('offers all commands, and those that begin so', () => {
      for (const command of root.commands) expect(said['root']).toContain(command.name());
      expect(said['begun']).toEqual(['batch']);
      expect(said['nested']).toEqual(expect.arrayContaining(['submit', 'results']));
      expect(said['nested']).not.toContain('jobs');
    });

    it('offers the options of the command, also behind its arguments', () => {
      expect(said['options']).toEqual(['--follow', '--format']);
      expect(said['behindId']).toEqual(['--follow', '--format']);
      expect(said['afterValue']).toEqual(['--status', '--stop']);
    });

    it('tells commands of one name apart by what stands before them', () => {
      expect(said['extendBatch']).toEqual(['--add-usd']);
      expect(said['extendJob']).toEqual(['--add-seconds', '--add-steps', '--add-tokens', '--add-usd']);
      expect(said['listLetters']).toEqual(['--limit']);
    });

    it('offers the values that an option takes', () => {
      expect(said['values']).toEqual(['awaiting_approval']);
      expect(said['ownValues']).toEqual(['csv', 'jsonl']);
      expect(said['other']).toEqual(['agent', 'batch', 'day', 'tenant']);
    });
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

  it('asks fish for the whole way to a command, never for one word of it', () => {
    const script = completionScript(root, 'fish');
    expect(script).not.toContain('__fish_seen_subcommand_from');
    expect(script).toMatch(/-n '__treadle_at batch extend' -l add-usd /);
    expect(script).toMatch(/-n '__treadle_at extend' -l add-steps /);
    expect(script).not.toMatch(/-n '__treadle_at batch extend' -l add-steps /);
  });

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
