import { describe, expect, it } from 'vitest';
import { evolve, type JobEvent } from '../../src/core/evolve.ts';
import { type StepStart, standingStart } from '../../src/core/evolve-ended.ts';
import type { Job } from '../../src/core/job.ts';
import { available } from '../../src/core/ledger.ts';
import { ending } from '../../src/core/stop-rules.ts';
import { aJob, anItem, aReading, aRunningJob, NOW } from '../support/a-job.ts';

const lease = { untilMs: NOW + 122_000, owner: 'owner', msg: 'm1' };
const claimed = (changes: Partial<Extract<JobEvent, { type: 'claimed' }>> = {}): JobEvent => ({
  type: 'claimed',
  nowMs: NOW,
  lease,
  hold: 50_000,
  tooDear: undefined,
  ...changes,
});
const replied = (changes: Partial<Extract<JobEvent, { type: 'replied' }>> = {}): JobEvent => ({
  type: 'replied',
  nowMs: NOW,
  msg: 'm1',
  item: anItem(),
  reading: aReading(),
  hash: 'hash2',
  adopted: false,
  ...changes,
});
const reasonOf = (job: Job) => ('stop' in job.status ? job.status.stop.reason : job.status.type);

describe('a claim', () => {
  it.each([
    ['a cancel was asked for', aJob({ cancelRequested: true }), {}, 'cancelled'],
    ['5 attempts died', aJob({ attempts: 5 }), {}, 'running'],
    ['6 attempts died', aJob({ attempts: 6 }), {}, 'internal'],
    ['the deadline is 1 ms away', aJob({ deadlineMs: NOW + 1 }), {}, 'running'],
    ['the deadline is now', aJob({ deadlineMs: NOW }), {}, 'deadline'],
    ['one step is left', aJob({ steps: 9 }), {}, 'running'],
    ['no step is left', aJob({ steps: 10 }), {}, 'max_steps'],
    ['the next call is too dear', aJob(), { tooDear: 1 }, 'cost_ceiling'],
    ['the pool cut the ceiling', aJob({ poolCut: true }), { tooDear: 1 }, 'pool_exhausted'],
    ['a dead attempt may have left a reply', aRunningJob(0, { steps: 10 }), { tooDear: 1 }, 'running'],
  ] as const)('when %s gives the right state', (_, job, changes, expected) => {
    expect(reasonOf(evolve(job, claimed(changes)))).toBe(expected);
  });

  it.each([
    [1, '1 step used'],
    [10, '10 steps used'],
  ])('says that all %i steps are used', (maxSteps, detail) => {
    const job = aJob({ steps: maxSteps });
    const { status } = evolve({ ...job, limits: { ...job.limits, maxSteps } }, claimed());
    expect(status).toMatchObject({ stop: { detail } });
  });

  it('raises the fence, counts the attempt and holds the reserve', () => {
    const job = evolve(aJob(), claimed());
    expect(job).toMatchObject({
      fence: 1,
      attempts: 1,
      claimed: true,
      ledger: { reserved: 50_000 },
      version: 2,
    });
  });

  it('over a lapsed lease leaves the dead attempt’s reserve charged as unsettled', () => {
    const job = evolve(aRunningJob(70_000), claimed());
    expect(job.ledger).toMatchObject({ reserved: 50_000, unsettled: 70_000 });
  });

  it('remembers what each attempt of unknown outcome left, until a reply has read it', () => {
    const died = evolve(aRunningJob(70_000), claimed());
    expect(died.lost).toEqual([70_000]);
    const thrice = evolve(evolve(died, claimed({ hold: 40_000 })), claimed());
    expect(thrice.lost).toEqual([70_000, 50_000, 40_000]);
    expect(thrice.ledger.unsettled).toBe(160_000);
    expect(evolve(thrice, replied()).lost).toEqual([]);
    const second = anItem({ reserved: 50_000, lost: [70_000] });
    expect(evolve(thrice, replied({ item: second, adopted: true })).lost).toEqual([40_000]);
    let often = died;
    for (let n = 0; n < 100; n += 1) often = evolve({ ...often, attempts: 0 }, claimed({ hold: 1 }));
    expect(often.lost).toHaveLength(50);
    expect(often.lost.reduce((sum, one) => sum + one, 0)).toBe(often.ledger.unsettled);
  });

  it('that ends the job over a lapsed lease keeps that money charged', () => {
    const job = evolve(aRunningJob(70_000, { deadlineMs: NOW }), claimed());
    expect(job.ledger).toMatchObject({ reserved: 0, unsettled: 70_000 });
  });
});

