import * as z from 'zod';
import { defineTool } from '../core/agent.ts';
import { notesOf } from './notes.ts';

/** Reads a note of this job. */
export const readNote = defineTool({
  name: 'read_note',
  description: 'Read what was saved under a key in this job. A key that was never used is an error.',
  input: z.object({ key: z.string() }),
  policy: 'pure',
  run: ({ key }, { jobId }) => {
    const notes = notesOf(jobId);
    const value = notes.get(key);
    if (value === undefined) throw new Error(`no note is saved under ${key}. ${known([...notes.keys()])}`);
    return { key, value };
  },
});

const known = (keys: readonly string[]): string =>
  keys.length === 0 ? 'There are no notes.' : `There are: ${keys.slice(0, 20).join(', ')}`;
