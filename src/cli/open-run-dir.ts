import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DataDir, openDataDir } from '../local/data-dir.ts';
import { dataVersions } from './data-versions.ts';

/** The folder that a run is remembered in; with `fresh` nothing of an earlier run is. */
export async function openRunDir(path: string, fresh: boolean): Promise<DataDir> {
  // Only a folder of ours is emptied, whatever --data names.
  const ours = existsSync(join(path, 'treadle.json'));
  if (!fresh || !ours) return openDataDir(path, dataVersions);
  await (await openDataDir(path, { version: dataVersions.version })).close();
  await rm(path, { recursive: true, force: true });
  return openDataDir(path, dataVersions);
}
