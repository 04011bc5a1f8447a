import {
  cancelledBatch,
  doneBatch,
  newBatch,
  openBatch,
  pausedBatch,
  sampleBatch,
  sampleBatchId,
  sampleBatchKey,
} from '../batch-samples.ts';
import type { Example, Given } from '../route.ts';

const theBatch = { id: sampleBatchId };
const key = { 'Idempotency-Key': sampleBatchKey };
const noSuchBatch = { detail: 'there is no such batch' };

const unknown: Example = {
  name: 'unknown',
  summary: "A batch that is not there, or another tenant's",
  given: 'nothing',
  request: { params: theBatch },
  answer: { status: 404, body: noSuchBatch },
};

const csv = `id,subject,description
2001,Where is my parcel?,Order ORD-1003 has not come.
2002,,
`;

const ndjson = `{"id":"3001","input":"Where is order ORD-1003?"}
{"id":"3002","input":7}
`;

export const createBatch: readonly Example[] = [
  {
    name: 'rows',
    summary: 'Two rows under one pool, with a key',
    given: 'nothing',
    request: { headers: key, body: sampleBatch },
    answer: { status: 202, body: { ...newBatch, rejectedRows: [] } },
  },
  {
    name: 'again',
    summary: 'The same key and body once more',
    given: 'batch_paused',
    request: { headers: key, body: sampleBatch },
    answer: { status: 202, body: { ...pausedBatch, rejectedRows: [] } },
  },
  {
    name: 'otherBody',
    summary: 'The same key with another body',
    given: 'batch_paused',
    request: { headers: key, body: { ...sampleBatch, budgetUsd: 2 } },
    answer: { status: 422, body: { type: 'urn:treadle:idempotency_key_reused' } },
  },
  {
    name: 'tickets',
    summary: 'A file of tickets; one without any text needs no model',
    given: 'nothing',
    request: {
      query: { agent: 'triage', budgetUsd: '1', maxSteps: '6' },
      file: { type: 'text/csv', text: csv },
    },
    answer: { status: 202, body: { status: 'running', rows: 2, rejectedRows: [] } },
  },
  {
    name: 'lines',
    summary: 'A file of rows, one of which is wrong',
    given: 'nothing',
    request: { query: { agent: 'triage' }, file: { type: 'application/x-ndjson', text: ndjson } },
    answer: {
      status: 202,
      body: {
        counts: { queued: 1, rejected: 1 },
        rejectedRows: [{ id: '3002', reason: 'line 2: input: it must be text or a JSON object' }],
      },
    },
  },
];

export const addRows: readonly Example[] = [
  {
    name: 'row',
    summary: 'One more row, and one that is there already',
    given: 'batch_open',
    request: {
      params: theBatch,
      body: { rows: [{ id: '1003', input: 'Where is order ORD-1003?' }, sampleBatch.rows[0]] },
    },
    answer: { status: 202, body: { ...openBatch, rows: 3, counts: { queued: 3 }, rejectedRows: [] } },
  },
  {
    name: 'closed',
    summary: 'A batch that takes no more rows',
    given: 'batch_paused',
    request: { params: theBatch, body: { rows: [{ id: '1003', input: 'Where is order ORD-1003?' }] } },
    answer: { status: 409, body: { detail: 'the batch takes no more rows' } },
  },
];

export const listBatches: readonly Example[] = [
  {
    name: 'newest',
    summary: 'The newest batch',
    given: 'batch_paused',
    request: { query: { limit: '1' } },
    answer: { status: 200, body: { items: [pausedBatch] } },
  },
];

export const readBatch: readonly Example[] = [
  {
    name: 'done',
    summary: 'A batch whose rows have all ended',
    given: 'batch_done',
    request: { params: theBatch },
    answer: { status: 200, body: doneBatch },
  },
  unknown,
];

export const readResults: readonly Example[] = [
  {
    name: 'lines',
    summary: 'JSON lines',
    given: 'batch_done',
    request: { params: theBatch, query: { limit: '1' } },
    answer: { status: 200 },
  },
  {
    name: 'csv',
    summary: 'CSV, from the beginning',
    given: 'batch_done',
    request: { params: theBatch, query: { format: 'csv' } },
    answer: { status: 200 },
  },
  unknown,
];

/** The one example of a change without a body, and of one that comes too late. */
function change(name: string, given: Given, body: unknown, late = 'the batch is done'): readonly Example[] {
  return [
    {
      name,
      summary: 'The batch as it then stands',
      given,
      request: { params: theBatch },
      answer: { status: 202, body },
    },
    {
      name: 'tooLate',
      summary: 'A batch whose rows have all ended',
      given: 'batch_done',
      request: { params: theBatch },
      answer: { status: 409, body: { detail: late } },
    },
  ];
}

export const closeBatch: readonly Example[] = change('close', 'batch_open', newBatch).slice(0, 1);
export const pauseBatch: readonly Example[] = change('pause', 'batch_open', pausedBatch);
export const resumeBatch: readonly Example[] = change('resume', 'batch_paused', newBatch);
export const cancelBatch: readonly Example[] = change('cancel', 'batch_open', cancelledBatch);

export const extendBatch: readonly Example[] = [
  {
    name: 'money',
    summary: 'Half a dollar more',
    given: 'batch_paused',
    request: { params: theBatch, headers: key, body: { addUsd: 0.5 } },
    answer: { status: 202, body: { ...pausedBatch, cost: { budgetUsd: 1 } } },
  },
];
