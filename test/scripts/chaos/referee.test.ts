import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../scripts/chaos/agent.ts';
import type { RawHead } from '../../../scripts/chaos/heads.ts';
import { callsOf } from '../../../scripts/chaos/plan.ts';
import { type Evidence, judge } from '../../../scripts/chaos/referee.ts';

const STEPS = 4;

const effects: readonly Effect[] = [1, 2, 3].flatMap((step) =>
  callsOf(step, STEPS).map(({ policy, mark }) => ({ policy, mark, jobId: 'job_1', key: `job_1.${mark}` })),
);
const [pure, idempotent, once] = effects as readonly [Effect, Effect, Effect];

function evidence(change: Partial<RawHead> = {}, more: Partial<Evidence> = {}): Evidence {
  const head: RawHead = {
    ...{ id: 'job_1', status: 's', reason: 'completed', detail: '', attempts: 0, needsReview: false },
    ...{ steps: STEPS, maxSteps: STEPS, ceiling: 100, settled: 40, reserved: 0, unsettled: 20 },
    ...change,
  };
  return {
    ...{ submitted: ['job_1'], steps: STEPS, heads: [head], effects, billed: new Map([['job_1', 40]]) },
    ...more,
  };
}

const billed = (cost: number) => ({ billed: new Map([['job_1', cost]]) });

describe('the referee', () => {
  it.each<[string, Evidence]>([
    ['a job that ended as planned', evidence()],
    ['a bill up to all that is charged', evidence({}, billed(60))],
    ['charges up to the ceiling', evidence({ unsettled: 60 })],
    [
      'pure and idempotent calls that ran again with the same key',
      evidence(
        {},
        {
          effects: [...effects, pure, idempotent],
        },
      ),
    ],
    [
      'a call without effect in a job that is flagged',
      evidence({ needsReview: true }, { effects: effects.filter((effect) => effect !== once) }),
    ],
    [
      'a job that its ceiling stopped',
      evidence({ status: 'p', reason: 'cost_ceiling', steps: 2 }, { effects: [pure, idempotent, once] }),
    ],
    ['a job given up after six attempts', evidence({ status: 'f', reason: 'internal', attempts: 6 })],
  ])('accepts %s', (_, accepted) => {
    expect(judge(accepted)).toEqual([]);
  });

  it.each<[string, Evidence]>([
    ['lost, it is not in the table', evidence({}, { heads: [], effects: [] })],
    ['it has not ended (status r, 4 steps)', evidence({ status: 'r' })],
    ['5 steps, the limit is 4', evidence({ status: 'p', reason: 'cost_ceiling', steps: 5 })],
    ['succeeded after 3 of 4 steps', evidence({ steps: 3 })],
    ['ended as internal: five', evidence({ status: 'f', reason: 'internal', detail: 'five', attempts: 5 })],
    ['ended as max_steps: ', evidence({ status: 'p', reason: 'max_steps' })],
    ['more was billed than is charged', evidence({}, billed(61))],
    ['more is settled than was billed', evidence({}, billed(39))],
    ['over its ceiling', evidence({ unsettled: 61 })],
    ['ended with 1 still reserved', evidence({ reserved: 1 })],
    ['once call 2.0 took effect 2 times', evidence({}, { effects: [...effects, { ...once }] })],
    [
      'idempotent call 1.1 showed 2 keys: job_1.1.1, other',
      evidence(
        {},
        {
          effects: [...effects, { ...idempotent, key: 'other' }],
        },
      ),
    ],
    [
      'call 9.0 took effect as once; the model never made it so',
      evidence(
        { maxSteps: 9, steps: 9, status: 'p', reason: 'cost_ceiling' },
        {
          effects: [...effects, { ...once, mark: '9.0', key: '9' }],
        },
      ),
    ],
    [
      'call 3.0 ran, but only 2 replies are stored',
      evidence(
        { status: 'p', reason: 'cost_ceiling', steps: 2 },
        { effects: effects.filter(({ mark }) => mark !== '3.1') },
      ),
    ],
    [
      'once call 2.0 never took effect, and nobody was told',
      evidence(
        {},
        {
          effects: effects.filter((effect) => effect !== once),
        },
      ),
    ],
    [
      'the key job_1.1.0 is shared by job_1 1.0, job_1 1.1',
      evidence(
        {},
        {
          effects: effects.map((effect) => (effect === idempotent ? { ...effect, key: pure.key } : effect)),
        },
      ),
    ],
  ])('names the job of which it says: %s', (violation, refused) => {
    expect(judge(refused)).toEqual([expect.stringContaining(`job_1: ${violation}`)]);
  });

  it('finds a job and an effect that nobody submitted', () => {
    const { heads } = evidence({ id: 'job_2' });
    const stray = effects.map((effect) => ({ ...effect, jobId: 'job_2' }));
    const found = judge(
      evidence({}, { heads, effects: stray, submitted: [], billed: new Map([['job_2', 40]]) }),
    );
    expect(new Set(found)).toEqual(
      new Set(['job_2: nobody submitted it', 'job_2: an effect of a job that nobody submitted']),
    );
  });
});
