import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { TerminalError } from '../core/errors.ts';

const ownerShape = z.object({
  pid: z.number().int().positive(),
  /** When the process started, in ticks since boot; null where the system does not say. */
  started: z.string().nullable(),
  released: z.boolean(),
});
type Owner = z.infer<typeof ownerShape>;

/** `undefined`: no such process. `null`: there is one, but the system does not say since when. */
function startOf(pid: number): string | null | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    if (!hasCode(error, 'EPERM')) return undefined;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A killed process whose parent has not yet asked for its end is dead all the same.
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function isAlive({ pid, started }: Owner): boolean {
  const current = startOf(pid);
  if (current === undefined) return false;
  return current === null || started === null || current === started;
}

/** Whether a failed system call failed with this code. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}

const PREFIX = 'treadle.lock.';

async function numbersIn(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder);
  const ends = names.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
  return ends.filter((end) => /^\d+$/.test(end)).map(Number);
}

async function highestIn(folder: string): Promise<number> {
  return Math.max(0, ...(await numbersIn(folder)));
}

/** Writes a whole file under another name first, so that nobody ever reads half of it. */
async function withDraft(
  folder: string,
  owner: Owner,
  publish: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = join(folder, `${PREFIX}${randomUUID()}`);
  await writeFile(draft, JSON.stringify(owner));
  try {
    await publish(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

async function ownerOf(path: string): Promise<Owner | 'gone' | 'unreadable'> {
  try {
    const parsed = ownerShape.safeParse(JSON.parse(await readFile(path, 'utf8')));
    return parsed.success ? parsed.data : 'unreadable';
  } catch (error) {
    return hasCode(error, 'ENOENT') ? 'gone' : 'unreadable';
  }
}

async function claim(folder: string, n: number, owner: Owner): Promise<boolean> {
  const path = join(folder, `${PREFIX}${n}`);
  try {
    await withDraft(folder, owner, (draft) => link(draft, path));
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
  // A start that looked long ago may succeed with a number that has been and gone; whoever has the highest is right.
  if ((await highestIn(folder)) === n) return true;
  await rm(path, { force: true });
  return false;
}

async function dropBelow(folder: string, n: number): Promise<void> {
  const old = (await numbersIn(folder)).filter((number) => number < n);
  await Promise.all(old.map((number) => rm(join(folder, `${PREFIX}${number}`), { force: true })));
}

const MAX_TRIES = 20;

export interface FolderLock {
  /** The process that held it before died without letting go. */
  readonly recovered: boolean;
  readonly release: () => Promise<void>;
}

/**
 * Takes the one lock of a folder, or throws `data_dir_in_use` with the pid of who has it. The lock is the file with the
 * highest number: a dead owner's is never removed or replaced, but outdone by the next number, which only one process
 * can create. So two that find the same dead owner at the same instant cannot both win.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const me: Owner = { pid: process.pid, started: startOf(process.pid) ?? null, released: false };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const n = await highestIn(folder);
    const owner = n === 0 ? undefined : await ownerOf(join(folder, `${PREFIX}${n}`));
    if (owner === 'gone') continue;
    if (typeof owner === 'object' && !owner.released && isAlive(owner)) {
      throw new TerminalError('data_dir_in_use', `${folder} is in use by the process ${owner.pid}`);
    }
    if (!(await claim(folder, n + 1, me))) continue;
    await dropBelow(folder, n + 1);
    const path = join(folder, `${PREFIX}${n + 1}`);
    return {
      recovered: owner === 'unreadable' || owner?.released === false,
      // The file stays: a number that could come back would let a slow start in beside a new owner.
      release: () =>
        withDraft(folder, { ...me, released: true }, (draft) => rename(draft, path)).catch(
          (error: unknown) => {
            // The whole folder was deleted meanwhile, and the lock with it.
            if (!hasCode(error, 'ENOENT')) throw error;
          },
        ),
    };
  }
  throw new TerminalError('data_dir_in_use', `${folder} is being opened by other processes`);
}
