import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { cleanEnvironment, projectFile } from './processes.ts';

function start(args: readonly string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/chaos.ts', ...args], {
    cwd: projectFile(''),
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    text.stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    text.stderr += String(chunk);
  });
  // The workers share the pipes of the command: they close once the last of them is gone.
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, text, closed };
}

const figure = (text: string, name: string): number =>
  Number(new RegExp(`(\\d+) ${name}`).exec(text)?.[1] ?? Number.NaN);

it('keeps every promise while workers are killed and requests go wrong', async () => {
  const { text, closed } = start(['--jobs', '20', '--seed', '7', '--patience', '240']);
  const code = await closed;
  process.stderr.write(text.stdout);
  expect({ code, stderr: code === 0 ? '' : text.stderr }).toEqual({ code: 0, stderr: '' });
  expect(text.stdout).toContain('20 of 20 in the table');
  expect(text.stdout).toContain('all hold');
  for (const name of ['kills', 'duplicates', 'lost answers', 'throttled']) {
    expect(figure(text.stdout, name), name).toBeGreaterThan(0);
  }
}, 300_000);

it('leaves no worker behind when it is killed itself', async () => {
  const { child, text, closed } = start(['--jobs', '20', '--kill-every', '0']);
  await new Promise<void>((resolve) =>
    child.stderr.on('data', () => {
      if (text.stderr.includes('jobs ended')) resolve();
    }),
  );
  child.kill('SIGKILL');
  await closed;
}, 60_000);
