import * as z from 'zod';

/** What a worker process is told when it starts, as the JSON text of its one argument. */
export const workerSettings = z.object({
  sqsEndpoint: z.string(),
  dynamodbEndpoint: z.string(),
  modelUrl: z.string(),
  tableName: z.string(),
  queues: z.object({
    queueUrl: z.string(),
    deadLetterQueueUrl: z.string(),
    arns: z.object({ queue: z.string(), deadLetterQueue: z.string() }),
  }),
  /** Where effects are appended, and what the workers log. */
  effectsFile: z.string(),
  logFile: z.string(),
  steps: z.number(),
  /** The share of invocations in which the process dies. */
  crash: z.number(),
});

export type WorkerSettings = z.infer<typeof workerSettings>;

/** What an invocation may last. A lease is what is left of it and 2 s more. */
export const FUNCTION_TIMEOUT_MS = 6_000;
/** Longer than a lease and the grace after it, so that the message of a dead worker comes back to a lapsed lease. */
export const VISIBILITY_SECONDS = 11;
