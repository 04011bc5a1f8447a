import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { TerminalError } from '../core/errors.ts';
import { hasCode, lockFolder } from './folder-lock.ts';

/** The folder that holds a run's state, ours alone until it is closed. */
export interface DataDir {
  /** Absolute. */
  readonly path: string;
  /** The process that had it before died without closing it: its leases may be taken to have lapsed. */
  readonly recovered: boolean;
  /** A second time does nothing. */
  readonly close: () => Promise<void>;
}

const versionShape = z.object({ v: z.number().int().positive() });

function invalid(path: string, why: string, cause?: unknown): TerminalError {
  return new TerminalError('invalid_data_dir', `${path} cannot be used as a data folder: ${why}`, { cause });
}

/** Why a system call on the folder failed, for a person. */
function explain(path: string, error: unknown): Error {
  if (error instanceof TerminalError) return error;
  if (hasCode(error, 'EEXIST', 'ENOTDIR')) return invalid(path, 'it is a file, or lies below one', error);
  if (hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return invalid(path, 'it may not be written', error);
  if (hasCode(error, 'ENOSPC', 'EDQUOT')) return invalid(path, 'there is no space left', error);
  return invalid(path, error instanceof Error ? error.message : 'unknown error', error);
}

async function storedVersion(path: string, file: string): Promise<number | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  try {
    return versionShape.parse(JSON.parse(text)).v;
  } catch (cause) {
    throw invalid(path, `its treadle.json is not readable`, cause);
  }
}

async function checkVersion(path: string, file: string, version: number): Promise<number | undefined> {
  const stored = await storedVersion(path, file);
  if (stored === undefined || stored <= version) return stored;
  throw new TerminalError(
    'newer_data_dir',
    `${path} was written by a newer Treadle (data version ${stored}, this one reads up to ${version})`,
  );
}

async function open(path: string, version: number): Promise<DataDir> {
  const file = join(path, 'treadle.json');
  await mkdir(path, { recursive: true });
  await checkVersion(path, file, version);
  const lock = await lockFolder(path);
  try {
    // Again, because a newer program may have had the folder in between.
    if ((await checkVersion(path, file, version)) !== version) {
      await writeFile(`${file}.new`, `${JSON.stringify({ v: version })}\n`);
      await rename(`${file}.new`, file);
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
  let closed = false;
  return {
    path,
    recovered: lock.recovered,
    close: async () => {
      if (closed) return;
      closed = true;
      await lock.release();
    },
  };
}

/**
 * Opens a data folder, which is made if missing, for this process alone. Throws `TerminalError`: `newer_data_dir` for
 * one that a newer version has written, `data_dir_in_use` with the pid of who has it, `invalid_data_dir` for a file.
 */
export async function openDataDir(path: string, { version }: { readonly version: number }): Promise<DataDir> {
  const folder = resolve(path);
  try {
    return await open(folder, version);
  } catch (error) {
    throw explain(folder, error);
  }
}
