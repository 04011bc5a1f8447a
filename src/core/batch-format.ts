import * as z from 'zod';

const natural = z.number().int().nonnegative();

/** One input row of a batch. The text is in the row alone until its job is made. */
const row = z.object({
  v: z.literal(1),
  key: z.string(),
  /** The row's id as its owner knows it. */
  id: z.string(),
  /** Where it stood in the source, from 1; 0 when it came by a call. */
  line: natural,
  /** The first user message, as text. */
  input: z.string(),
  /** JSON text. */
  metadata: z.string(),
  /** JSON text of the output of a row that has nothing to ask a model about. */
  output: z.string().optional(),
});
export type Row = Readonly<z.infer<typeof row>>;

export function readRow(stored: unknown): Row {
  return row.parse(stored);
}

const counts = z.object({ succeeded: natural, stopped: natural, failed: natural, cancelled: natural });

/** A batch's head as it is stored. `open` holds a triple for each admitted row that has not been seen to end. */
export const batchRecord = z.object({
  v: z.literal(2),
  lt: z.string(),
  lc: natural,
  agent: z.string(),
  agentVersion: z.string(),
  status: z.enum(['running', 'paused', 'done', 'cancelled']),
  stop: z.tuple([z.string(), z.string()]).optional(),
  turn: natural,
  version: natural,
  by: z.string(),
  apiBy: z.string(),
  from: z.string(),
  notBeforeMs: natural,
  du: natural,
  nudges: natural,
  idle: natural,
  chunks: z.array(natural),
  cursor: natural,
  open: z.array(z.tuple([natural, natural, natural])),
  counts,
  budget: natural,
  spent: natural,
  concurrency: natural,
  cancelRequested: z.boolean(),
  limits: z.tuple([natural, natural, natural, natural]),
  ceiling: natural,
  updatedAtMs: natural,
  endedAtMs: natural,
  accepting: z.boolean(),
  rejected: natural,
  webhook: z.string(),
  bodyHash: z.string(),
  keys: z.array(z.tuple([z.string(), z.string()])),
});

/** What the listing index's partition of a tenant's batches begins with. */
export const BATCHES_OF = 'B#';

const batchV1 = z.looseObject({ lt: z.string(), status: z.string(), updatedAtMs: natural });

/** Each lift raises a batch's head by one version. Never edit a published lift; add the next one. */
export const batchLifts: Readonly<Record<number, (record: unknown) => unknown>> = {
  // Batches took no more rows once they were made, and shared the listing index's partition with jobs.
  1: (record) => {
    const batch = batchV1.parse(record);
    const over = batch.status === 'done' || batch.status === 'cancelled';
    return {
      ...batch,
      v: 2,
      lt: `${BATCHES_OF}${batch.lt}`,
      endedAtMs: over ? batch.updatedAtMs : 0,
      ...{ accepting: false, rejected: 0, webhook: '', bodyHash: '', keys: [] },
    };
  },
};
