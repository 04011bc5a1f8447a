import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DataDir, openDataDir } from '../../src/local/data-dir.ts';

const version = 3;
let folder: string;
let path: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'treadle-data-'));
  path = join(folder, 'deep', 'state');
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

async function aProcess(): Promise<{ readonly pid: number; readonly kill: () => Promise<void> }> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  children.push(child);
  await once(child, 'spawn');
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { pid: child.pid ?? 0, kill };
}

const locksIn = async () => (await readdir(path)).filter((name) => name.startsWith('treadle.lock.'));

/** A lock as another process with this pid would have left it. */
async function leaveLock(pid: number, started: string | null): Promise<void> {
  await (await openDataDir(path, { version })).close();
  const [name = ''] = await locksIn();
  await writeFile(join(path, name), JSON.stringify({ pid, started, released: false }));
}

describe('the folder', () => {
  it('is made with its version, and opens again after it was closed', async () => {
    const first = await openDataDir(path, { version });
    expect(first).toMatchObject({ path, recovered: false });
    await first.close();
    await first.close();
    const second = await openDataDir(path, { version });
    expect(second.recovered).toBe(false);
    expect(JSON.parse(await readFile(join(path, 'treadle.json'), 'utf8'))).toEqual({ v: version });
    await second.close();
    expect((await readdir(path)).sort()).toEqual(['treadle.json', 'treadle.lock.2']);
  });

  it('is refused when a version of before the oldest has written it, with what to do', async () => {
    await (await openDataDir(path, { version: 1 })).close();
    await expect(openDataDir(path, { version, oldest: 2 })).rejects.toMatchObject({
      code: 'older_data_dir',
      message: expect.stringContaining('data version 1, this one reads from 2'),
    });
    await (await openDataDir(path, { version, oldest: 1 })).close();
  });

  it('is refused when a newer version has written it, and stays unlocked', async () => {
    await (await openDataDir(path, { version: 4 })).close();
    await expect(openDataDir(path, { version })).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'newer_data_dir',
      message: expect.stringContaining('data version 4'),
    });
    const again = await openDataDir(path, { version: 4 });
    expect(again.recovered).toBe(false);
    await again.close();
  });

  it('is raised to the version that opens it', async () => {
    await (await openDataDir(path, { version: 2 })).close();
    await (await openDataDir(path, { version })).close();
    await expect(openDataDir(path, { version: 2 })).rejects.toMatchObject({ code: 'newer_data_dir' });
  });

  it.each([
    ['a file', (file: string) => file],
    ['below a file', (file: string) => join(file, 'state')],
  ])('is refused when it is %s', async (_, at) => {
    const file = join(folder, 'file.txt');
    await writeFile(file, 'mine');
    await expect(openDataDir(at(file), { version })).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'invalid_data_dir',
    });
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  it('is refused when its version file says nothing readable', async () => {
    await (await openDataDir(path, { version })).close();
    await writeFile(join(path, 'treadle.json'), '{');
    await expect(openDataDir(path, { version })).rejects.toMatchObject({ code: 'invalid_data_dir' });
  });

  it('is refused when it holds what Treadle did not make, and nothing is written into it', async () => {
    await writeFile(join(folder, 'important.txt'), 'mine');
    for (const fresh of [false, true]) {
      const refused = {
        code: 'foreign_data_dir',
        message: expect.stringContaining('no data folder of Treadle'),
      };
      await expect(openDataDir(folder, { version }, { fresh })).rejects.toMatchObject(refused);
    }
    expect(await readdir(folder)).toEqual(['important.txt']);
    await expect(openDataDir('', { version })).rejects.toMatchObject({ code: 'usage' });
  });

  it('is opened where a start was killed before it left its mark', async () => {
    await mkdir(path, { recursive: true });
    for (const name of ['treadle.lock.1', 'treadle.json.new']) await writeFile(join(path, name), '{');
    const dir = await openDataDir(path, { version });
    await dir.close();
    expect(await readdir(path)).toContain('treadle.json');
  });

  it('loses with fresh what Treadle wrote, of whatever version, and nothing that others put there', async () => {
    await (await openDataDir(path, { version: 1 })).close();
    await mkdir(join(path, 'dynamodb'));
    const ours = ['dynamodb/CURRENT', 'refunds.jsonl', 'notes.jsonl', 'deployment-runs.json'];
    for (const name of [...ours, 'results.csv']) await writeFile(join(path, name), '');
    const dir = await openDataDir(path, { version, oldest: 2 }, { fresh: true });
    await dir.close();
    expect((await readdir(path)).sort()).toEqual(['results.csv', 'treadle.json', 'treadle.lock.2']);
    await (await openDataDir(path, { version, oldest: version })).close();
  });

  it.runIf(process.platform === 'linux')('is refused where no folder can be made', async () => {
    const refused = {
      code: 'invalid_data_dir',
      message: expect.stringContaining('no folder can be made there'),
    };
    await expect(openDataDir('/proc/treadle/state', { version })).rejects.toMatchObject(refused);
  });

  it('may be deleted while it is open', async () => {
    const dir = await openDataDir(path, { version });
    await rm(path, { recursive: true });
    await expect(dir.close()).resolves.toBeUndefined();
  });
});

describe('the lock', () => {
  it('keeps a second start out, naming the process that has it', async () => {
    const dir = await openDataDir(path, { version });
    await expect(openDataDir(path, { version })).rejects.toMatchObject({
      code: 'data_dir_in_use',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await dir.close();
  });

  it('is kept by a live process and lapses with its death', async () => {
    const other = await aProcess();
    await leaveLock(other.pid, null);
    await expect(openDataDir(path, { version })).rejects.toMatchObject({
      code: 'data_dir_in_use',
      message: expect.stringContaining(`process ${other.pid}`),
    });
    await other.kill();
    const dir = await openDataDir(path, { version });
    expect(dir.recovered).toBe(true);
    await dir.close();
  });

  it.runIf(process.platform === 'linux')('is not kept by a later process with the same pid', async () => {
    await leaveLock(process.pid, '1');
    const dir = await openDataDir(path, { version });
    expect(dir.recovered).toBe(true);
    await dir.close();
  });

  it('goes to exactly one of many that find the owner dead at once', async () => {
    const other = await aProcess();
    await leaveLock(other.pid, null);
    await other.kill();
    for (let round = 1; round <= 5; round += 1) {
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, () => openDataDir(path, { version })),
      );
      const won = results.filter(
        (result): result is PromiseFulfilledResult<DataDir> => result.status === 'fulfilled',
      );
      expect(won).toHaveLength(1);
      expect(won[0]?.value.recovered).toBe(round === 1);
      const lost = results.filter((result) => result.status === 'rejected');
      for (const { reason } of lost) expect(reason).toMatchObject({ code: 'data_dir_in_use' });
      await won[0]?.value.close();
    }
    expect(await locksIn()).toHaveLength(1);
  });
});