describe('a committed reply', () => {
  const used = (total: number) => anItem({ usage: [total, 0, 0, 0] });
  it.each([
    ['calls to run', {}, {}, 'queued'],
    ['an answer', {}, { reading: aReading({ kind: 'answer', states: '' }) }, 'completed'],
    [
      'an answer while a cancel was asked for',
      { cancelRequested: true },
      { reading: aReading({ kind: 'answer' }) },
      'cancelled',
    ],
    [
      'an answer at the last step',
      { steps: 9 },
      { reading: aReading({ kind: 'answer', states: '' }) },
      'completed',
    ],
    ['calls at the last step', { steps: 9 }, {}, 'max_steps'],
    ['calls at the last step but one', { steps: 8 }, {}, 'queued'],
    [
      'calls beside a valid answer at the last step',
      { steps: 9 },
      { reading: aReading({ states: 'RV' }) },
      'queued',
    ],
    ['tokens one under the budget', {}, { item: used(99_999) }, 'queued'],
    ['tokens equal to the budget', {}, { item: used(100_000) }, 'token_budget'],
    [
      'an answer over the token budget',
      {},
      { item: used(100_001), reading: aReading({ kind: 'answer', states: '' }) },
      'completed',
    ],
    ['the second failure of three', { failures: 1 }, { item: anItem({ tools: 'failed' }) }, 'queued'],
    [
      'the third failure of three',
      { failures: 2 },
      { item: anItem({ tools: 'failed' }) },
      'consecutive_failures',
    ],
    [
      'a final answer after the third failure',
      { failures: 2 },
      { item: anItem({ tools: 'failed' }), reading: aReading({ kind: 'answer', states: '' }) },
      'completed',
    ],
    ['a refusal', {}, { reading: aReading({ kind: 'refusal', states: '' }) }, 'refusal'],
    [
      'a full context window',
      {},
      { reading: aReading({ kind: 'context_window', states: '' }) },
      'context_window',
    ],
    ['a first cut', {}, { reading: aReading({ kind: 'cut', states: '' }) }, 'queued'],
    [
      'a second cut in a row',
      { lastReply: 'cut' },
      { reading: aReading({ kind: 'cut', states: '' }) },
      'max_output_tokens',
    ],
    [
      'a cut that the ceiling caused',
      {},
      { reading: aReading({ kind: 'cut', states: '' }), item: anItem({ shrunk: true }) },
      'cost_ceiling',
    ],
    ['a first missing answer', {}, { reading: aReading({ kind: 'missing', states: '' }) }, 'queued'],
    [
      'a second missing answer in a row',
      { lastReply: 'bad' },
      { reading: aReading({ kind: 'missing', states: '' }) },
      'invalid_output',
    ],
    [
      'an invalid answer after a missing one',
      { lastReply: 'bad' },
      { reading: aReading({ kind: 'invalid_answer' }) },
      'invalid_output',
    ],
    ['a gated call', {}, { reading: aReading({ states: 'RW', expiresInSeconds: 60 }) }, 'awaiting_approval'],
    ['a gated call at the last step', { steps: 9 }, { reading: aReading({ states: 'W' }) }, 'max_steps'],
    ['a pause of the server’s', {}, { reading: aReading({ kind: 'pause', states: '' }) }, 'queued'],
    ['a cost equal to the ceiling', {}, { item: anItem({ cost: 1_000_000 }) }, 'queued'],
    ['a cost over the ceiling', {}, { item: anItem({ cost: 1_000_001 }) }, 'cost_ceiling'],
    [
      'a cost over the ceiling with an answer in hand',
      {},
      { item: anItem({ cost: 1_000_001 }), reading: aReading({ kind: 'answer', states: '' }) },
      'completed',
    ],
  ] as const)('with %s gives the right state', (_, changes, event, expected) => {
    expect(reasonOf(evolve(aRunningJob(100_000, changes), replied(event)))).toBe(expected);
  });

  it('settles the true cost and releases the reserve', () => {
    const job = evolve(aRunningJob(100_000), replied());
    expect(job.ledger).toEqual({ ceiling: 1_000_000, settled: 1_000, reserved: 0, unsettled: 0 });
  });

  it('that is kept is in the next prompt, and so is what the API counts around a message', () => {
    const usage = [100, 20, 3, 4] as const;
    const boundOf = (kept: boolean) =>
      evolve(
        aRunningJob(70_000),
        replied({ item: anItem({ usage: [...usage] }), reading: aReading({ kept }) }),
      ).promptBound;
    expect(boundOf(false)).toBe(107);
    // A paused reply is sent back as it is: no message of ours brings room for the frame.
    expect(boundOf(true)).toBe(107 + 20 + 32);
  });

  it('of a dead attempt takes its reserve out of unsettled and releases the adopter’s', () => {
    const running = aRunningJob(80_000, {
      ledger: { ceiling: 1_000_000, settled: 0, reserved: 80_000, unsettled: 100_000 },
    });
    const job = evolve(running, replied({ adopted: true }));
    expect(job.ledger).toEqual({ ceiling: 1_000_000, settled: 1_000, reserved: 0, unsettled: 0 });
  });

  it('dearer than its reserve is charged in full and flagged', () => {
    const job = evolve(aRunningJob(100_000), replied({ item: anItem({ cost: 100_001 }) }));
    expect(job).toMatchObject({ needsReview: true, ledger: { settled: 100_001 } });
    expect(evolve(aRunningJob(100_000), replied({ item: anItem({ cost: 100_000 }) })).needsReview).toBe(
      false,
    );
  });

  it.each([
    ['resets failures when all tools succeeded', 'ok', 0],
    ['leaves failures without calls', 'none', 2],
  ] as const)('%s', (_, tools, failures) => {
    expect(evolve(aRunningJob(0, { failures: 2 }), replied({ item: anItem({ tools }) })).failures).toBe(
      failures,
    );
  });

  it('starts a new turn that only the handled message may send again', () => {
    const job = evolve(aRunningJob(), replied());
    expect(job).toMatchObject({ turn: 2, from: 'm1', claimed: false, attempts: 0, steps: 1, count: 2 });
  });
});

