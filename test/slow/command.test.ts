import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Finished, newFolder, projectFile, start } from './processes.ts';

const run = (...args: readonly string[]): Promise<Finished> => start(['triage', ...args]).finished;
const tickets = projectFile('examples/tickets.csv');

function file(name: string, content: string | Uint8Array): string {
  const path = join(newFolder(), name);
  writeFileSync(path, content);
  return path;
}

function newerFolder(): string {
  const folder = newFolder();
  writeFileSync(join(folder, 'treadle.json'), '{"v":99}');
  return folder;
}

const twice = `import { defineAgent } from 'treadle';
const mine = defineAgent({ name: 'mine', model: 'scripted-1', system: 'Be short.', tools: [] });
export const agents = [mine, mine];`;

describe('triage with bad input says one clear sentence and', () => {
  it.each([
    ['a file that is not there', 2, ['nowhere.csv'], /nowhere\.csv: there is no such file/],
    ['a folder', 2, [projectFile('examples')], /is a folder; name a ticket file in it/],
    ['an empty file', 1, [file('empty.csv', '')], /there is nothing to read in it/],
    [
      'bytes that are no text',
      1,
      [
        file(
          'image.csv',
          Uint8Array.from({ length: 4_000 }, (_, n) => (n * 7_919) % 256),
        ),
      ],
      /not readable as text|cannot be read as text/,
    ],
    ['an agent that is not there', 2, [tickets, '--agent', 'nobody'], /no such agent; there are: triage/],
    ['a budget that is no number', 2, [tickets, '--budget-usd', 'abc'], /expected US dollars/],
    ['a budget of zero', 2, [tickets, '--budget-usd', '0'], /expected US dollars/],
    ['an option that is not there', 2, [tickets, '--bogus'], /unknown option '--bogus'/],
    ['a column that is not there', 2, [tickets, '--map', 'body=Nowhere'], /Nowhere/],
    ['a data folder of a newer version', 1, [tickets, '--data', newerFolder()], /newer/],
    [
      'an agents module that does not load',
      2,
      [tickets, '--agents', file('broken.ts', 'export const = 1')],
      /does not load/,
    ],
    [
      'an agents module without agents',
      2,
      [tickets, '--agents', file('none.ts', 'export const x = 1')],
      /does not export/,
    ],
    [
      'an agents module with one name twice',
      2,
      [tickets, '--agents', file('twice.ts', twice)],
      /has two agents named mine/,
    ],
    [
      'a model script that is none',
      2,
      [tickets, '--model-script', file('script.json', '{}')],
      /model script is not valid/,
    ],
  ] as const)('ends with the right code: %s', async (_, code, args, sentence) => {
    const finished = await run(...args, '--out', newFolder());
    expect(finished.stderr).toMatch(sentence);
    expect(finished.stderr.trim().split('\n').length).toBeLessThanOrEqual(4);
    expect({ code: finished.code, stdout: finished.stdout }).toEqual({ code, stdout: '' });
  });

  it('lets one of two runs on one data folder go on, and refuses the other', async () => {
    const out = newFolder();
    mkdirSync(out, { recursive: true });
    const both = await Promise.all([
      run(tickets, '--out', out, '--json'),
      run(tickets, '--out', out, '--json'),
    ]);
    expect(both.map((finished) => finished.code).sort()).toEqual([0, 1]);
    expect(both.find((finished) => finished.code === 1)?.stderr).toMatch(/in use/);
  });
});

it('warns where the columns of a file were not recognised', async () => {
  const { stderr } = await run(
    file('odd.csv', 'Fall;Anliegen\n1;Bitte alles erstatten\n'),
    '--out',
    newFolder(),
  );
  expect(stderr).toMatch(/Read 1 row: 1 accepted, 0 rejected, 0 skipped, 0 duplicates\.\n/);
  expect(stderr).toMatch(/^Warning: No row has any text .* --map body=Anliegen\.$/m);
});

describe('triage of the example files', () => {
  it('exits 0, writes sixty results, says first and last that answers are scripted, and prints it all again without a call', async () => {
    const out = newFolder();
    const { code, stdout, stderr } = await run('--out', out, '--approvals', 'deny');
    expect(code).toBe(0);
    expect(readFileSync(join(out, 'results.jsonl'), 'utf8').trim().split('\n')).toHaveLength(60);
    expect(stderr.split('\n')[0]).toMatch(/Answers are scripted by rules/);
    expect(stdout.trim().split('\n').at(-1)).toMatch(/answers are scripted by rules/);
    expect((stdout + stderr).includes(String.fromCharCode(27))).toBe(false);

    const again = await run('--out', out, '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ jobs: { succeeded: 60 }, modelCalls: 0 });
    const table = (text: string): readonly string[] => text.split('\n').filter((line) => /^T-\d/.test(line));
    const shown = await run('--out', out);
    expect(shown.stdout).toMatch(/finished before: here are its results again, at no cost/);
    expect(table(shown.stdout)).toHaveLength(60);
    expect(table(shown.stdout)).toEqual(table(stdout));
  });

  it('exits 4 on the hard file, with rejected rows beside the results', async () => {
    const out = newFolder();
    const { code, stdout } = await run(projectFile('examples/tickets-hard.csv'), '--out', out, '--json');
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({
      read: 10,
      accepted: 6,
      rejected: 2,
      skipped: 1,
      duplicates: 1,
    });
    expect(readFileSync(join(out, 'rejected.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2);
  });

  it('stops inside the pool, exits 4 and keeps what was done', async () => {
    const out = newFolder();
    const { code, stdout } = await run('--out', out, '--budget-usd', '0.06', '--json', '--concurrency', '1');
    const summary = JSON.parse(stdout) as {
      cost: { spentUsd: number };
      jobs: { succeeded: number; notStarted: number };
    };
    expect(code).toBe(4);
    expect(summary.cost.spentUsd).toBeLessThanOrEqual(0.06);
    expect(summary.jobs.succeeded).toBeGreaterThan(0);
    expect(summary.jobs.notStarted).toBeGreaterThan(0);
  });
});

it('stops on an interrupt with 130, and the same command carries on', async () => {
  const out = newFolder();
  const { child, finished } = start(['triage', tickets, '--out', out, '--concurrency', '1']);
  await new Promise((resolve) => child.stderr?.once('data', () => setTimeout(resolve, 1_500)));
  child.kill('SIGINT');
  const interrupted = await finished;
  expect(interrupted.code).toBe(130);
  expect(interrupted.stderr).toContain('The same command carries on');
  expect((await run(tickets, '--out', out, '--concurrency', '10', '--json')).code).toBe(0);
  expect(readFileSync(join(out, 'results.jsonl'), 'utf8').trim().split('\n')).toHaveLength(60);
});

it('refuses a folder that holds an unfinished run of other limits, and gives it up when told to', async () => {
  const out = newFolder();
  const { child, finished } = start(['triage', tickets, '--out', out]);
  await new Promise((resolve) => child.stderr?.once('data', () => setTimeout(resolve, 1_500)));
  child.kill('SIGKILL');
  await finished;
  const other = await run(tickets, '--out', out, '--max-cost-usd', '0.04', '--json');
  expect(other.code).toBe(1);
  expect(other.stderr).toContain('holds an unfinished run of other tickets or limits');
  const fresh = await run(tickets, '--out', out, '--max-cost-usd', '0.04', '--fresh', '--json');
  expect(fresh.code).toBe(0);
  expect(JSON.parse(fresh.stdout)).toMatchObject({
    jobs: { succeeded: 55, awaitingApproval: 5 },
    modelCalls: 140,
  });
});
