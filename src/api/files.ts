import type { BatchResult } from '../app/batch-results.ts';
import type { NewRow, RefusedRow } from '../app/check-row.ts';
import type { Agent } from '../core/agent.ts';
import type { FileBody } from './read-body.ts';

/** The rows of a file that came as a body. */
export type FileRows =
  | { readonly type: 'rows'; readonly read: readonly NewRow[]; readonly refused: readonly RefusedRow[] }
  /** Words that follow `body:`. */
  | { readonly type: 'unreadable'; readonly why: string };

/** What the API needs of formats of files; it is put together outside, because this folder knows no file format. */
export interface ApiFiles {
  readonly rowsOf: (file: FileBody, agent: Agent) => Promise<FileRows>;
  /** With a header line; no cell of it is a formula. */
  readonly csvOf: (results: readonly BatchResult[]) => string;
}
