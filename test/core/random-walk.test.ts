import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decide } from '../../src/core/decide.ts';
import { evolve, type JobEvent } from '../../src/core/evolve.ts';
import { isEnded, type Job } from '../../src/core/job.ts';
import { available } from '../../src/core/ledger.ts';
import { aJob, anItem, aReading, NOW } from '../support/a-job.ts';

/** What the outside does to one step: the model's reply, its cost, the tools, crashes and people. */
const happening = fc.record({
  what: fc.constantFrom('reply', 'reply', 'reply', 'wait', 'lost', 'crash', 'out_of_time', 'cancel'),
  kind: fc.constantFrom(
    'calls',
    'calls',
    'calls',
    'answer',
    'missing',
    'invalid_answer',
    'cut',
    'pause',
    'refusal',
  ),
  gated: fc.boolean(),
  tools: fc.constantFrom('none', 'ok', 'failed'),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  letter: fc.constantFrom('A', 'D'),
  minutes: fc.integer({ min: 0, max: 3 }),
});
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

const HOLD = 60_000;

function checkInvariants(job: Job, before: Job): void {
  const { ceiling, settled, reserved, unsettled } = job.ledger;
  expect(settled + reserved + unsettled).toBeLessThanOrEqual(ceiling);
  expect(Math.min(settled, reserved, unsettled)).toBeGreaterThanOrEqual(0);
  expect(settled + unsettled + reserved).toBeGreaterThanOrEqual(before.ledger.settled);
  expect(job.steps).toBeLessThanOrEqual(job.limits.maxSteps);
  expect(job.fence).toBeGreaterThanOrEqual(before.fence);
  expect(job.turn).toBeGreaterThanOrEqual(before.turn);
  expect(job.version).toBeGreaterThan(before.version);
  if (!isEnded(job)) expect(job.dueAtMs).toBeGreaterThan(0);
}

function eventOf(job: Job, happens: Happening, nowMs: number): JobEvent {
  if (job.status.type === 'awaiting_approval') {
    return { type: 'approval_decided', nowMs, place: 0, letter: happens.letter as 'A', expiresAtMs: 0 };
  }
  if (job.status.type === 'queued' || happens.what === 'crash') {
    const lapsedMs = job.status.type === 'running' ? job.status.lease.untilMs + 3_000 : nowMs;
    const free = available(job.ledger) + 0;
    return {
      type: 'claimed',
      nowMs: Math.max(nowMs, lapsedMs, job.notBeforeMs),
      lease: { untilMs: Math.max(nowMs, lapsedMs) + 60_000, owner: 'o', msg: 'm' },
      hold: free >= HOLD ? HOLD : 0,
      tooDear: free >= HOLD ? undefined : HOLD,
    };
  }
  const common = { nowMs, msg: 'm' };
  const { reserved } = job.ledger;
  switch (happens.what) {
    case 'cancel':
      return { type: 'cancel_requested', nowMs };
    case 'wait':
    case 'lost':
      return {
        ...common,
        type: 'model_unavailable',
        billed: happens.what === 'wait' ? 'no' : 'unknown',
        delayMs: 1_000,
        problem: '529',
        results: undefined,
      };
    case 'out_of_time':
      return { ...common, type: 'out_of_time', results: undefined };
    default: {
      const states =
        happens.kind === 'calls' || happens.kind === 'invalid_answer' ? (happens.gated ? 'W' : 'R') : '';
      return {
        ...common,
        type: 'replied',
        adopted: false,
        hash: 'h',
        item: anItem({
          tools: happens.tools,
          cost: Math.floor(reserved * happens.share),
          reserved,
          born: job.fence,
        }),
        reading: aReading({ kind: happens.kind, states, expiresInSeconds: 3_600 }),
      };
    }
  }
}

it('stops every job inside every limit, whatever models, tools, crashes and people do', () => {
  const walk = fc.array(happening, { minLength: 80, maxLength: 160 });
  fc.assert(
    fc.property(walk, (happenings) => {
      let nowMs = NOW;
      let job = aJob();
      for (const happens of happenings) {
        nowMs += happens.minutes * 60_000;
        const event = eventOf(job, happens, nowMs);
        nowMs = Math.max(nowMs, event.nowMs);
        const before = job;
        job = evolve(job, event);
        checkInvariants(job, before);
        if (isEnded(job)) {
          expect(decide(job, { turn: job.turn, id: 'm' }, nowMs)).toEqual({ type: 'done' });
          return;
        }
      }
      throw new Error(`still ${job.status.type} after ${happenings.length} events and ${job.steps} steps`);
    }),
    { numRuns: 800, seed: 7 },
  );
});
