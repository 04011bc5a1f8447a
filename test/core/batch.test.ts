import { describe, expect, it } from 'vitest';
import {
  admit,
  type Batch,
  decideBatch,
  evolveBatch,
  fromBatchRecord,
  isResting,
  MAX_CHUNKS,
  MAX_OPEN,
  poolLeft,
  toBatchRecord,
  UNLIMITED,
} from '../../src/core/batch.ts';

const NOW = 1_800_000_000_000;

const aBatch = (changes: Partial<Batch> = {}): Batch => ({
  id: 'batch_1',
  tenant: 't',
  agent: 'a',
  agentVersion: 'v',
  status: 'running',
  stop: undefined,
  turn: 3,
  version: 5,
  by: '',
  apiBy: '',
  from: 'm',
  notBeforeMs: 0,
  dueAtMs: NOW + 60_000,
  nudges: 0,
  idle: 0,
  chunks: [100],
  cursor: 0,
  open: [],
  counts: { succeeded: 0, stopped: 0, failed: 0, cancelled: 0 },
  budget: UNLIMITED,
  spent: 0,
  concurrency: 40,
  cancelRequested: false,
  limits: { maxSteps: 1, maxTokens: 2, maxConsecutiveFailures: 3, timeoutSeconds: 4 },
  ceiling: 50,
  createdAtMs: NOW,
  updatedAtMs: NOW,
  endedAtMs: 0,
  accepting: false,
  rejected: 0,
  webhook: '',
  bodyHash: '',
  keys: [],
  ...changes,
});

const openRows = (count: number) =>
  Array.from({ length: count }, (_, ordinal) => ({ ordinal, ceiling: 50, grant: 0 }));
const nothing = {
  observed: { ended: new Map(), waiting: 0 },
  admission: { ceilings: [], cut: false, stop: undefined },
};
const turned = { ...nothing, type: 'turned', msg: 'm2', nowMs: NOW, arrived: [] } as const;

describe('an admission', () => {
  it.each([
    ['all places of the batch', {}, 0, 40, 40],
    ['its part of the share', {}, 0, 7, 7],
    ['no more than its concurrency, however large its share', { concurrency: 3 }, 0, 40, 3],
    ['what its open rows leave of the share', { open: openRows(5), cursor: 5 }, 0, 7, 2],
    ['nothing while it has more than its share', { open: openRows(9), cursor: 9 }, 0, 7, 0],
    ['as if rows that wait for a person were not there', { open: openRows(9), cursor: 9 }, 9, 7, 7],
    ['what is left', { cursor: 98 }, 0, 40, 2],
    ['what the pool covers', { budget: 149 }, 0, 40, 2],
    ['nothing while it is paused', { status: 'paused' }, 0, 40, 0],
    ['nothing once it is cancelled', { cancelRequested: true }, 0, 40, 0],
    [
      'no more than the head has room for',
      { chunks: [9_000], open: openRows(MAX_OPEN - 1), cursor: 1_999 },
      1_999,
      40,
      1,
    ],
    [
      'nothing when the head is full',
      { chunks: [9_000], open: openRows(MAX_OPEN), cursor: 2_000 },
      2_000,
      40,
      0,
    ],
  ] as const)('is %s', (_, changes, waiting, share, admitted) => {
    expect(admit(aBatch(changes), waiting, 10, share)).toMatchObject({
      ceilings: Array.from({ length: admitted }, () => 50),
      stop: undefined,
    });
  });
});

