import * as z from 'zod';
import { defineTool } from '../core/agent.ts';
import { writeNote } from './notes.ts';

/** Writes a note of this job. Idempotent: written again, it is the same note. */
export const saveNote = defineTool({
  name: 'save_note',
  description:
    'Remember a value under a key for the rest of this job. A key that is used again is overwritten.',
  input: z.object({ key: z.string().min(1).max(100), value: z.string().max(4_000) }),
  policy: 'idempotent',
  run: ({ key, value }, { jobId }) => {
    writeNote({ jobId, key, value });
    return { saved: key };
  },
});
