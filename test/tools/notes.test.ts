import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { notesOf, writeNote } from '../../src/tools/notes.ts';

const folder = mkdtempSync(join(tmpdir(), 'treadle-notes-'));
const file = join(folder, 'notes.jsonl');
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(file, { force: true });
});

describe.each([
  ['in memory', ''],
  ['in a file', file],
])('notes %s', (where, path) => {
  it('belong to their job, and keep what was written last', () => {
    vi.stubEnv('TREADLE_NOTES_FILE', path);
    const [mine, other] = [`job_a ${where}`, `job_b ${where}`];
    writeNote({ jobId: mine, key: 'x', value: '1' });
    writeNote({ jobId: other, key: 'x', value: '2' });
    writeNote({ jobId: mine, key: 'x', value: '3' });
    expect(notesOf(mine)).toEqual(new Map([['x', '3']]));
    expect(notesOf(other)).toEqual(new Map([['x', '2']]));
    expect(notesOf('job_c')).toEqual(new Map());
  });
});

it('survive half a line that a killed process left behind', () => {
  vi.stubEnv('TREADLE_NOTES_FILE', file);
  writeFileSync(file, '{"jobId":"job_a","ke');
  writeNote({ jobId: 'job_a', key: 'x', value: '1' });
  expect(notesOf('job_a')).toEqual(new Map([['x', '1']]));
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(3);
});