describe('a batch becomes', () => {
  const accepting = { accepting: true, cursor: 100 } as const;
  const resting = { ...accepting, turn: 9, dueAtMs: NOW + 900_000 };
  const exhausted = { status: 'paused', stop: { reason: 'pool_exhausted', detail: '' }, dueAtMs: 0 } as const;
  const extended = { type: 'extended', addMicroUsd: 5, concurrency: 9, key: undefined } as const;
  const arrived = [{ rows: 2, refused: 1 }];
  const open = openRows(1);
  it.each([
    ['done when nothing is left', { cursor: 100 }, turned, { status: 'done', dueAtMs: 0 }],
    [
      'quiet when rows may still come',
      accepting,
      turned,
      { status: 'running', turn: 4, from: '', dueAtMs: NOW + 900_000 },
    ],
    [
      'busy by chunks that have come',
      accepting,
      { ...turned, arrived },
      { chunks: [100, 2], rejected: 1, turn: 4, from: 'm2' },
    ],
    [
      'busy by added rows',
      resting,
      { type: 'rows_added', arrived },
      { chunks: [100, 2], rejected: 1, turn: 10 },
    ],
    [
      'no busier by refused rows',
      resting,
      { type: 'rows_added', arrived: [{ rows: 0, refused: 3 }] },
      { rejected: 3, dueAtMs: NOW + 900_000 },
    ],
    [
      'done when it is closed at rest',
      resting,
      { type: 'closed', arrived: [] },
      { status: 'done', endedAtMs: NOW, dueAtMs: 0 },
    ],
    [
      'busy when rows come with the close',
      resting,
      { type: 'closed', arrived },
      { status: 'running', accepting: false, turn: 10 },
    ],
    ['paused without a turn', {}, { type: 'paused' }, { status: 'paused', dueAtMs: 0, turn: 3 }],
    [
      'paused with the turn that its open rows need',
      { open, cursor: 1 },
      { type: 'paused' },
      { status: 'paused', dueAtMs: NOW + 60_000, turn: 3 },
    ],
    ['done when it is paused with nothing left', { cursor: 100 }, { type: 'paused' }, { status: 'done' }],
    [
      'paused, and not done, while rows may come',
      resting,
      { type: 'paused' },
      { status: 'paused', dueAtMs: 0 },
    ],
    [
      'paused still when it is closed',
      { ...resting, status: 'paused', cursor: 9, dueAtMs: 0 },
      { type: 'closed', arrived: [] },
      { status: 'paused', dueAtMs: 0, accepting: false },
    ],
    [
      'busy when it is resumed',
      { status: 'paused', dueAtMs: 0 },
      { type: 'resumed' },
      { status: 'running', turn: 4 },
    ],
    [
      'quiet when it is resumed with nothing to do',
      { ...resting, status: 'paused', dueAtMs: 0 },
      { type: 'resumed' },
      { status: 'running', dueAtMs: NOW + 900_000 },
    ],
    [
      'cancelled at once with nothing open',
      exhausted,
      { type: 'cancel_requested' },
      { status: 'cancelled', stop: undefined, counts: { cancelled: 100 } },
    ],
    [
      'cancelled by a turn with something open',
      { status: 'paused', open, cursor: 1 },
      { type: 'cancel_requested' },
      { status: 'paused', turn: 4, accepting: false },
    ],
    [
      'richer and busy when its pool was used up',
      exhausted,
      extended,
      { status: 'running', stop: undefined, turn: 4, budget: UNLIMITED },
    ],
    [
      'richer and busy when its pool was used up and a job is open',
      { ...exhausted, open, cursor: 1, dueAtMs: NOW },
      extended,
      { status: 'running', turn: 4 },
    ],
    [
      'richer and paused when somebody paused it',
      { status: 'paused', dueAtMs: 0, budget: 7 },
      extended,
      { status: 'paused', dueAtMs: 0, budget: 12, concurrency: 9 },
    ],
    [
      'richer and done when it is done',
      { status: 'done', dueAtMs: 0, budget: 7, cursor: 100 },
      extended,
      { status: 'done', dueAtMs: 0, budget: 12 },
    ],
    ['looked at later while it rests', resting, { type: 'nudged' }, { turn: 9, dueAtMs: NOW + 900_000 }],
  ] as const)('%s', (_, changes, event, after) => {
    expect(
      evolveBatch(aBatch(changes), { nowMs: NOW, ...event } as Parameters<typeof evolveBatch>[1]),
    ).toMatchObject(after);
  });

  it('deaf, while it rests, to the message of the turn before', () => {
    const rested = evolveBatch(aBatch(accepting), turned);
    expect(isResting(rested)).toBe(true);
    expect(decideBatch(rested, { turn: 3, id: 'm2' }, NOW)).toEqual({ type: 'done' });
  });
});

it('keeps a head with all it may hold under 100 KB', () => {
  const full = aBatch({
    chunks: Array.from({ length: MAX_CHUNKS }, () => 1_000),
    open: Array.from({ length: MAX_OPEN }, (_, n) => ({
      ordinal: 98_000 + n,
      ceiling: 1_000_000,
      grant: 99,
    })),
    keys: Array.from({ length: 20 }, () => ['x'.repeat(22), 'y'.repeat(22)] as const),
  });
  const record = { ...toBatchRecord(full) };
  expect(JSON.stringify(record).length).toBeLessThan(100_000);
  expect(fromBatchRecord(full.id, record)).toEqual(full);
  expect(poolLeft(full)).toBe(UNLIMITED - 2_000_000_000);
});
