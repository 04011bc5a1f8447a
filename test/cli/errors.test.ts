import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { main } from '../../src/cli/main.ts';
import { inFolder } from '../support/in-folder.ts';

inFolder();
let said: string[] = [];

beforeEach(() => {
  said = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.push(String(text));
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

function failWith(error: Error): void {
  writeFileSync('tickets.csv', 'id,body\n1,Hello\n');
  vi.spyOn(process.stdout, 'write').mockImplementation(() => {
    throw error;
  });
}

const preview = (): Promise<number> => main(['triage', '--preview', '--json', 'tickets.csv']);

it('says in the words of the system what it may not read or write, and leaves no log', async () => {
  const about = { code: 'EACCES', syscall: 'open' };
  failWith(Object.assign(new Error("EACCES: permission denied, open '/x'"), about));
  expect(await preview()).toBe(exitCode.error);
  expect(said.join('')).toBe("treadle: EACCES: permission denied, open '/x'\n");
  expect(existsSync('treadle-error.log')).toBe(false);
});

it('ends with a sentence where not even the log of an error can be written', async () => {
  mkdirSync('treadle-error.log');
  failWith(new Error('out'));
  expect(await preview()).toBe(exitCode.error);
  expect(said.join('')).toBe(
    'treadle: an unexpected Error; its details could not be written into treadle-error.log\n',
  );
});
