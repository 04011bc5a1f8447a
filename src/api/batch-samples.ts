import { sampleBody } from './samples.ts';

/** The batch that the examples of the document are about; its id follows from its tenant and key. */
export const sampleBatchKey = 'export-of-monday';
export const sampleBatchId = 'batch_3UhaDTmABtq1n3JQol4gBB';

export const sampleBatch = {
  agent: 'triage',
  rows: [
    { id: '1001', input: sampleBody.input, metadata: { ticket: '1001' } },
    { id: '1002', input: 'Please refund order ORD-1002, the plate is broken.' },
  ],
  limits: { maxSteps: 6 },
  budgetUsd: 0.5,
} as const;

const someTime = '2027-01-15T08:00:00.000Z';

const noRows = {
  ...{ queued: 0, running: 0, awaiting_approval: 0, succeeded: 0 },
  ...{ stopped: 0, failed: 0, cancelled: 0, rejected: 0 },
};

/** The sample as it was submitted. */
export const newBatch = {
  id: sampleBatchId,
  agent: 'triage',
  status: 'running',
  stop: null,
  rows: 2,
  counts: { ...noRows, queued: 2 },
  cost: { spentUsd: 0, reservedUsd: 0, budgetUsd: 0.5, forecastUsd: null },
  createdAt: someTime,
  updatedAt: someTime,
  finishedAt: null,
  forecastFinishedAt: null,
};

export const openBatch = { ...newBatch, status: 'open' };
export const pausedBatch = { ...newBatch, status: 'paused' };

/** The sample when it was cancelled before a worker had it. */
export const cancelledBatch = {
  ...newBatch,
  status: 'cancelled',
  counts: { ...noRows, cancelled: 2 },
  cost: { ...newBatch.cost, forecastUsd: 0 },
  finishedAt: someTime,
};

/** The sample when both of its rows have been answered. */
export const doneBatch = {
  ...newBatch,
  status: 'done',
  counts: { ...noRows, succeeded: 2 },
  cost: { spentUsd: 0.00004, reservedUsd: 0, budgetUsd: 0.5, forecastUsd: 0.00004 },
  finishedAt: someTime,
};
