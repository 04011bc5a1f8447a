import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployment, Killed } from '../support/deployment.ts';
import { type Dev, runDev } from './dev-process.ts';
import { newFolder, projectFile, type Running, start } from './processes.ts';

let dev: Dev;
beforeAll(async () => {
  dev = await runDev([]);
});
afterAll(() => dev.kill());

const tickets = projectFile('examples/tickets.csv');
const there = (out: string, ...args: readonly string[]): Running =>
  start(['triage', '--out', out, '--endpoint', dev.api, '--json', ...args]);
const here = (out: string, ...args: readonly string[]): Running =>
  start(['triage', '--out', out, '--json', ...args]);

/** Which jobs find the cache warm depends on which come first, and so do their figures. */
function rowsOf(out: string): readonly unknown[] {
  const lines = readFileSync(join(out, 'results.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => {
    const { jobId: _, usage: __, cost: ___, ...row } = JSON.parse(line) as Record<string, unknown>;
    return row;
  });
}

function summaryOf(stdout: string) {
  const { usage: _, cost: __, out: ___, ...summary } = JSON.parse(stdout) as Record<string, unknown>;
  return summary;
}

const header = (out: string): string =>
  readFileSync(join(out, 'results.csv'), 'utf8').split('\n', 1)[0] ?? '';
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function oddFile(): string {
  const path = join(newFolder(), 'odd.csv');
  const rows = [
    'id,subject,body,Plan',
    'A,Cup,Where is ORD-1001?,gold',
    'B,,,silver',
    'A,Other,x,',
    'C,a,b,c,d',
  ];
  writeFileSync(path, `${rows.join('\n')}\n`);
  return path;
}

describe('triage --endpoint as a process', () => {
  it.each([
    ['the example tickets', 0, [tickets]],
    ['rows without text, a rejected one and a broken one', 3, [oddFile()]],
  ])('does with %s on a deployment what it does here', async (_, code, files) => {
    const [remote, local] = [newFolder(), newFolder()];
    const [far, near] = await Promise.all([there(remote, ...files).finished, here(local, ...files).finished]);
    expect({ far: far.code, near: near.code }).toEqual({ far: code, near: code });
    expect(rowsOf(remote)).toEqual(rowsOf(local));
    expect(summaryOf(far.stdout)).toEqual(summaryOf(near.stdout));
    expect(header(remote)).toBe(header(local));
  });

  it('carries on after kill -9 with the same command: one batch, every result, nothing asked twice', async () => {
    const calm = newFolder();
    const before = (await dev.calls()).length;
    await there(calm, tickets, '--fresh', '--approvals', 'deny').finished;
    const calls = (await dev.calls()).length - before;
    const batches = (await dev.client.batches()).items.length;

    const out = newFolder();
    const victim = there(out, tickets, '--approvals', 'deny');
    while ((await dev.calls()).length < before + calls + 20 && victim.child.exitCode === null) await pause(5);
    victim.child.kill('SIGKILL');
    expect((await victim.finished).code).toBeNull();
    const last = await there(out, tickets, '--approvals', 'deny').finished;
    expect(last).toMatchObject({ code: 0 });
    expect(rowsOf(out)).toEqual(rowsOf(calm));
    expect((await dev.client.batches()).items).toHaveLength(batches + 1);
    expect((await dev.calls()).length).toBe(before + 2 * calls);
    const again = await there(out, tickets).finished;
    expect(summaryOf(again.stdout)).toEqual({ ...summaryOf(last.stdout), modelCalls: 0 });
  });

  it('exits with 130 on Ctrl-C, and says what goes on', async () => {
    const out = newFolder();
    const { child, finished } = there(out, tickets);
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said += String(chunk);
    });
    while (!said.includes('tickets sent') && child.exitCode === null) await pause(5);
    child.kill('SIGINT');
    const { code, stderr } = await finished;
    expect(code).toBe(130);
    expect(stderr).toMatch(/Interrupted; batch_\S+ goes on without being watched/);
    expect((await there(out, tickets).finished).code).toBe(0);
  });
});

it('sends what is too much for one call in parts, also where it died between two of them', async () => {
  const there = deployment();
  const rows = Array.from({ length: 5_001 }, (_, n) => `T${n},x`);
  const path = join(newFolder(), 'long.csv');
  writeFileSync(path, ['id,body', ...rows].join('\n'));
  const given = { files: [path], out: newFolder() };
  there.after = (made) => {
    if (made === 'POST /batches/ID/rows') throw new Killed(made);
  };
  await expect(there.run(given)).rejects.toThrow(Killed);
  expect((await there.client.batches()).items).toMatchObject([{ rows: 5_000, status: 'open' }]);
  there.after = () => undefined;
  const interrupt = new AbortController();
  await there.run(given, { interrupt, between: async () => interrupt.abort() });
  expect((await there.client.batches()).items).toMatchObject([{ rows: 5_001, status: 'running' }]);
});
