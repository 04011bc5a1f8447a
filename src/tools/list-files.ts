import * as z from 'zod';
import { defineTool } from '../core/agent.ts';
import { listDocuments } from './document-folder.ts';

/** Lists the documents of the folder. */
export const listFiles = defineTool({
  name: 'list_files',
  description: 'List the documents: each file name with the first 80 characters of its first line.',
  input: z.object({}),
  policy: 'pure',
  run: () => ({ files: listDocuments() }),
});
