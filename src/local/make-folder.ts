import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { hasCode } from './folder-lock.ts';

/**
 * Makes a folder with all that lies above it. Node's own recursive `mkdir` never ends where a file system answers that
 * what is above is missing although it is there, as /proc does.
 */
export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  for (let at = resolve(path); !(await isThere(at)) && dirname(at) !== at; at = dirname(at))
    missing.unshift(at);
  for (const folder of missing) {
    await mkdir(folder).catch((error: unknown) => {
      // Another start has made it meanwhile.
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}
