import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Given } from '../../src/api/route.ts';
import { createProgram } from '../../src/cli/main.ts';
import { worldGiven } from '../api/given.ts';
import { overHttp } from '../api/senders.ts';
import { keptTerminal, treadle } from '../support/command-line.ts';

const page = fileURLToPath(new URL('../../docs/cli.md', import.meta.url));
const text = readFileSync(page, 'utf8');

/** What stands before an example, its command, and all that it prints. */
const examples = [
  ...text.matchAll(/<!-- given: (\w+) -->\n```console\n\$ treadle (.+)\n([\s\S]*?)```\n/g),
].map(([, given = '', command = '', output = '']) => ({ given: given as Given, command, output }));

const words = (command: string): readonly string[] =>
  (command.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));

async function printed(given: Given, command: string): Promise<string> {
  const world = await worldGiven(given);
  const { port } = await overHttp(world);
  vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now() + 60_000 });
  const lines: string[] = [];
  const keep = (more: string): void => void lines.push(more);
  await treadle(port, words(command), { out: keep, err: keep });
  // The page says how a command is called where it is read, and asks the local deployment.
  return lines
    .join('')
    .replaceAll('npx --no treadle ', 'treadle ')
    .replaceAll(` --endpoint http://127.0.0.1:${port}`, '');
}

afterEach(() => void vi.useRealTimers());

describe('docs/cli.md', () => {
  it.each(examples)('shows what treadle $command prints', async ({ given, command, output }) => {
    expect(output).toBe(await printed(given, command));
  });

  const root = createProgram(keptTerminal().terminal, () => undefined);
  const asking = root.commands.filter(({ options, commands }) =>
    [...options, ...commands.flatMap((one) => one.options)].some(({ long }) => long === '--endpoint'),
  );

  it('has every command that asks a deployment in its table, and an example of most', () => {
    const names = asking.flatMap((command) =>
      command.commands.length === 0
        ? [command.name()]
        : command.commands.map((one) => `${command.name()} ${one.name()}`),
    );
    expect(names.length).toBeGreaterThan(20);
    const table = text
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .join('\n');
    for (const name of names) expect(table).toMatch(new RegExp(`\`${name}[ \`]`));
    const shown = names.filter((name) => examples.some(({ command }) => command.startsWith(name)));
    expect(names.filter((name) => !shown.includes(name))).toEqual([
      ...['triage', 'batch results', 'doctor', 'console', 'eval'],
    ]);
  });

  it('has the exit codes of the contract', () => {
    for (const code of ['0', '1', '2', '3', '4', '130'])
      expect(text).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
  });
});
