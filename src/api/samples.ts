/** The job that the examples of the document are about; its id follows from its tenant and key. */
export const sampleKey = 'ticket-1001';
export const sampleJobId = 'job_6F1uXFy-lhzStAHpExJtul';
/** The call that waits in the sample: the first of the reply that was born under fence 1. */
export const sampleCallId = 'call_1_0';

/** The dead letter of the examples: the id of the message that was given up. */
export const sampleLetterId = '5f2c7b1e-8d0a-4a53-9c1d-2b7f6f1f4b10';

export const sampleBody = {
  agent: 'triage',
  input: 'Please refund order ORD-1001, the cup is broken.',
  limits: { maxSteps: 6, maxCostUsd: 0.02 },
  metadata: { ticket: '1001' },
} as const;

const someTime = '2027-01-15T08:00:00.000Z';

/** The sample as it was submitted. */
export const queuedJob = {
  id: sampleJobId,
  agent: 'triage',
  agentVersion: 'Zx0c1rT6mW4pYk9uVb2sQe',
  tenant: 'default',
  batchId: null,
  rowId: null,
  status: 'queued',
  stop: null,
  input: sampleBody.input,
  output: null,
  text: null,
  steps: 0,
  needsReview: false,
  limits: {
    maxSteps: 6,
    maxCostUsd: 0.02,
    maxTokens: 200_000,
    maxConsecutiveFailures: 3,
    timeoutSeconds: 86_400,
  },
  usage: { inputTokens: 0, outputTokens: 0, cacheWriteTokens: 0, cacheReadTokens: 0 },
  cost: { spentUsd: 0, reservedUsd: 0, unsettledUsd: 0, ceilingUsd: 0.02, savedByCacheUsd: 0 },
  approvals: [],
  waitsUntil: null,
  metadata: { ticket: '1001' },
  createdAt: someTime,
  updatedAt: someTime,
  finishedAt: null,
};

/** The sample when it was cancelled before a worker had it. */
export const cancelledJob = {
  ...queuedJob,
  status: 'cancelled',
  stop: { reason: 'cancelled', message: 'The job was cancelled.', resumable: false },
  finishedAt: someTime,
};

/** The sample when the limit of one step has stopped it, and when it was extended after that. */
export const extendedJob = {
  ...queuedJob,
  steps: 1,
  limits: { ...queuedJob.limits, maxSteps: 4, maxCostUsd: 0.03 },
  usage: { ...queuedJob.usage, inputTokens: 100, outputTokens: 20 },
  cost: { ...queuedJob.cost, spentUsd: 0.00002, ceilingUsd: 0.03 },
};

/** What a caller reads who asks for what is not there, or is another's. */
export const noSuchJob = {
  type: 'urn:treadle:not_found',
  title: 'Not found',
  status: 404,
  detail: 'there is no such job',
  errors: [],
};