describe('a model that cannot be asked', () => {
  const wait = (changes: Partial<Extract<JobEvent, { type: 'model_unavailable' }>> = {}): JobEvent => ({
    type: 'model_unavailable',
    nowMs: NOW,
    msg: 'm1',
    billed: 'no',
    delayMs: 20_000,
    problem: '529',
    results: undefined,
    ...changes,
  });

  it('frees the reserve when the provider proves it did not bill', () => {
    expect(evolve(aRunningJob(9_000), wait()).ledger).toMatchObject({ reserved: 0, unsettled: 0 });
  });

  it('keeps the reserve charged when the outcome is unknown', () => {
    expect(evolve(aRunningJob(9_000), wait({ billed: 'unknown' })).ledger).toMatchObject({
      reserved: 0,
      unsettled: 9_000,
    });
  });

  it('remembers a request of unknown outcome, and none that was not billed', () => {
    expect(evolve(aRunningJob(9_000), wait({ billed: 'unknown' })).lost).toEqual([9_000]);
    expect(evolve(aRunningJob(9_000), wait()).lost).toEqual([]);
  });

  it('takes no step and no attempt, and waits', () => {
    const job = evolve(aRunningJob(), wait());
    expect(job).toMatchObject({ steps: 0, attempts: 0, waits: 1, turn: 2, notBeforeMs: NOW + 20_000 });
  });

  it.each([
    [38, 'queued'],
    [39, 'model_unavailable'],
  ] as const)('after %i waits gives the right state', (waits, expected) => {
    expect(reasonOf(evolve(aRunningJob(0, { waits }), wait()))).toBe(expected);
  });

  it('for longer than a message can be delayed is due exactly then', () => {
    expect(evolve(aRunningJob(), wait({ delayMs: 901_000 })).dueAtMs).toBe(NOW + 901_000);
  });
});

