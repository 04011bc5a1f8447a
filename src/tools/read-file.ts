import * as z from 'zod';
import { defineTool } from '../core/agent.ts';
import { readDocument } from './document-folder.ts';

/** Reads one document of the folder, and nothing outside of it. */
export const readFile = defineTool({
  name: 'read_file',
  description: 'Read a document by the name that list_files gave.',
  input: z.object({ filename: z.string().min(1).max(255) }),
  policy: 'pure',
  run: ({ filename }) => readDocument(filename),
});
