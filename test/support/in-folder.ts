import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
// It works in the folder that it is loaded in, for all tests of this process: not in one that is removed again.
import 'esbuild';

/** Each test of this file runs in a new folder, which is gone after it. */
export function inFolder(): void {
  const home = process.cwd();
  let folder = home;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'treadle-in-'));
    process.chdir(folder);
  });
  afterEach(async () => {
    process.chdir(home);
    await rm(folder, { recursive: true, force: true });
  });
}