describe('a cancel', () => {
  it('ends a ready job at once', () => {
    expect(reasonOf(evolve(aJob(), { type: 'cancel_requested', nowMs: NOW }))).toBe('cancelled');
  });

  it('of a held step leaves its money reserved and waits for the commit', () => {
    const job = evolve(aRunningJob(5_000), { type: 'cancel_requested', nowMs: NOW });
    expect(job).toMatchObject({
      cancelRequested: true,
      status: { type: 'running' },
      ledger: { reserved: 5_000 },
    });
    expect(job.dueAtMs).toBeLessThanOrEqual(NOW + 60_000);
  });

  const common = { nowMs: NOW, msg: 'm1', results: undefined } as const;
  it.each<JobEvent>([
    claimed({ tooDear: 1 }),
    replied(),
    { ...common, type: 'out_of_time' },
    { ...common, type: 'unaffordable', needed: 1 },
    { ...common, type: 'model_unavailable', billed: 'no', delayMs: 1_000, problem: '529' },
    { ...common, type: 'model_refused', reason: 'configuration', problem: '401' },
    { type: 'given_up', nowMs: NOW, problem: 'unknown agent' },
    { type: 'deadline_passed', nowMs: NOW },
  ])('that is known ends the job cancelled, though $type comes first', (event) => {
    const job = evolve(aRunningJob(5_000, { cancelRequested: true, deadlineMs: NOW }), event);
    expect(reasonOf(job)).toBe('cancelled');
  });
});

describe('a decision', () => {
  const pending = {
    item: 2,
    born: 1,
    states: 'RWW',
    sinceMs: NOW - 5_000,
    expiresAtMs: NOW + 1_000,
    decidedAtMs: 0,
  };
  const awaiting = aJob({ status: { type: 'awaiting_approval' }, pending });
  const decided = (place: number, letter: 'A' | 'D'): JobEvent => ({
    type: 'approval_decided',
    nowMs: NOW,
    place,
    letter,
    expiresAtMs: NOW + 1_000,
  });

  it('about one of two calls keeps the job waiting', () => {
    const job = evolve(awaiting, decided(1, 'A'));
    expect(job).toMatchObject({ status: { type: 'awaiting_approval' }, turn: 1, pending: { states: 'RAW' } });
  });

  it('about the last call queues the job and lets the clock stand still meanwhile', () => {
    const job = evolve(evolve(awaiting, decided(1, 'A')), decided(2, 'D'));
    expect(job).toMatchObject({ status: { type: 'queued' }, turn: 2, pending: { states: 'RAD' } });
    expect(job.deadlineMs).toBe(awaiting.deadlineMs + 5_000);
  });

  it('that nobody makes in time stops the job where the tool asks for that', () => {
    const event = {
      type: 'approval_expired',
      nowMs: NOW,
      states: 'RXX',
      expiresAtMs: 0,
      stopBy: 'pay',
    } as const;
    expect(reasonOf(evolve(awaiting, event))).toBe('approval_expired');
    expect(reasonOf(evolve(awaiting, { ...event, stopBy: undefined }))).toBe('queued');
  });
});

