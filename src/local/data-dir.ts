import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { TerminalError } from '../core/errors.ts';
import { hasCode, lockFolder } from './folder-lock.ts';
import { makeFolder } from './make-folder.ts';

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
  if (hasCode(error, 'ENOENT')) return invalid(path, 'no folder can be made there', error);
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

/** The versions of a folder that this program can go on with. */
export interface Versions {
  readonly version: number;
  /** @default 1 */
  readonly oldest?: number;
}

async function checkVersion(
  path: string,
  file: string,
  { version, oldest = 1 }: Versions,
): Promise<number | undefined> {
  const stored = await storedVersion(path, file);
  if (stored === undefined) return stored;
  if (stored < oldest) {
    throw new TerminalError(
      'older_data_dir',
      `${path} was written by an older Treadle (data version ${stored}, this one reads from ${oldest}): finish it with that one, name another folder, or give it up with --fresh`,
    );
  }
  if (stored <= version) return stored;
  throw new TerminalError(
    'newer_data_dir',
    `${path} was written by a newer Treadle (data version ${stored}, this one reads up to ${version})`,
  );
}

/** What stands in a folder before its mark does: a start that was killed in between leaves it. */
const beforeTheMark = /^treadle\.(lock\..+|json\.new)$/;

/** All that Treadle itself writes into a data folder, beside its mark and its lock. */
const written = [
  ...['dynamodb', 'refunds.jsonl', 'notes.jsonl'],
  ...['deployment-runs.json', 'deployment-runs.json.new'],
];

/** A folder that somebody else filled stays theirs: with our mark in it, --fresh would take it for ours. */
async function refuseForeign(path: string, file: string): Promise<void> {
  const names = await readdir(path);
  // The mark is looked for last: another start may be making this folder its own right now.
  if (names.every((name) => beforeTheMark.test(name)) || (await storedVersion(path, file)) !== undefined)
    return;
  throw new TerminalError(
    'foreign_data_dir',
    `${path} holds files and is no data folder of Treadle: name a folder that is empty or not there yet`,
  );
}

async function open(path: string, versions: Versions, fresh: boolean): Promise<DataDir> {
  const file = join(path, 'treadle.json');
  await makeFolder(path);
  await refuseForeign(path, file);
  // What is given up may be as old as it likes.
  const { version } = versions;
  const readable = fresh ? { version } : versions;
  await checkVersion(path, file, readable);
  const lock = await lockFolder(path);
  try {
    // Again, because a newer program may have had the folder in between.
    const stored = await checkVersion(path, file, readable);
    // The mark stays: without it, what others have put beside our files would make the folder a stranger's.
    if (fresh) for (const name of written) await rm(join(path, name), { recursive: true, force: true });
    if (stored !== version) {
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
    recovered: lock.recovered && !fresh,
    close: async () => {
      if (closed) return;
      closed = true;
      await lock.release();
    },
  };
}

/**
 * Opens a data folder, which is made if missing, for this process alone; with `fresh` all that Treadle has written into it
 * is deleted, and nothing else. Throws `TerminalError`: `foreign_data_dir` for a folder that holds files and was not made by
 * Treadle, `newer_data_dir` for one that a newer version has written, `older_data_dir` for one of before `oldest`,
 * `data_dir_in_use` with the pid of who has it, `invalid_data_dir` for a file.
 */
export async function openDataDir(
  path: string,
  versions: Versions,
  { fresh = false }: { readonly fresh?: boolean } = {},
): Promise<DataDir> {
  // An empty name would be the folder that the command happens to be run in.
  if (path === '') throw new TerminalError('usage', '--data: expected the name of a folder');
  const folder = resolve(path);
  try {
    return await open(folder, versions, fresh);
  } catch (error) {
    throw explain(folder, error);
  }
}
