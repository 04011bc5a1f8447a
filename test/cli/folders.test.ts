import { readdirSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { main } from '../../src/cli/main.ts';
import { keptTerminal, type Said } from '../support/command-line.ts';
import { inFolder } from '../support/in-folder.ts';

inFolder();

beforeEach(() => {
  writeFileSync('tickets.csv', 'id,body\n1,Hello\n');
});

async function run(...args: readonly string[]): Promise<Said> {
  const { terminal, said } = keptTerminal();
  return { code: await main(args, terminal), ...said() };
}

describe('a folder that Treadle did not make', () => {
  it.each([
    ['triage', ['triage', 'tickets.csv', '--data', '.']],
    ['triage --fresh', ['triage', 'tickets.csv', '--data', '.', '--fresh']],
    ['dev', ['dev', '--data', '.', '--port', '0']],
  ])('is refused by %s, and stays as it is', async (_, args) => {
    const { code, err } = await run(...args);
    expect(code).toBe(exitCode.usage);
    expect(err).toMatch(/^treadle: \S+ holds files and is no data folder of Treadle: name a folder .*\n$/m);
    expect(readdirSync('.')).toEqual(['tickets.csv']);
  });

  it.each([
    ['--data', ['triage', 'tickets.csv', '--data', '']],
    ['--out', ['triage', 'tickets.csv', '--out', '', '--endpoint', 'http://127.0.0.1:9']],
    ['--data', ['dev', '--data', '']],
    ['--save', ['eval', '--cases', 'tickets.csv', '--save', '']],
  ])('is not named by an empty %s', async (flag, args) => {
    const { code, err } = await run(...args);
    expect(code).toBe(exitCode.usage);
    expect(err).toContain(`option '${flag} `);
    expect(readdirSync('.')).toEqual(['tickets.csv']);
  });
});

describe('the folder of the results', () => {
  it.each(['results.csv', 'rejected.jsonl'])(
    'never takes the place of %s, which is what is read',
    async (name) => {
      writeFileSync(name, name.endsWith('csv') ? 'id,body\n1,Hello\n' : '{"id":"1","body":"Hello"}\n');
      const { code, err } = await run('triage', name, '--out', '.', '--data', 'state');
      expect(code).toBe(exitCode.usage);
      expect(err).toContain(
        `${name} would be replaced by the results of its own tickets: name another folder`,
      );
      expect(readdirSync('.').sort()).toEqual([name, 'state', 'tickets.csv'].sort());
    },
  );

  it.runIf(process.platform === 'linux')(
    'is refused before money is spent where none can be made',
    async () => {
      const { code, err } = await run('triage', 'tickets.csv', '--out', '/proc/treadle', '--data', 'state');
      expect(code).toBe(exitCode.usage);
      expect(err).toMatch(/^treadle: --out \/proc\/treadle: no folder can be made there\n$/m);
    },
  );
});