describe('an extension', () => {
  const extended: JobEvent = {
    type: 'extended',
    nowMs: NOW + 1_000,
    addMicroUsd: 500,
    addSteps: 2,
    addTokens: 10,
    addSeconds: 0,
    expiresAtMs: NOW + 9_000,
  };
  const stopped = evolve(aRunningJob(0, { steps: 9, failures: 1 }), replied());

  it('raises the limits, the fence and the turn, and starts failures anew', () => {
    const job = evolve(stopped, extended);
    expect(job).toMatchObject({
      fence: 2,
      turn: 2,
      failures: 0,
      limits: { maxSteps: 12, maxTokens: 100_010 },
    });
    expect(job.ledger.ceiling).toBe(1_000_500);
    expect(reasonOf(job)).toBe('queued');
  });

  it('waits for a person first while a gated call is undecided', () => {
    const gated = evolve(aRunningJob(0, { steps: 9 }), replied({ reading: aReading({ states: 'W' }) }));
    const job = evolve(gated, extended);
    expect(job).toMatchObject({
      status: { type: 'awaiting_approval' },
      turn: gated.turn,
      pending: { expiresAtMs: NOW + 9_000 },
    });
  });

  it('does not count the time the job stood still', () => {
    expect(evolve(stopped, extended).deadlineMs).toBe(stopped.deadlineMs + 1_000);
  });
});

describe('a retry', () => {
  const worn = { attempts: 3, waits: 4, failures: 2, cancelRequested: true, steps: 3, fence: 7 } as const;
  const failed = aJob({ ...worn, status: ending('internal'), endedAtMs: NOW });
  const retried = (job: Job, changes: Partial<StepStart> = {}): JobEvent => ({
    type: 'retried',
    nowMs: NOW + 5_000,
    start: { ...standingStart(job), ...changes },
    expiresAtMs: NOW + 9_000,
  });
  const pending = {
    ...{ item: 4, born: 6, sinceMs: NOW, expiresAtMs: 0, decidedAtMs: NOW },
    states: 'AX',
  };

  it('starts anew what had run out of patience, under a new fence and turn; counts and money stand', () => {
    const job = evolve(failed, retried(failed));
    expect(job).toMatchObject({
      ...{ attempts: 0, waits: 0, failures: 0, cancelRequested: false, endedAtMs: 0 },
      ...{ fence: 8, turn: failed.turn + 1, claimed: false, from: '' },
      ...{ steps: 3, ledger: failed.ledger, limits: failed.limits, deadlineMs: NOW + 5_000 + 3_600_000 },
    });
    expect(reasonOf(job)).toBe('queued');
    expect(job.dueAtMs).toBeGreaterThan(NOW);
  });

  it.each(['ok', 'cut', 'bad'] as const)(
    'in the same step takes a last reply that was %s as a good one',
    (lastReply) => {
      const job = aJob({ lastReply, status: ending('invalid_output') });
      expect(evolve(job, retried(job)).lastReply).toBe('ok');
    },
  );

  it.each([
    ['approval_expired', 'AW', 'awaiting_approval'],
    ['model_unavailable', 'AX', 'queued'],
  ] as const)('of a job that ended with %s takes the calls as %s', (reason, states, status) => {
    const job = aJob({ status: ending(reason), pending });
    const after = evolve(job, retried(job));
    expect(after.pending?.states).toBe(states);
    expect(after.status.type).toBe(status);
  });

  it('that has to wait for a person asks from now on, under the turn that stands', () => {
    const job = aJob({ status: ending('internal'), pending: { ...pending, states: 'W' } });
    expect(evolve(job, retried(job))).toMatchObject({
      pending: { sinceMs: NOW + 5_000, expiresAtMs: NOW + 9_000 },
      dueAtMs: NOW + 9_000,
      turn: job.turn,
    });
  });

  it('from an earlier step takes the head back to its start, and nothing else', () => {
    const back = {
      count: 2,
      transcriptHash: 'h2',
      promptBound: 9,
      textAt: 2,
      lastReply: 'cut',
      observed: false,
    } as const;
    const job = evolve({ ...failed, count: 6 }, retried(failed, { ...back, pending }));
    expect(job).toMatchObject({ ...back, pending, steps: 3, fence: 8 });
  });
});

