import type { Example } from '../route.ts';
import { sampleLetterId } from '../samples.ts';

const theLetter = { id: sampleLetterId, reason: 'received too often' };

export const readCosts: readonly Example[] = [
  {
    name: 'agent',
    summary: 'By agent',
    given: 'counted',
    request: { query: { by: 'agent' } },
    answer: {
      status: 200,
      body: {
        items: [{ key: 'triage', jobs: 1, steps: 2, spentUsd: 0.00004, unsettledUsd: 0 }],
        cursor: null,
      },
    },
  },
  {
    name: 'unknown',
    summary: 'By what no sums are made for',
    given: 'nothing',
    request: { query: { by: 'colour' } },
    answer: { status: 400, body: { errors: [{ name: 'by' }] } },
  },
];

export const readHealth: readonly Example[] = [
  {
    name: 'well',
    summary: 'Nothing is late',
    given: 'queued',
    request: {},
    answer: {
      status: 200,
      body: { ok: true, oldestDueSeconds: 0, lapsedLeases: 0, deadLetters: 0, stopped: false },
    },
  },
];

export const listDeadLetters: readonly Example[] = [
  {
    name: 'newest',
    summary: 'The newest one',
    given: 'dead_letter',
    request: { query: { limit: '1' } },
    answer: { status: 200, body: { items: [{ ...theLetter, redrivenAt: null }] } },
  },
];

export const redriveDeadLetter: readonly Example[] = [
  {
    name: 'again',
    summary: 'A letter of a job',
    given: 'dead_letter',
    request: { params: { id: sampleLetterId } },
    answer: { status: 202, body: theLetter },
  },
  {
    name: 'unknown',
    summary: 'A letter that is not there',
    given: 'nothing',
    request: { params: { id: sampleLetterId } },
    answer: { status: 404, body: { detail: 'there is no such dead letter' } },
  },
];

export const control = (name: 'stop' | 'start'): readonly Example[] => [
  {
    name: 'tenant',
    summary: 'For the tenant of the caller',
    given: 'queued',
    request: { body: { scope: 'tenant' } },
    answer: { status: 200, body: { stopped: name === 'stop', scope: 'tenant' } },
  },
];

export const readDocument: readonly Example[] = [
  {
    name: 'document',
    summary: 'The document',
    given: 'nothing',
    request: {},
    answer: { status: 200, body: { openapi: '3.1.0' } },
  },
];