describe('a follow-up', () => {
  const results = { item: anItem({ stop: '', review: false }), hash: 'told', tokens: 70 };
  it('adds its item, forgets the open calls and starts the clock anew', () => {
    const job = aJob({
      status: ending('cancelled'),
      cancelRequested: true,
      failures: 2,
      lastReply: 'bad',
      fence: 5,
    });
    const pending = { item: 1, born: 1, states: 'W', sinceMs: NOW, expiresAtMs: NOW, decidedAtMs: 0 };
    expect(evolve({ ...job, pending }, { type: 'followed_up', nowMs: NOW + 1_000, results })).toMatchObject({
      ...{ status: { type: 'queued' }, count: 2, observed: true, pending: undefined, transcriptHash: 'told' },
      ...{ promptBound: job.promptBound + 70, cancelRequested: false, failures: 0, lastReply: 'ok' },
      ...{ fence: 6, turn: job.turn + 1, deadlineMs: NOW + 1_000 + 3_600_000, endedAtMs: 0 },
    });
  });

  it('raises the fence of the ended job first, and nothing else', () => {
    const job = aJob({ status: ending('completed'), endedAtMs: NOW, dueAtMs: NOW + 7, fence: 5 });
    const fenced = evolve(job, { type: 'fenced', nowMs: NOW + 1 });
    expect(fenced).toEqual({ ...job, fence: 6, version: job.version + 1, updatedAtMs: NOW + 1 });
  });
});

it('is due once more when the last worker that may write to a deleted job is dead', () => {
  const job = aJob({ status: ending('completed'), endedAtMs: NOW, dueAtMs: 0, fence: 5 });
  expect(evolve(job, { type: 'deleted', nowMs: NOW + 1 })).toMatchObject({
    ...{ status: job.status, deleted: true, fence: 6, endedAtMs: NOW },
    dueAtMs: NOW + 1 + 20 * 60_000,
  });
});

it('ends a job whose tools a cancel has halted, and frees what no request was sent for', () => {
  const event = { type: 'out_of_time', nowMs: NOW, msg: 'm1', results: undefined } as const;
  const job = evolve(aRunningJob(9_000, { cancelRequested: true }), event);
  expect(reasonOf(job)).toBe('cancelled');
  expect(job.ledger).toMatchObject({ reserved: 0, unsettled: 0 });
});

it('keeps an unsent reserve available again after too little time was left', () => {
  const job = evolve(aRunningJob(9_000), { type: 'out_of_time', nowMs: NOW, msg: 'm1', results: undefined });
  expect(available(job.ledger)).toBe(1_000_000);
  expect(job).toMatchObject({ attempts: 1, waits: 0, turn: 2, status: { type: 'queued' } });
});

it('keeps charged what a dead attempt held when a worker that cannot go on ends its job', () => {
  const job = evolve(aRunningJob(9_000), { type: 'given_up', nowMs: NOW, problem: 'agent x is not here' });
  expect(job.ledger).toMatchObject({ reserved: 0, unsettled: 9_000 });
});

it('backs off from a job whose message the reconciler sends again', () => {
  let job = aJob();
  const delays: number[] = [];
  for (let n = 0; n < 7; n += 1) {
    job = evolve(job, { type: 'nudged', nowMs: NOW });
    delays.push((job.dueAtMs - NOW) / 1000);
  }
  expect(delays).toEqual([30, 60, 120, 240, 480, 900, 900]);
});

describe('a job that an extension makes wait again', () => {
  const pending = { item: 2, born: 1, states: 'W', sinceMs: NOW, expiresAtMs: NOW + 1, decidedAtMs: 0 };
  const status = { type: 'stopped', stop: { reason: 'max_steps', detail: '' } } as const;
  const expiresAtMs = NOW + 86_400_000;
  it.each([
    ['soon once where others are told', true, NOW + 90_000],
    ['at its expiry where nobody is', false, expiresAtMs],
  ] as const)('is due %s', (_, told, dueAtMs) => {
    const adds = { addMicroUsd: 0, addSteps: 1, addTokens: 0, addSeconds: 0 };
    const ended = aJob({ status, pending, dueAtMs: 0 });
    const job = evolve(ended, {
      type: 'extended',
      nowMs: NOW,
      ...adds,
      expiresAtMs,
      told,
    });
    expect(job).toMatchObject({ status: { type: 'awaiting_approval' }, dueAtMs });
  });
});
